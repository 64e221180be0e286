/* SPDX-License-Identifier: Apache-2.0
 * verify.c - a module's answers are not trusted: its mistakes become errors that name it.
 *
 * Strings are copied because they may stand in the module's settings or constants, which go away
 * with its generation, and an answer may be sent later than that.
 */
#include "module/verify.h"

#include <string.h>

#include "module/text.h"

#include "banned.h"

int
verify_memory(struct module_call *call)
{
	if (!status_ok(call->status) || !arena_failed(call->arena))
		return 0;
	return status_fail(call->status, COSI_EXHAUSTED,
			   "backend '%s' (module '%s') needs more memory than a call may use",
			   call->backend->name, call->backend->module->name);
}

int
verify_result(struct module_call *call, int result)
{
	struct status *status = call->status;
	const char *module = call->backend->module->name;

	if (verify_memory(call) < 0)
		return -1;
	if (status_ok(status) && result == 0)
		return 0;
	if (!status_ok(status) && status->text[0] != '\0')
		return -1;
	status->code = COSI_INTERNAL;
	return status_fail(status, COSI_INTERNAL, "module '%s' failed without a reason", module);
}

static int
reject(struct module_call *call, const char *how, const char *what)
{
	return status_fail(call->status, COSI_INTERNAL, "module '%s' answered with %s %s",
			   call->backend->module->name, how, what);
}

/* Replaces *field by a copy.  NULL is refused when it is needed. */
static int
copy_field(struct module_call *call, const char **field, bool needed, size_t most, const char *what)
{
	if (*field == NULL)
		return needed ? reject(call, "a missing", what) : 0;
	if (!text_is_clean(*field, 1, most))
		return reject(call, "a malformed", what);
	*field = arena_strdup(call->arena, *field);
	return 0;
}

static int
copy_endpoint(struct module_call *call, struct cosi_bucket *bucket)
{
	if (bucket->endpoint == NULL)
		bucket->endpoint = call->backend->public_url;
	if (bucket->endpoint != NULL && !text_is_url(bucket->endpoint, VERIFY_URL_MAX))
		return reject(call, "a malformed", "endpoint");
	return copy_field(call, &bucket->endpoint, (bucket->protocols & COSI_S3) != 0,
			  VERIFY_URL_MAX, "endpoint");
}

static int
check_protocols(struct module_call *call, uint32_t protocols, uint32_t needed)
{
	if (protocols == 0)
		return reject(call, "a bucket without", "protocols");
	if ((protocols & ~call->backend->module->protocols) != 0)
		return reject(call, "a bucket of", "protocols that it does not have");
	if ((needed & ~protocols) != 0)
		return reject(call, "a bucket without", "the requested protocols");
	return 0;
}

int
verify_bucket(struct module_call *call, const char *native, uint32_t needed,
	      struct cosi_bucket *bucket)
{
	uint32_t protocols = bucket->protocols;

	if (check_protocols(call, protocols, needed) < 0)
		return -1;
	if (bucket->style == 0)
		bucket->style = COSI_PATH_STYLE;
	if (bucket->style > COSI_VIRTUAL_STYLE)
		return reject(call, "an unknown", "style");
	if (bucket->name == NULL)
		bucket->name = native;
	if (copy_field(call, &bucket->name, true, VERIFY_NAME_MAX, "bucket name") < 0 ||
	    copy_endpoint(call, bucket) < 0 ||
	    copy_field(call, &bucket->region, (protocols & COSI_S3) != 0, VERIFY_NAME_MAX,
		       "region") < 0 ||
	    copy_field(call, &bucket->azure_account, (protocols & COSI_AZURE) != 0, VERIFY_NAME_MAX,
		       "azure_account") < 0 ||
	    copy_field(call, &bucket->gcs_project, (protocols & COSI_GCS) != 0, VERIFY_NAME_MAX,
		       "gcs_project") < 0 ||
	    copy_field(call, &bucket->params, false, VERIFY_NAME_MAX, "params tag") < 0)
		return -1;
	return verify_result(call, 0);
}

/* The fields that a workload needs must be there. */
static int
check_credentials(struct module_call *call, const struct cosi_access_req *req,
		  struct cosi_access *access)
{
	bool by_key = req->auth != COSI_AUTH_SERVICE_ACCOUNT;
	bool azure = req->protocol == COSI_AZURE, gcs = req->protocol == COSI_GCS;
	bool pair = by_key && !azure, account = !by_key && gcs;

	if (access->token_expires < 0)
		return reject(call, "a malformed", "token_expires");
	if (copy_field(call, &access->key_id, pair, VERIFY_NAME_MAX, "key_id") < 0 ||
	    copy_field(call, &access->key_secret, pair, VERIFY_SECRET_MAX, "key_secret") < 0 ||
	    copy_field(call, &access->token, by_key && azure, VERIFY_SAS_MAX, "token") < 0 ||
	    copy_field(call, &access->key_name, account, VERIFY_PATH_MAX, "key_name") < 0)
		return -1;
	return copy_field(call, &access->service_account, account, VERIFY_PATH_MAX,
			  "service_account");
}

int
verify_access(struct module_call *call, const struct cosi_access_req *req,
	      struct cosi_access *access)
{
	for (size_t i = 0; i < req->nbuckets; i++) {
		struct cosi_bucket *bucket = access->buckets[i];

		if (bucket->protocols == 0)
			bucket->protocols = req->protocol;
		if (verify_bucket(call, req->buckets[i]->native, req->protocol, bucket) < 0)
			return -1;
	}
	if (check_credentials(call, req, access) < 0)
		return -1;
	return verify_result(call, 0);
}

bool
verify_is_native(const struct module_call *call, const char *name)
{
	static const char charset[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-";
	size_t most = VERIFY_NAME_MAX - strlen(call->backend->name) - 1;

	return text_is_clean(name, 1, most) && strspn(name, charset) == strlen(name);
}
