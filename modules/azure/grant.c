/* SPDX-License-Identifier: Apache-2.0
 * grant.c - one stored access policy per account, and a SAS that names it.
 *
 * The policy is the access: the SAS holds no right of its own, follows from the policy's id and the
 * account's key, and is stored nowhere.  So a repeated grant finds the policy and gives the same
 * SAS, and a policy that is taken away takes the SAS with it, for ever, because its id is random.
 */
#include <string.h>

#include "azure.h"
#include "edit.h"
#include "policy.h"

#include "banned.h"

struct grant {
	struct edit edit; /* first */
	struct policy_wish wish;
	int64_t now;
	const char *id;  /* the policy's */
	int64_t expires; /* 0: never */
	bool full;       /* why it was refused: no room, or another access */
};

/* The order may be Azure's own. */
static bool
same_rights(const char *one, const char *other)
{
	size_t len = strlen(one);

	return strlen(other) == len && strspn(one, other) == len && strspn(other, one) == len;
}

/* Whatever of an account's policy somebody changed by hand is set right. */
static bool
is_as_wished(struct grant *grant, const struct acl_policy *policy)
{
	grant->expires = 0;
	/* Ours begin at once. */
	if (policy->start[0] != '\0')
		return false;
	if (!same_rights(policy->permission, policy_rights(grant->wish.mode)))
		return false;
	if (policy->expiry[0] == '\0')
		return true;
	return policy_read_time(policy->expiry, &grant->expires) == 0 &&
	       grant->expires > grant->now;
}

static enum edit_verdict
write_policy(struct cosi_call *call, struct grant *grant, const char **more)
{
	const char *expiry = NULL;

	grant->expires = grant->wish.lifetime > 0 ? grant->now + grant->wish.lifetime : 0;
	if (grant->expires > 0)
		expiry = policy_time(call, grant->expires);
	*more = acl_policy_text(call, grant->id, policy_rights(grant->wish.mode), expiry);
	return EDIT_WRITE;
}

static enum edit_verdict
judge(struct cosi_call *call, struct edit *edit, struct acl *acl, const char **more)
{
	struct grant *grant = (struct grant *)edit;
	struct acl_policy *ours = NULL;

	for (size_t i = 0; i < acl->n; i++) {
		if (!policy_is_wished(call, acl->policies[i].id, &grant->wish))
			continue;
		grant->full = false;
		if (!policy_is_same(call, acl->policies[i].id, &grant->wish))
			return EDIT_REFUSE;
		if (ours == NULL)
			ours = &acl->policies[i];
	}
	if (ours != NULL) {
		grant->id = ours->id;
		if (is_as_wished(grant, ours))
			return EDIT_KEEP;
		ours->dropped = true;
		return write_policy(call, grant, more);
	}
	grant->full = acl->n >= ACL_POLICIES_MAX;
	if (grant->full)
		return EDIT_REFUSE;
	grant->id = policy_new_id(call, &grant->wish);
	return write_policy(call, grant, more);
}

static int
fail_refused(struct cosi_call *call, const struct grant *grant)
{
	if (!grant->full)
		return cosi_fail(call, COSI_EXISTS,
				 "it exists, in another mode or with other parameters");
	return cosi_fail(call, COSI_EXHAUSTED,
			 "container '%s' has %d stored access policies, and Azure allows no more: "
			 "an access to it must be revoked, or a policy that somebody else made go",
			 grant->edit.container, ACL_POLICIES_MAX);
}

static int
make(const struct azure *azure, struct cosi_call *call, struct grant *grant)
{
	if (!azure_name_is_account(grant->wish.account))
		return cosi_fail(call, COSI_INVALID, "no account of ours has such a name");
	if (azure_name_is_container(grant->edit.container) &&
	    edit_policies(azure, call, &grant->edit) != 0)
		return -1;
	if (!grant->edit.exists)
		return cosi_fail(call, COSI_NOT_FOUND, "there is no container '%.255s'",
				 grant->edit.container);
	return grant->edit.verdict == EDIT_REFUSE ? fail_refused(call, grant) : 0;
}

static const char *
token(const struct azure *azure, struct cosi_call *call, const struct grant *grant)
{
	const struct azure_config *config = azure->config;
	const char *container = grant->edit.container, *url = call->host->public_url(call);
	const char *sas = azure_sign_sas(call, &azure->key, config->account, container, grant->id);

	if (strcmp(config->token_form, "bare") == 0)
		return sas;
	if (strcmp(config->token_form, "service") == 0)
		return cosi_printf(call, "%s/?%s", url, sas);
	return cosi_printf(call, "%s/%s?%s", url, container, sas);
}

int
azure_grant(void *instance, struct cosi_call *call, const struct cosi_access_req *req,
	    struct cosi_access *out)
{
	const struct azure *azure = instance;
	struct grant grant = {
		.edit = { .container = req->buckets[0]->native, .judge = judge },
		.wish = { .account = req->native,
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
	if (make(azure, call, &grant) != 0)
		return cosi_fail(call, 0, "cannot grant '%.128s'", req->native);
	out->token = token(azure, call, &grant);
	out->token_expires = grant.expires;
	out->buckets[0]->protocols = COSI_AZURE;
	out->buckets[0]->azure_account = azure->config->account;
	return cosi_failed(call) ? -1 : 0;
}
