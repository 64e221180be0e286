/* SPDX-License-Identifier: Apache-2.0
 * revoke.c - takes an account's policy out of the containers that are named, or of any. */
#include "azure.h"
#include "edit.h"
#include "policy.h"
#include "walk.h"

#include "banned.h"

struct revocation {
	struct edit edit; /* first */
	const struct azure *azure;
	struct policy_wish wish;
	bool only_look; /* a policy that is found is not taken away */
};

static enum edit_verdict
judge(struct cosi_call *call, struct edit *edit, struct acl *acl, const char **more)
{
	const struct revocation *work = (const struct revocation *)edit;
	enum edit_verdict verdict = EDIT_KEEP;

	(void)more;
	for (size_t i = 0; i < acl->n; i++) {
		if (!policy_is_wished(call, acl->policies[i].id, &work->wish))
			continue;
		acl->policies[i].dropped = true;
		verdict = work->only_look ? EDIT_REFUSE : EDIT_WRITE;
	}
	return verdict;
}

/* The list of policies goes with its container. */
static int
take_out(struct revocation *work, struct cosi_call *call, const char *container)
{
	if (!azure_name_is_container(container))
		return 0;
	work->edit = (struct edit){ .container = container, .judge = judge, .insists = true };
	if (edit_policies(work->azure, call, &work->edit) != 0)
		return cosi_fail(call, 0, "cannot change the policies of container '%s'",
				 container);
	if (!work->edit.exists || work->edit.verdict != EDIT_REFUSE)
		return 0;
	return cosi_fail(call, COSI_PRECONDITION,
			 "it has access to container '%s', which the request must name as long as "
			 "no leases are taken",
			 container);
}

static int
take_out_cb(void *arg, struct cosi_call *call, const struct container *container)
{
	return take_out(arg, call, container->name);
}

/* The daemon locks the containers that are named.  One that has to be found is locked by its lease
 * alone. */
static int
revoke(struct revocation *work, struct cosi_call *call, const struct cosi_access_req *req)
{
	if (!azure_name_is_account(req->native))
		return cosi_fail(call, COSI_PRECONDITION, "it is not ours");
	for (size_t i = 0; i < req->nbuckets; i++)
		if (take_out(work, call, req->buckets[i]->native) != 0)
			return -1;
	if (req->nbuckets > 0)
		return 0;
	work->only_look = !work->azure->config->lease;
	return walk_containers(work->azure, call, take_out_cb, work);
}

int
azure_revoke(void *instance, struct cosi_call *call, const struct cosi_access_req *req)
{
	struct revocation work = {
		.azure = instance,
		.wish = { .account = req->native, .owner = req->mark.owner },
	};

	if (revoke(&work, call, req) != 0)
		return cosi_fail(call, 0, "cannot revoke '%.128s'", req->native);
	return 0;
}
