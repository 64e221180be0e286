/* SPDX-License-Identifier: Apache-2.0
 * stores.c - stands in for core/module: the handlers, each watching that its locks are held. */
#undef NDEBUG
#include <assert.h>
#include <sched.h>
#include <stdio.h>

#include "fakes.h"

#include "banned.h"

struct generation *
generation_ref(struct generation *generation)
{
	atomic_fetch_add(&generation->refs, 1);
	return generation;
}

void
generation_unref(struct generation *generation)
{
	if (atomic_fetch_sub(&generation->refs, 1) > 1)
		return;
	for (struct later **at = &world.later; *at != NULL; at = &(*at)->next) {
		struct later *later = *at;

		if (generation != &later->generation)
			continue;
		*at = later->next;
		world.nclosed++;
		free(later);
		return;
	}
	world.closed = true;
}

void
backend_close(struct backend *backend)
{
	assert_non_null(backend->module);
	backend->module = NULL;
}

bool
backend_is_same(const struct backend *a, const struct backend *b)
{
	return a == b;
}

struct backend *
generation_find(const struct generation *generation, const char *name)
{
	for (size_t i = 0; i < generation->nbackends; i++) {
		if (strcmp(generation->backends[i].name, name) == 0)
			return &generation->backends[i];
	}
	return NULL;
}

void
module_call_init(struct module_call *call)
{
	call->unknown_ms = 0;
}

const char *
backend_map_name(struct module_call *call, uint32_t kind, const char *asked, bool exact)
{
	const struct cosi_module *module = call->backend->module;

	if (module->map_name == NULL)
		return asked;
	return module->map_name(NULL, &call->pub, kind, asked, exact);
}

static bool
conflicts(const struct store *store, const struct held *wanted)
{
	for (size_t i = 0; i < store->nheld; i++) {
		const struct held *held = &store->held[i];

		if (held->kind == wanted->kind && (held->exclusive || wanted->exclusive) &&
		    strcmp(held->native, wanted->native) == 0)
			return true;
	}
	return false;
}

static void
hold(struct store *store, uint32_t kind, const char *native, bool exclusive)
{
	struct held wanted = { .kind = kind, .exclusive = exclusive };

	(void)snprintf(wanted.native, sizeof wanted.native, "%s", native);
	if (conflicts(store, &wanted))
		world.broken_locks++;
	assert(store->nheld < INSIDE_MAX);
	store->held[store->nheld++] = wanted;
}

static void
let_go(struct store *store, uint32_t kind, const char *native)
{
	for (size_t i = 0; i < store->nheld; i++) {
		if (store->held[i].kind != kind || strcmp(store->held[i].native, native) != 0)
			continue;
		store->held[i] = store->held[--store->nheld];
		return;
	}
	assert(false);
}

/* Called with the mutex locked; releases it for a random number of turns of other threads. */
static void
dawdle(struct store *store)
{
	if (store->dawdle_turns == 0)
		return;
	store->seed = store->seed * 1664525u + 1013904223u;
	pthread_mutex_unlock(&world.mutex);
	for (unsigned n = (store->seed >> 8) % store->dawdle_turns; n > 0; n--)
		(void)sched_yield();
	pthread_mutex_lock(&world.mutex);
}

/* Into the store, with the mutex, and through its gate. */
static struct store *
enter(struct module_call *call, enum request_op op)
{
	struct store *store;

	pthread_mutex_lock(&world.mutex);
	store = world_store(call->backend->name);
	dawdle(store);
	store->calls[op]++;
	store->deadline_ms = call->deadline_ms;
	store->inside++;
	if (store->spec.needs > 0)
		(void)arena_alloc(call->arena, store->spec.needs); /* leave() looks */
	pthread_cond_broadcast(&world.changed);
	while (store->shut)
		pthread_cond_wait(&world.changed, &world.mutex);
	return store;
}

