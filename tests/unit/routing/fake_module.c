/* SPDX-License-Identifier: Apache-2.0
 * fake_module.c - core/module, as far as a plan needs it: names are mapped, and no store is asked.
 */
#include "config/config.h"
#include "module/backend.h"
#include "rig.h"

#include "banned.h"

struct backend *
generation_find(const struct generation *generation, const char *name)
{
	for (size_t i = 0; i < generation->nbackends; i++)
		if (strcmp(generation->backends[i].name, name) == 0)
			return &generation->backends[i];
	return NULL;
}

void
module_call_init(struct module_call *call)
{
	(void)call;
}

/* Stores of this test have names of at most 20 bytes, and refuse longer ones that must stay; blob
 * takes any.  A success after a failure is that failure, as in core/module. */
const char *
backend_map_name(struct module_call *call, uint32_t kind, const char *asked, bool exact)
{
	if (!status_ok(call->status))
		return NULL;
	if (strlen(asked) <= 20 || kind == COSI_ACCOUNT || strcmp(call->backend->name, "blob") == 0)
		return asked;
	if (!exact)
		return arena_strndup(call->arena, asked, 20);
	status_fail(call->status, COSI_INVALID, "too long");
	return NULL;
}

/* No plan asks a store. */
int
backend_create_bucket(struct module_call *call, const struct cosi_bucket_req *req,
		      struct cosi_bucket *out)
{
	(void)call, (void)req, (void)out;
	fail();
	return -1;
}

int
backend_get_bucket(struct module_call *call, const struct cosi_bucket_req *req,
		   struct cosi_bucket *out)
{
	return backend_create_bucket(call, req, out);
}

int
backend_delete_bucket(struct module_call *call, const struct cosi_bucket_req *req)
{
	return backend_create_bucket(call, req, NULL);
}

int
backend_grant(struct module_call *call, const struct cosi_access_req *req, struct cosi_access *out)
{
	(void)call, (void)req, (void)out;
	fail();
	return -1;
}

int
backend_revoke(struct module_call *call, const struct cosi_access_req *req)
{
	return backend_grant(call, req, NULL);
}
