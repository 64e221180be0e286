/* SPDX-License-Identifier: Apache-2.0
 * plan_bucket.c - the module's part of a call for a bucket, and what it shares with an access.
 */
#include "config/config.h"
#include "routing/id.h"
#include "routing/param_hash.h"
#include "routing/plan.h"
#include "routing/route.h"

#include "banned.h"

void
plan_module_call(const struct plan *plan, struct backend *backend, struct arena *arena,
		 struct status *status, struct module_call *out)
{
	*out = (struct module_call){
		.arena = arena,
		.status = status,
		.backend = backend,
		.deadline_ms = plan->deadline_ms,
		.cancelled = plan->cancelled,
		.fields = plan->fields,
	};
	module_call_init(out);
}

/* ---- locks -------------------------------------------------------------------------- */

int
plan_lock_room(struct plan *plan, size_t n)
{
	plan->locks = arena_alloc(plan->arena, n * sizeof plan->locks[0]);
	return plan->locks != NULL ? 0 : -1;
}

void
plan_lock_add(struct plan *plan, uint32_t kind, const struct backend *backend, const char *native,
	      bool exclusive)
{
	plan->locks[plan->nlocks++] = (struct plan_lock){
		.name = arena_printf(plan->arena, "%c:%s.%s", kind == COSI_BUCKET ? 'b' : 'a',
				     backend->name, native),
		.exclusive = exclusive,
	};
}

/* ---- what the module is asked -------------------------------------------------------- */

const char *
plan_native_of(const struct plan *plan, const char *id)
{
	const char *native = id;

	(void)id_backend(plan->generation, id, &native);
	return native;
}

int
plan_check_protocols(const struct plan *plan)
{
	const struct backend *backend = plan->backend;

	if (route_serves(backend, plan->req->protocols))
		return 0;
	return status_fail(plan->status, COSI_INVALID, "backend '%s' supports %s, requested: %s",
			   backend->name, route_protocol_names(backend->module->protocols),
			   route_protocol_names(plan->req->protocols));
}

int
plan_bucket(struct plan *plan)
{
	const struct request *req = plan->req;
	const struct params *params = &plan->params;

	plan->id = id_format(plan->arena, plan->backend->name, plan->native, plan->status);
	if (plan->id == NULL || plan_check_protocols(plan) < 0 ||
	    params_read(&plan->params, req, plan->backend->module, plan->arena, plan->status) < 0)
		return -1;
	plan->bucket = (struct cosi_bucket_req){
		.native = plan->native,
		.mark = { .owner = plan->generation->config->owner },
		.protocols = req->protocols,
		.common = params->common,
		.params = params->own,
	};
	if (req->op == REQUEST_CREATE)
		plan->bucket.mark.name = req->name;
	if (req->op == REQUEST_CREATE || (req->op == REQUEST_GET && params->ngiven > 0))
		plan->bucket.mark.params =
			param_hash(params->given, params->ngiven, NULL, 0, plan->arena);
	/* A Create that had to look up its backend has its locks already. */
	if (req->op == REQUEST_GET || plan->nlocks > 0)
		return 0;
	if (plan_lock_room(plan, 1) < 0)
		return -1;
	plan_lock_add(plan, COSI_BUCKET, plan->backend, plan->native, true);
	return 0;
}