static int
leave(struct module_call *call, struct store *store, enum request_op op)
{
	int rc = 0;

	if (arena_failed(call->arena)) {
		rc = status_fail(call->status, COSI_EXHAUSTED, "the handler needs more memory");
	} else if (atomic_load(call->cancelled)) {
		store->cancelled++;
		rc = status_fail(call->status, COSI_TIMEOUT, "the call was cancelled");
	} else if (store->fails[op] != 0) {
		rc = status_fail(call->status, store->fails[op], "the store says no");
	}
	call->unknown_ms = store->unknown_ms[op];
	store->inside--;
	pthread_cond_broadcast(&world.changed);
	pthread_mutex_unlock(&world.mutex);
	return rc;
}

static void
describe(struct module_call *call, const struct store *store, const struct cosi_mark *mark,
	 const char *native, struct cosi_bucket *out)
{
	int i = world_place(store, native);

	assert(strcmp(mark->owner, FAKE_OWNER) == 0);
	*out = (struct cosi_bucket){
		.ours = store->buckets[i].ours &&
			(mark->name == NULL || strcmp(mark->name, store->buckets[i].marked) == 0),
		.protocols = store->speaks != 0 ? store->speaks : call->backend->module->protocols,
		.name = arena_strdup(call->arena, native),
		.endpoint = arena_strdup(call->arena, call->backend->public_url),
		.region = "here",
		.style = COSI_PATH_STYLE,
		.params = store->buckets[i].params[0] != '\0'
				  ? arena_strdup(call->arena, store->buckets[i].params)
				  : NULL,
	};
}

static void
note(struct store *store, const char *what, const char *native, const struct cosi_mark *mark)
{
	(void)snprintf(store->asked, sizeof store->asked, "%s %s name=%s params=%s", what, native,
		       mark->name != NULL ? mark->name : "-",
		       mark->params != NULL ? mark->params : "-");
}

static void
note_bucket(struct store *store, const char *what, const struct cosi_bucket_req *req)
{
	const struct own *own = req->params;
	size_t len;

	note(store, what, req->native, &req->mark);
	len = strlen(store->asked);
	(void)snprintf(store->asked + len, sizeof store->asked - len,
		       " protocols=%u set=%x region=%s quota=%lld purge=%d anonymous=%u color=%s "
		       "size=%lld",
		       req->protocols, req->common->set,
		       req->common->region != NULL ? req->common->region : "-",
		       (long long)req->common->quota_size, req->common->purge,
		       req->common->anonymous, own->color != NULL ? own->color : "-",
		       (long long)own->size);
}

static void
note_access(struct store *store, const char *what, const struct cosi_access_req *req)
{
	const struct own_access *own = req->params;

	note(store, what, req->native, &req->mark);
	for (size_t i = 0; i <= req->nbuckets; i++) {
		size_t len = strlen(store->asked);

		if (i < req->nbuckets)
			(void)snprintf(store->asked + len, sizeof store->asked - len, " %s:%u",
				       req->buckets[i]->native, req->buckets[i]->mode);
		else
			(void)snprintf(store->asked + len, sizeof store->asked - len,
				       " protocol=%u auth=%u shape=%s", req->protocol, req->auth,
				       own->shape);
	}
}

int
backend_create_bucket(struct module_call *call, const struct cosi_bucket_req *req,
		      struct cosi_bucket *out)
{
	struct store *store;
	int i, rc;

	pthread_mutex_lock(&world.mutex);
	hold(world_store(call->backend->name), COSI_BUCKET, req->native, true);
	pthread_mutex_unlock(&world.mutex);
	store = enter(call, REQUEST_CREATE);
	note_bucket(store, "create", req);
	let_go(store, COSI_BUCKET, req->native);
	i = world_place(store, req->native);
	if (i < 0)
		world_put(store, req->native, req->mark.name, req->mark.params);
	else if (strcmp(store->buckets[i].params, req->mark.params) != 0 || !store->buckets[i].ours)
		(void)status_fail(call->status, COSI_EXISTS, "it exists");
	describe(call, store, &req->mark, req->native, out);
	rc = leave(call, store, REQUEST_CREATE);
	return status_ok(call->status) ? rc : -1;
}

