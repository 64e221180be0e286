/* SPDX-License-Identifier: Apache-2.0
 * revoke.c - removes an account's policy from the named containers, or from all. */
#include "azure.h"
#include "edit.h"
#include "policy.h"

#include "banned.h"

struct azure_revoke {
	struct edit edit; /* first */
	const struct azure *azure;
	struct policy_request request;
	bool only_look; /* a policy that is found is not removed */
};

static enum edit_verdict
revoke_judge(struct cosi_call *call, struct edit *edit, struct acl *acl, const char **more)
{
	const struct azure_revoke *revoke = (const struct azure_revoke *)edit;
	enum edit_verdict verdict = EDIT_KEEP;

	(void)more;
	for (size_t i = 0; i < acl->n; i++) {
		if (!policy_is_of(call, acl->policies[i].id, &revoke->request))
			continue;
		acl->policies[i].dropped = true;
		verdict = revoke->only_look ? EDIT_REFUSE : EDIT_WRITE;
	}
	return verdict;
}

/* A container that is absent has no policies. */
static int
revoke_from(struct azure_revoke *revoke, struct cosi_call *call, const char *container)
{
	if (!azure_name_is_container(container))
		return 0;
	revoke->edit =
		(struct edit){ .container = container, .judge = revoke_judge, .insists = true };
	if (edit_policies(revoke->azure, call, &revoke->edit) < 0)
		return cosi_fail(call, 0, "cannot change the policies of container '%s'",
				 container);
	if (!revoke->edit.exists || revoke->edit.verdict != EDIT_REFUSE)
		return 0;
	return cosi_fail(call, COSI_PRECONDITION,
			 "the account has access to container '%s', which the request must name "
			 "because leases are off",
			 container);
}

static int
revoke_from_each(void *arg, struct cosi_call *call, const struct azure_container *container)
{
	return revoke_from(arg, call, container->name);
}

int
azure_revoke(void *instance, struct cosi_call *call, const struct cosi_access_req *req)
{
	struct azure_revoke revoke = {
		.azure = instance,
		.request = { .account = req->native, .owner = req->mark.owner },
	};
	int rc = 0;

	if (!azure_name_is_account(req->native))
		return cosi_fail(call, COSI_PRECONDITION,
				 "cannot revoke '%.128s': the account is not cosid's", req->native);
	for (size_t i = 0; i < req->nbuckets && rc == 0; i++)
		rc = revoke_from(&revoke, call, req->buckets[i]->native);
	if (req->nbuckets == 0) {
		/* The daemon locks containers that a request names; one that is found by looking
		 * is locked by its lease alone. */
		revoke.only_look = !revoke.azure->config->lease;
		rc = azure_each_container(instance, call, revoke_from_each, &revoke);
	}
	return rc < 0 ? cosi_fail(call, 0, "cannot revoke '%.128s'", req->native) : 0;
}
