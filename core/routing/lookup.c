/* SPDX-License-Identifier: Apache-2.0
 * lookup.c - one question to several stores, and what their answers mean. */
#include "routing/lookup.h"

#include <stdio.h>
#include <string.h>

#include "base/secret.h"
#include "config/config.h"
#include "routing/plan.h"

#include "banned.h"

struct lookup *
lookup_new(const struct plan *plan, const char *name)
{
	struct lookup *lookup = arena_alloc(plan->arena, sizeof *lookup);
	size_t n = plan->generation->nbackends;

	if (lookup == NULL)
		return NULL;
	lookup->name = name;
	lookup->candidates = arena_alloc(plan->arena, n * sizeof lookup->candidates[0]);
	return lookup->candidates != NULL ? lookup : NULL;
}

void
lookup_add(struct lookup *lookup, struct backend *backend, const char *native,
	   const struct backend *preferred)
{
	struct candidate *candidate = &lookup->candidates[lookup->ncandidates++];
	struct status reason = { 0 };

	*candidate = (struct candidate){ .backend = backend, .native = native };
	if (backend->left_out != NULL) {
		backend_fail_left_out(backend, &reason);
		lookup_failed(lookup, candidate, &reason);
	}
	if (backend != preferred)
		return;
	if (candidate != lookup->candidates) {
		struct candidate first = *candidate;

		memmove(lookup->candidates + 1, lookup->candidates,
			(lookup->ncandidates - 1) * sizeof first);
		lookup->candidates[0] = first;
	}
	lookup->has_preferred = true;
}

struct candidate *
lookup_next(const struct lookup *lookup)
{
	if (lookup->has_preferred && lookup->candidates[0].answer == CANDIDATE_HAS)
		return NULL;
	for (size_t i = 0; i < lookup->ncandidates; i++)
		if (lookup->candidates[i].answer == CANDIDATE_OPEN)
			return &lookup->candidates[i];
	return NULL;
}

void
lookup_failed(struct lookup *lookup, struct candidate *candidate, const struct status *reason)
{
	candidate->answer = CANDIDATE_FAILED;
	if (lookup->failed != NULL)
		return;
	lookup->failed = candidate->backend->name;
	lookup->failure = *reason;
}

/* The answers of the stores lie in an arena of their own: one store cannot use up the memory that
 * the call needs for the others. */
void
lookup_ask(const struct plan *plan, struct candidate *candidate)
{
	struct lookup *lookup = plan->lookup;
	struct log_fields fields = *plan->fields;
	struct cosi_bucket bucket = { 0 };
	struct status status = { 0 };
	struct module_call call;
	struct arena arena;

	arena_init(&arena, MODULE_CALL_MEMORY);
	fields.backend = candidate->backend->name;
	plan_module_call(plan, candidate->backend, &arena, &status, &call);
	call.fields = &fields;
	if (work_look(&call, plan->generation->config->owner, candidate->native, lookup->tag_name,
		      &bucket) == 0)
		candidate->answer =
			lookup->owned_only && !bucket.ours ? CANDIDATE_LACKS : CANDIDATE_HAS;
	else if (status.code == COSI_NOT_FOUND || status.code == COSI_UNSUPPORTED)
		candidate->answer = CANDIDATE_LACKS;
	else
		lookup_failed(lookup, candidate, &status);
	arena_done(&arena);
}

struct backend *
lookup_decide(const struct lookup *lookup, struct status *status)
{
	enum { NAMES_MAX = 512 };
	struct backend *owner = NULL;
	char owners[NAMES_MAX] = "";
	size_t nowners = 0, len = 0;

	if (lookup->has_preferred && lookup->candidates[0].answer == CANDIDATE_HAS)
		return lookup->candidates[0].backend;
	for (size_t i = 0; i < lookup->ncandidates; i++) {
		struct backend *backend = lookup->candidates[i].backend;

		if (lookup->candidates[i].answer != CANDIDATE_HAS)
			continue;
		if (len < NAMES_MAX)
			len += (size_t)snprintf(owners + len, NAMES_MAX - len, "%s'%s'",
						nowners > 0 ? ", " : "", backend->name);
		if (nowners++ == 0)
			owner = backend;
	}
	if (nowners > 1) {
		status_fail(status, COSI_PRECONDITION,
			    "bucket '%s' is ambiguous: backends %s have one of that name",
			    secret_shown(lookup->name).text, owners);
		return NULL;
	}
	if (lookup->failed != NULL && (nowners == 0 || lookup->all_must_answer)) {
		status_fail(status, COSI_UNAVAILABLE,
			    "cannot determine which backend has bucket '%s': backend '%s' "
			    "cannot tell: %s",
			    secret_shown(lookup->name).text, lookup->failed, lookup->failure.text);
		return NULL;
	}
	if (nowners == 1)
		return owner;
	if (lookup->fallback == NULL)
		*status = lookup->why;
	return lookup->fallback;
}
