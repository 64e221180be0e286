/* SPDX-License-Identifier: Apache-2.0
 * find.c - one question to several stores, and what their answers mean. */
#include "router/find.h"

#include <stdio.h>

#include "config/config.h"
#include "router/state.h"

#include "banned.h"

enum { NAMES_MAX = 512 };

struct find *
find_new(struct call_state *state, const char *name)
{
	struct arena *arena = &state->call->arena;
	struct find *find = arena_alloc(arena, sizeof *find);
	size_t n = state->generation->nbackends;

	if (find == NULL)
		return NULL;
	find->name = name;
	find->asks = arena_alloc(arena, n * sizeof find->asks[0]);
	return find->asks != NULL ? find : NULL;
}

void
find_add(struct find *find, struct call_state *state, struct backend *backend, const char *native,
	 const struct backend *first)
{
	struct ask *ask = &find->asks[find->nasks++];

	*ask = (struct ask){ .owner = state, .backend = backend, .native = native };
	arena_init(&ask->arena, MODULE_CALL_MEMORY);
	if (backend == first)
		find->picked = ask;
}

void
find_done(struct find *find)
{
	for (size_t i = 0; find != NULL && i < find->nasks; i++)
		arena_done(&find->asks[i].arena);
}

static enum ask_result
result_of(const struct ask *ask, int rc, const struct cosi_bucket *bucket)
{
	if (rc == 0)
		return ask->owner->find->ours && !bucket->ours ? ASK_LACKS : ASK_HAS;
	if (ask->status.code == COSI_NOT_FOUND || ask->status.code == COSI_UNSUPPORTED)
		return ASK_LACKS;
	return ASK_FAILED;
}

void
find_ask(struct ask *ask)
{
	const struct call_state *state = ask->owner;
	struct cosi_bucket bucket = { 0 };
	struct module_call call;
	int rc;

	ask->fields = state->fields;
	ask->fields.backend = ask->backend->name;
	work_module_call(state, ask->backend, &ask->arena, &ask->status, &call);
	call.fields = &ask->fields;
	rc = work_look(&call, state->generation->config->owner, ask->native, state->find->mark_name,
		       &bucket);
	ask->result = result_of(ask, rc, &bucket);
}

static const char *
names_of(const struct find *find, enum ask_result result, char out[NAMES_MAX])
{
	size_t len = 0;

	out[0] = '\0';
	for (size_t i = 0; i < find->nasks && len < NAMES_MAX; i++) {
		if (find->asks[i].result == result)
			len += (size_t)snprintf(out + len, NAMES_MAX - len, "%s'%s'",
						len > 0 ? ", " : "", find->asks[i].backend->name);
	}
	return out;
}

static size_t
count(const struct find *find, enum ask_result result, const struct ask **out_first)
{
	size_t n = 0;

	for (size_t i = 0; i < find->nasks; i++) {
		if (find->asks[i].result == result && n++ == 0)
			*out_first = &find->asks[i];
	}
	return n;
}

struct backend *
find_decide(const struct find *find, struct status *status)
{
	const struct ask *owner = NULL, *failed = NULL;
	size_t nowners = count(find, ASK_HAS, &owner), nfailed = count(find, ASK_FAILED, &failed);
	char names[NAMES_MAX];

	if (find->picked != NULL && find->picked->result == ASK_HAS)
		return find->picked->backend;
	if (nowners > 1) {
		status_fail(status, COSI_PRECONDITION,
			    "cannot tell which bucket '%.160s' is meant: backends %s have one",
			    find->name, names_of(find, ASK_HAS, names));
		return NULL;
	}
	if (nfailed > 0 && (nowners == 0 || find->all_must_answer)) {
		status_fail(status, COSI_UNAVAILABLE,
			    "cannot tell where bucket '%.160s' is: backend '%s' cannot say: %s",
			    find->name, failed->backend->name, failed->status.text);
		return NULL;
	}
	if (nowners == 1)
		return owner->backend;
	if (find->otherwise == NULL)
		*status = find->why;
	return find->otherwise;
}