int
backend_get_bucket(struct module_call *call, const struct cosi_bucket_req *req,
		   struct cosi_bucket *out)
{
	struct store *store = enter(call, REQUEST_GET);

	if (store->spec.blind)
		(void)status_fail(call->status, COSI_UNSUPPORTED, "it cannot look up buckets");
	assert(req->common != NULL);
	assert(store->spec.strict || ((const struct own *)req->params)->color != NULL);
	if (world_place(store, req->native) >= 0)
		describe(call, store, &req->mark, req->native, out);
	else if (store->fails[REQUEST_GET] == 0)
		(void)status_fail(call->status, COSI_NOT_FOUND, "no such bucket");
	return leave(call, store, REQUEST_GET) < 0 || !status_ok(call->status) ? -1 : 0;
}

int
backend_delete_bucket(struct module_call *call, const struct cosi_bucket_req *req)
{
	struct store *store;
	int i;

	pthread_mutex_lock(&world.mutex);
	hold(world_store(call->backend->name), COSI_BUCKET, req->native, true);
	pthread_mutex_unlock(&world.mutex);
	store = enter(call, REQUEST_DELETE);
	note_bucket(store, "delete", req);
	let_go(store, COSI_BUCKET, req->native);
	i = world_place(store, req->native);
	if (i >= 0 && !store->buckets[i].ours)
		(void)status_fail(call->status, COSI_PRECONDITION, "it is not ours");
	else if (i >= 0 && store->fails[REQUEST_DELETE] == 0)
		store->buckets[i].there = false;
	return leave(call, store, REQUEST_DELETE) < 0 || !status_ok(call->status) ? -1 : 0;
}

static void
hold_access(struct module_call *call, const struct cosi_access_req *req, bool revoke)
{
	struct store *store = world_store(call->backend->name);
	bool edits = (store->module.flags & COSI_GRANT_WRITES_BUCKET) != 0;

	hold(store, COSI_ACCOUNT, req->native, true);
	for (size_t i = 0; i < req->nbuckets && (edits || !revoke); i++)
		hold(store, COSI_BUCKET, req->buckets[i]->native, edits);
}

static void
let_go_access(struct store *store, const struct cosi_access_req *req, bool revoke)
{
	bool edits = (store->module.flags & COSI_GRANT_WRITES_BUCKET) != 0;

	let_go(store, COSI_ACCOUNT, req->native);
	for (size_t i = 0; i < req->nbuckets && (edits || !revoke); i++)
		let_go(store, COSI_BUCKET, req->buckets[i]->native);
}

int
backend_grant(struct module_call *call, const struct cosi_access_req *req, struct cosi_access *out)
{
	struct cosi_bucket **list = arena_alloc(call->arena, req->nbuckets * sizeof list[0]);
	struct store *store;

	pthread_mutex_lock(&world.mutex);
	hold_access(call, req, false);
	pthread_mutex_unlock(&world.mutex);
	store = enter(call, REQUEST_GRANT);
	note_access(store, "grant", req);
	let_go_access(store, req, false);
	for (size_t i = 0; list != NULL && i < req->nbuckets; i++) {
		list[i] = arena_alloc(call->arena, sizeof *list[i]);
		if (list[i] != NULL)
			list[i]->name = arena_strdup(call->arena, req->buckets[i]->native);
	}
	*out = (struct cosi_access){ .buckets = list, .key_id = "key", .key_secret = "secret" };
	return leave(call, store, REQUEST_GRANT);
}

int
backend_revoke(struct module_call *call, const struct cosi_access_req *req)
{
	struct store *store;

	pthread_mutex_lock(&world.mutex);
	hold_access(call, req, true);
	pthread_mutex_unlock(&world.mutex);
	store = enter(call, REQUEST_REVOKE);
	note_access(store, "revoke", req);
	let_go_access(store, req, true);
	return leave(call, store, REQUEST_REVOKE);
}
