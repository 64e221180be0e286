/* SPDX-License-Identifier: Apache-2.0
 * list.c - what a store has of ours, and what there is to see of a backend itself. */
#include <stdio.h>
#include <string.h>

#include "base/charge.h"
#include "base/parse.h"
#include "module/backend.h"
#include "module/instance.h"
#include "module/text.h"
#include "module/verify.h"

#include "banned.h"

/* Marks are as the store keeps them: ours, but who knows who wrote them. */
enum { MARK_MAX = 256 };

static bool
is_mark(const char *text)
{
	return text == NULL || text_is_clean(text, 0, MARK_MAX);
}

static int
take_found(struct cosi_call *pub, const struct cosi_found *told)
{
	struct module_call *call = (struct module_call *)pub;
	/* A module built before a field was added has a shorter struct. */
	struct cosi_found found = { 0 };

	if (!status_ok(call->status))
		return -1;
	memcpy(&found, told, told->size < sizeof found ? told->size : sizeof found);
	found.size = sizeof found;
	if ((found.kind != COSI_BUCKET && found.kind != COSI_ACCOUNT) ||
	    !text_is_clean(found.native, 1, VERIFY_PATH_MAX) || !is_mark(found.mark.owner) ||
	    !is_mark(found.mark.name) || !is_mark(found.mark.params))
		return status_fail(call->status, COSI_INTERNAL,
				   "module '%s' answered with a malformed line of a list",
				   call->backend->module->name);
	return call->list->found(call->list->arg, &found);
}

int
backend_list(struct module_call *call, const char *owner, const struct backend_list *list)
{
	CHARGE_SCOPE(call->arena);
	const struct backend *backend = call->backend;
	const struct instance *instance = instance_of(backend);

	if (backend->module->list == NULL)
		return status_fail(call->status, COSI_UNSUPPORTED,
				   "backend '%s' (module '%s') cannot list what it has",
				   backend->name, backend->module->name);
	call->list = list;
	return verify_result(
		call, backend->module->list(instance->handle, &call->pub, owner, take_found));
}

void
backend_look(const struct backend *backend, struct backend_look *out)
{
	const struct instance *instance = instance_of(backend);
	const struct module_file *file = &instance->image->file;
	struct http_open_breaker open[BACKEND_OPEN_MAX];

	*out = (struct backend_look){ .file = file->source, .endpoint = instance->endpoint };
	parse_hex(file->hash, MODULE_HASH_LEN, out->hash);
	if (instance->client != NULL)
		out->nopen = http_open_breakers(instance->client, BACKEND_OPEN_MAX, open);
	for (size_t i = 0; i < out->nopen; i++) {
		out->open[i].url = open[i].base;
		out->open[i].since_s = open[i].since_s;
		memcpy(out->open[i].error, open[i].last_error, sizeof out->open[i].error);
	}
}
