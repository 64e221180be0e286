/* SPDX-License-Identifier: Apache-2.0
 * access.c - grant and revoke: one stored access policy per account, and a SAS that names it.
 *
 * The policy is the access: the SAS carries no right of its own, follows from the policy's id and
 * the account's key, and is stored nowhere.  So a repeated grant finds the policy and gives the
 * same SAS, and removing the policy ends the SAS for ever, because the id is random.
 */
#include <string.h>

#include "azure.h"
#include "edit.h"
#include "policy.h"

#include "banned.h"

struct azure_grant {
	struct edit edit; /* first */
	struct policy_request request;
	int64_t now;
	const char *id;  /* the policy's */
	int64_t expires; /* 0: never */
	bool full;       /* why it was refused: no room, or another access */
};

/* Does the policy still have the requested rights?  Otherwise it was changed by hand, or has
 * expired, and is written again. */
static bool
grant_is_current(struct azure_grant *grant, const struct acl_policy *policy)
{
	const char *rights = policy_rights(grant->request.mode);
	size_t len = strlen(rights);

	grant->expires = 0;
	if (policy->start[0] != '\0') /* cosid's begin at once */
		return false;
	/* The same letters; Azure may order them. */
	if (strlen(policy->permission) != len || strspn(policy->permission, rights) != len ||
	    strspn(rights, policy->permission) != len)
		return false;
	if (policy->expiry[0] == '\0')
		return true;
	return policy_read_time(policy->expiry, &grant->expires) == 0 &&
	       grant->expires > grant->now;
}

static enum edit_verdict
grant_judge(struct cosi_call *call, struct edit *edit, struct acl *acl, const char **more)
{
	struct azure_grant *grant = (struct azure_grant *)edit;
	const struct policy_request *request = &grant->request;
	struct acl_policy *ours = NULL;

	for (size_t i = 0; i < acl->n; i++) {
		if (!policy_is_of(call, acl->policies[i].id, request))
			continue;
		grant->full = false;
		if (!policy_has_params(call, acl->policies[i].id, request))
			return EDIT_REFUSE;
		if (ours == NULL)
			ours = &acl->policies[i];
	}
	if (ours != NULL) {
		grant->id = ours->id;
		if (grant_is_current(grant, ours))
			return EDIT_KEEP;
		ours->dropped = true;
	} else {
		grant->full = acl->n >= ACL_POLICIES_MAX;
		if (grant->full)
			return EDIT_REFUSE;
		grant->id = policy_new_id(call, request);
	}
	grant->expires = request->lifetime > 0 ? grant->now + request->lifetime : 0;
	*more = acl_policy_text(
		call, grant->id, policy_rights(request->mode),
		grant->expires > 0 ? rest_write_date(call, REST_RFC3339, grant->expires) : NULL);
	return EDIT_WRITE;
}

static int
grant_policy(const struct azure *azure, struct cosi_call *call, struct azure_grant *grant)
{
	if (!azure_name_is_account(grant->request.account))
		return cosi_fail(call, COSI_INVALID, "no account of cosid's can have that name");
	if (azure_name_is_container(grant->edit.container) &&
	    edit_policies(azure, call, &grant->edit) < 0)
		return -1;
	if (!grant->edit.exists)
		return cosi_fail(call, COSI_NOT_FOUND, "container '%.255s' does not exist",
				 grant->edit.container);
	if (grant->edit.verdict != EDIT_REFUSE)
		return 0;
	if (!grant->full)
		return cosi_fail(call, COSI_EXISTS,
				 "the account exists with another mode or with other parameters");
	return cosi_fail(call, COSI_EXHAUSTED,
			 "container '%s' has %d stored access policies, the most that Azure "
			 "allows: revoke an access to it, or remove a policy of another "
			 "owner",
			 grant->edit.container, ACL_POLICIES_MAX);
}

int
azure_grant(void *instance, struct cosi_call *call, const struct cosi_access_req *req,
	    struct cosi_access *out)
{
	const struct azure *azure = instance;
	const char *container = req->buckets[0]->native, *form = azure->config->token_form, *url;
	struct azure_grant grant = {
		.edit = { .container = container, .judge = grant_judge },
		.request = { .account = req->native,
			     .owner = req->mark.owner,
			     .params = req->mark.params,
			     .mode = req->buckets[0]->mode,
			     .lifetime = azure->config->sas_lifetime / 1000 },
		.now = call->host->now(call),
	};

	if (req->nbuckets != 1)
		return cosi_fail(call, COSI_OUT_OF_RANGE,
				 "cannot grant '%.128s': %zu buckets are too many for one access: "
				 "a SAS opens one container",
				 req->native, req->nbuckets);
	if (grant_policy(azure, call, &grant) < 0)
		return cosi_fail(call, 0, "cannot grant '%.128s'", req->native);
	url = call->host->public_url(call);
	out->token = azure_sign_sas(call, &azure->key, azure->config->account, container, grant.id);
	if (strcmp(form, "service") == 0)
		out->token = cosi_printf(call, "%s/?%s", url, out->token);
	else if (strcmp(form, "bare") != 0)
		out->token = cosi_printf(call, "%s/%s?%s", url, container, out->token);
	out->token_expires = grant.expires;
	out->buckets[0]->protocols = COSI_AZURE;
	out->buckets[0]->azure_account = azure->config->account;
	return cosi_failed(call) ? -1 : 0;
}

/* ---- revoke: from the named containers, or from all ---- */

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
