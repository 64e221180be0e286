/* SPDX-License-Identifier: Apache-2.0
 * call.c - calls are made, named in texts, answered and freed. */
#include "sched/call.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/secret.h"

#include "banned.h"

struct call *
call_new(void)
{
	struct call *call = calloc(1, sizeof *call);

	if (call == NULL)
		return NULL;
	arena_init(&call->arena, MODULE_CALL_MEMORY);
	atomic_init(&call->owners, CALL_OWNER_RPC);
	return call;
}

void
call_release(struct call *call, enum call_owner owner)
{
	unsigned before = atomic_fetch_and(&call->owners, ~(unsigned)owner);

	assert((before & owner) != 0);
	if (before != (unsigned)owner)
		return;
	assert(call->generation == NULL);
	arena_done(&call->arena);
	free(call);
}

void
call_set_phase(struct call *call, enum call_phase phase)
{
	static const unsigned before[] = {
		[CALL_LOCKING] = 1u << CALL_NEW | 1u << CALL_RUNNING,
		[CALL_QUEUED] = 1u << CALL_LOCKING,
		[CALL_READY] = 1u << CALL_QUEUED,
		[CALL_RUNNING] = 1u << CALL_READY,
		[CALL_QUARANTINED] = 1u << CALL_RUNNING,
		[CALL_DONE] = 1u << CALL_NEW | 1u << CALL_LOCKING | 1u << CALL_QUEUED |
			      1u << CALL_READY | 1u << CALL_RUNNING | 1u << CALL_QUARANTINED,
		[CALL_ENDED] = 1u << CALL_DONE,
	};

	assert((before[phase] & 1u << call->phase) != 0);
	(void)before;
	call->phase = phase;
}

int
call_make_tickets(struct call *call)
{
	struct lock_set *locks = &call->locks;
	size_t n = call->plan.nlocks;

	if (locks->drawn)
		return 0;
	locks->tickets = arena_alloc(&call->arena, n * sizeof locks->tickets[0]);
	if (locks->tickets == NULL)
		return status_fail(&call->status, COSI_EXHAUSTED,
				   "the request needs too much memory");
	for (size_t i = 0; i < n; i++)
		locks->tickets[i] = (struct ticket){ .name = call->plan.locks[i].name,
						     .exclusive = call->plan.locks[i].exclusive };
	locks->n = n;
	return 0;
}

/* ---- names for people ----------------------------------------------------------------- */

const struct log_fields *
call_fields(const struct call *call)
{
	return &call->fields;
}

/* Of several buckets the first. */
void
call_init_fields(struct call *call)
{
	const struct request *req = &call->req;
	const char *bucket = req->nbuckets > 0 ? req->buckets[0].id : NULL;
	struct log_fields *fields = &call->fields;

	*fields = (struct log_fields){ .api = req->api, .method = req->method, .ms = -1 };
	switch (req->op) {
	case REQUEST_CREATE:
		fields->name = req->name;
		break;
	case REQUEST_GET:
	case REQUEST_DELETE:
		fields->bucket = req->id;
		break;
	case REQUEST_GRANT:
		fields->bucket = bucket;
		fields->name = req->name;
		break;
	case REQUEST_REVOKE:
		fields->bucket = bucket;
		fields->account = req->id;
		break;
	}
}

const char *
call_title(const struct call *call, char out[CALL_TITLE_MAX])
{
	static const char *const verbs[] = {
		[REQUEST_CREATE] = "create bucket", [REQUEST_GET] = "get bucket",
		[REQUEST_DELETE] = "delete bucket", [REQUEST_GRANT] = "grant access for",
		[REQUEST_REVOKE] = "revoke",
	};
	const struct request *req = &call->req;
	bool by_name = req->op == REQUEST_CREATE || req->op == REQUEST_GRANT;
	const char *object = by_name ? req->name : req->id;

	(void)snprintf(out, CALL_TITLE_MAX, "%s '%s'", verbs[req->op], secret_shown(object).text);
	return out;
}

void
call_add_title(struct call *call)
{
	char title[CALL_TITLE_MAX];

	status_fail(&call->status, COSI_OK, "cannot %s", call_title(call, title));
}

/* ---- the reply -------------------------------------------------------------------------- */

/* The handler may be using the arena: the texts here need none. */
void
call_send_reply(struct call *call)
{
	const char *backend = call->awaited != NULL ? call->awaited : call->fields.backend;
	struct status status = { 0 };
	char title[CALL_TITLE_MAX];

	(void)call_title(call, title);
	switch (call->reason) {
	case REPLY_RESULT:
		call->reply(call, &call->status);
		return;
	case REPLY_QUEUE_TIMEOUT:
		status_fail(&status, COSI_TIMEOUT,
			    "cannot %s: the deadline passed in the queue of backend '%s'", title,
			    backend);
		break;
	case REPLY_WORK_TIMEOUT:
		if (call->awaited == NULL)
			status_fail(&status, COSI_TIMEOUT,
				    "cannot %s: the deadline passed; the work may continue in the "
				    "store",
				    title);
		else
			status_fail(&status, COSI_TIMEOUT,
				    "cannot %s: cannot determine which backend has bucket "
				    "'%s': backend '%s' did not answer before the deadline",
				    title, secret_shown(call->plan.lookup->name).text,
				    call->awaited);
		break;
	case REPLY_CANCELLED:
		status_fail(&status, COSI_TIMEOUT, "cannot %s: the client cancelled the call",
			    title);
		break;
	case REPLY_STOPPED:
		status_fail(&status, COSI_UNAVAILABLE, "cannot %s: cosid is stopping", title);
		break;
	}
	call->reply(call, &status);
}
