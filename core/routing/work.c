/* SPDX-License-Identifier: Apache-2.0
 * work.c - runs the module's handler and completes its answer. */
#include <string.h>

#include "base/secret.h"
#include "config/config.h"
#include "routing/plan.h"
#include "routing/route.h"

#include "banned.h"

int
work_look(struct module_call *call, const char *owner, const char *native, const char *tag_name,
	  struct cosi_bucket *out)
{
	const struct cosi_schema *schema = &call->backend->module->bucket_params;
	const struct cosi_bucket_params common = { 0 };
	void *defaults = arena_alloc(call->arena, schema->size);
	const char *error;

	if (defaults == NULL)
		return status_no_memory(call->status);
	if (config_params(schema, NULL, 0, false, defaults, call->arena, NULL, &error) < 0)
		return status_fail(call->status,
				   arena_failed(call->arena) ? COSI_EXHAUSTED : COSI_INTERNAL,
				   "module '%s': %s", call->backend->module->name, error);
	return backend_get_bucket(call,
				  &(struct cosi_bucket_req){
					  .native = native,
					  .mark = { .owner = owner, .name = tag_name },
					  .common = &common,
					  .params = defaults,
				  },
				  out);
}

static int
answer_bucket(const struct plan *plan, struct answer *answer)
{
	uint32_t served = plan->backend->module->protocols, asked = plan->req->protocols;

	answer->id = plan->id;
	answer->protocol = served & -served;
	if ((answer->bucket.protocols & asked) != asked)
		return status_fail(plan->status, COSI_INVALID,
				   "bucket '%s' supports %s, requested: %s", answer->bucket.name,
				   route_protocol_names(answer->bucket.protocols),
				   route_protocol_names(asked));
	return 0;
}

static int
refuse_foreign(const struct plan *plan, const char *native)
{
	return status_fail(plan->status, COSI_PRECONDITION,
			   "cosid did not create bucket '%s', and existing_buckets of backend '%s' "
			   "does not permit it",
			   native, plan->backend->name);
}

static int
run_get(const struct plan *plan, struct module_call *call, struct answer *answer)
{
	const struct cosi_bucket_req *req = &plan->bucket;
	struct cosi_bucket *bucket = &answer->bucket;

	if (backend_get_bucket(call, req, bucket) < 0)
		return -1;
	if (!bucket->ours && !route_permits(plan->backend, req->native))
		return refuse_foreign(plan, req->native);
	if (bucket->ours && req->mark.params != NULL && bucket->params != NULL &&
	    strcmp(bucket->params, req->mark.params) != 0)
		return status_fail(plan->status, COSI_EXISTS,
				   "bucket '%s' was created with other parameters", req->native);
	return answer_bucket(plan, answer);
}

static int
run_grant(const struct plan *plan, struct module_call *call, struct answer *answer)
{
	const struct cosi_access_req *req = &plan->access;
	const struct request *asked = plan->req;
	struct cosi_bucket **buckets;

	/* Where existing_buckets limits what may be used, cosid must have created the others. */
	for (size_t i = 0; i < req->nbuckets; i++) {
		const char *native = req->buckets[i]->native;
		struct cosi_bucket bucket = { 0 };

		if (route_permits(plan->backend, native))
			continue;
		if (work_look(call, plan->generation->config->owner, native, NULL, &bucket) < 0)
			return -1;
		if (!bucket.ours)
			return refuse_foreign(plan, native);
	}
	if (backend_grant(call, req, &answer->access) < 0)
		return -1;
	answer->id = plan->id;
	answer->protocol = req->protocol;
	/* The module's buckets are sorted and without repetitions; the client's are as it named
	 * them. */
	buckets = arena_alloc(plan->arena, asked->nbuckets * sizeof buckets[0]);
	for (size_t i = 0; buckets != NULL && i < asked->nbuckets; i++) {
		for (size_t j = 0; j < req->nbuckets; j++)
			if (strcmp(req->buckets[j]->native, plan->natives[i]) == 0)
				buckets[i] = answer->access.buckets[j];
	}
	answer->access.buckets = buckets;
	return 0;
}

void
work_run(const struct plan *plan, struct answer *answer, struct work_result *out)
{
	struct status *status = plan->status;
	const char *module = plan->backend->module->name;
	enum request_op op = plan->req->op;
	struct module_call call;
	int rc = -1;

	*out = (struct work_result){ 0 };
	plan_module_call(plan, plan->backend, plan->arena, status, &call);
	switch (op) {
	case REQUEST_CREATE:
		rc = backend_create_bucket(&call, &plan->bucket, &answer->bucket);
		if (rc == 0)
			rc = answer_bucket(plan, answer);
		break;
	case REQUEST_GET:
		rc = run_get(plan, &call, answer);
		break;
	case REQUEST_DELETE:
		rc = backend_delete_bucket(&call, &plan->bucket);
		break;
	case REQUEST_GRANT:
		rc = run_grant(plan, &call, answer);
		break;
	case REQUEST_REVOKE:
		rc = backend_revoke(&call, &plan->access);
		break;
	}
	out->unknown_ms = call.unknown_ms;
	if (rc < 0 && status_ok(status))
		status_fail(status, COSI_INTERNAL, "module '%s' gave no reason", module);
	if (status_ok(status) && arena_failed(plan->arena))
		status_fail(status, COSI_EXHAUSTED, "the call needs too much memory");
	if (status->code != COSI_NOT_FOUND)
		return;
	/* Clients take NOT_FOUND for "gone": it is passed on only where that is certain. */
	if (op == REQUEST_DELETE || op == REQUEST_REVOKE) {
		status->code = COSI_OK;
		status_fail(status, COSI_INTERNAL, "module '%s' answered NOT_FOUND", module);
	} else if (plan->orphan != NULL) {
		out->misrouted = true;
		status->code = COSI_OK;
		status_fail(status, COSI_PRECONDITION, "'%s' names no backend",
			    secret_shown(plan->orphan).text);
	}
}
