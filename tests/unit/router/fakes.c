/* SPDX-License-Identifier: Apache-2.0
 * fakes.c - the layer below the router, scripted by a test. */
#include "fakes.h"

#undef NDEBUG
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

#include "banned.h"

enum { BUCKETS_MAX = 64, INSIDE_MAX = 256, OPS = REQUEST_REVOKE + 1 };

struct held {
	uint32_t kind;
	bool exclusive;
	char native[160];
};

struct store {
	struct fake_spec spec;
	struct config_backend config;
	struct cosi_module module;
	struct {
		char native[160], marked[160], params[80];
		bool there, ours;
	} buckets[BUCKETS_MAX];
	uint32_t fails[OPS];
	int64_t unknown_ms[OPS];
	unsigned calls[OPS], inside, cancelled;
	bool shut;
	unsigned dawdle_us, seed;
	struct held held[INSIDE_MAX];
	size_t nheld;
	char asked[4096];
};

static struct {
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	struct store *stores;
	size_t n;
	unsigned broken_locks;
	struct config config;
	struct generation generation;
	bool closed; /* the last reference of the generation was given back */
} world = { .mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };

struct own {
	const char *color;
	int64_t size;
};
static const struct cosi_key own_keys[] = {
	COSI_STRING(struct own, color, 0, "grey", "a colour"),
	COSI_SIZE(struct own, size, 0, NULL, "a size"),
};
struct own_access {
	const char *shape;
};
static const struct cosi_key access_keys[] = {
	COSI_STRING(struct own_access, shape, 0, "round", "a shape"),
};

static struct store *
store_of(const char *backend)
{
	for (size_t i = 0; i < world.n; i++) {
		if (strcmp(world.stores[i].spec.name, backend) == 0)
			return &world.stores[i];
	}
	assert(!"a backend of that name");
	return NULL;
}

/* ---- what stands in for core/module ------------------------------------------------ */

struct generation *
generation_ref(struct generation *generation)
{
	atomic_fetch_add(&generation->refs, 1);
	return generation;
}

void
generation_unref(struct generation *generation)
{
	if (atomic_fetch_sub(&generation->refs, 1) == 1)
		world.closed = true;
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
	assert(!"held");
}

/* With the mutex, which it opens meanwhile. */
static void
dawdle(struct store *store)
{
	struct timespec time = { 0 };

	if (store->dawdle_us == 0)
		return;
	store->seed = store->seed * 1664525u + 1013904223u;
	time.tv_nsec = (long)((store->seed >> 8) % store->dawdle_us) * 1000;
	pthread_mutex_unlock(&world.mutex);
	(void)nanosleep(&time, NULL);
	pthread_mutex_lock(&world.mutex);
}

/* Into the store, with the mutex, and through its gate. */
static struct store *
enter(struct module_call *call, enum request_op op)
{
	struct store *store;

	pthread_mutex_lock(&world.mutex);
	store = store_of(call->backend->name);
	dawdle(store);
	store->calls[op]++;
	store->inside++;
	pthread_cond_broadcast(&world.changed);
	while (store->shut)
		pthread_cond_wait(&world.changed, &world.mutex);
	return store;
}

static int
leave(struct module_call *call, struct store *store, enum request_op op)
{
	int rc = 0;

	if (atomic_load(call->cancelled)) {
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

static int
place_of(const struct store *store, const char *native)
{
	for (int i = 0; i < BUCKETS_MAX; i++) {
		if (store->buckets[i].there && strcmp(store->buckets[i].native, native) == 0)
			return i;
	}
	return -1;
}

static void
put(struct store *store, const char *native, const char *marked, const char *params)
{
	int i = place_of(store, native);

	for (int j = 0; i < 0 && j < BUCKETS_MAX; j++) {
		if (!store->buckets[j].there)
			i = j;
	}
	assert(i >= 0);
	store->buckets[i].there = true;
	store->buckets[i].ours = marked != NULL;
	(void)snprintf(store->buckets[i].native, sizeof store->buckets[i].native, "%s", native);
	(void)snprintf(store->buckets[i].marked, sizeof store->buckets[i].marked, "%s",
		       marked != NULL ? marked : "");
	(void)snprintf(store->buckets[i].params, sizeof store->buckets[i].params, "%s",
		       params != NULL ? params : "");
}

static void
describe(struct module_call *call, const struct store *store, const struct cosi_mark *mark,
	 const char *native, struct cosi_bucket *out)
{
	int i = place_of(store, native);

	assert(strcmp(mark->owner, FAKE_OWNER) == 0);
	*out = (struct cosi_bucket){
		.ours = store->buckets[i].ours &&
			(mark->name == NULL || strcmp(mark->name, store->buckets[i].marked) == 0),
		.protocols = call->backend->module->protocols,
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
		       req->common->anonymous, own->color, (long long)own->size);
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
	hold(store_of(call->backend->name), COSI_BUCKET, req->native, true);
	pthread_mutex_unlock(&world.mutex);
	store = enter(call, REQUEST_CREATE);
	note_bucket(store, "create", req);
	let_go(store, COSI_BUCKET, req->native);
	i = place_of(store, req->native);
	if (i < 0)
		put(store, req->native, req->mark.name, req->mark.params);
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
	assert(((const struct own *)req->params)->color != NULL);
	if (place_of(store, req->native) >= 0)
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
	hold(store_of(call->backend->name), COSI_BUCKET, req->native, true);
	pthread_mutex_unlock(&world.mutex);
	store = enter(call, REQUEST_DELETE);
	note_bucket(store, "delete", req);
	let_go(store, COSI_BUCKET, req->native);
	i = place_of(store, req->native);
	if (i >= 0 && !store->buckets[i].ours)
		(void)status_fail(call->status, COSI_PRECONDITION, "it is not ours");
	else if (i >= 0 && store->fails[REQUEST_DELETE] == 0)
		store->buckets[i].there = false;
	return leave(call, store, REQUEST_DELETE) < 0 || !status_ok(call->status) ? -1 : 0;
}

static void
hold_access(struct module_call *call, const struct cosi_access_req *req, bool revoke)
{
	struct store *store = store_of(call->backend->name);
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
	for (size_t i = 0; i < req->nbuckets; i++) {
		list[i] = arena_alloc(call->arena, sizeof *list[i]);
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

/* ---- the script -------------------------------------------------------------------- */

void
fake_has(const char *backend, const char *native, const char *marked, const char *params)
{
	pthread_mutex_lock(&world.mutex);
	put(store_of(backend), native, marked, params);
	pthread_mutex_unlock(&world.mutex);
}

bool
fake_has_bucket(const char *backend, const char *native)
{
	bool there;

	pthread_mutex_lock(&world.mutex);
	there = place_of(store_of(backend), native) >= 0;
	pthread_mutex_unlock(&world.mutex);
	return there;
}

void
fake_fails(const char *backend, enum request_op op, uint32_t code)
{
	pthread_mutex_lock(&world.mutex);
	store_of(backend)->fails[op] = code;
	pthread_mutex_unlock(&world.mutex);
}

void
fake_unknown(const char *backend, enum request_op op, int64_t ms)
{
	pthread_mutex_lock(&world.mutex);
	store_of(backend)->unknown_ms[op] = ms;
	pthread_mutex_unlock(&world.mutex);
}

static void
set_shut(const char *backend, bool shut)
{
	pthread_mutex_lock(&world.mutex);
	store_of(backend)->shut = shut;
	pthread_cond_broadcast(&world.changed);
	pthread_mutex_unlock(&world.mutex);
}

void
fake_dawdle(const char *backend, unsigned us)
{
	pthread_mutex_lock(&world.mutex);
	store_of(backend)->dawdle_us = us;
	pthread_mutex_unlock(&world.mutex);
}

void
fake_shut(const char *backend)
{
	set_shut(backend, true);
}

void
fake_open(const char *backend)
{
	set_shut(backend, false);
}

void
fake_wait_inside(const char *backend, unsigned n)
{
	pthread_mutex_lock(&world.mutex);
	while (store_of(backend)->inside != n)
		pthread_cond_wait(&world.changed, &world.mutex);
	pthread_mutex_unlock(&world.mutex);
}

unsigned
fake_calls(const char *backend, enum request_op op)
{
	unsigned n;

	pthread_mutex_lock(&world.mutex);
	n = store_of(backend)->calls[op];
	pthread_mutex_unlock(&world.mutex);
	return n;
}

unsigned
fake_cancelled(const char *backend)
{
	unsigned n;

	pthread_mutex_lock(&world.mutex);
	n = store_of(backend)->cancelled;
	pthread_mutex_unlock(&world.mutex);
	return n;
}

const char *
fake_asked(const char *backend)
{
	return store_of(backend)->asked;
}

/* ---- start and stop ----------------------------------------------------------------- */

static int
has_get_bucket(void *instance, struct cosi_call *call, const struct cosi_bucket_req *req,
	       struct cosi_bucket *out)
{
	(void)instance, (void)call, (void)req, (void)out;
	return -1; /* it is only asked whether there is one */
}

static void
make_store(struct store *store, const struct fake_spec *spec, struct backend *backend)
{
	static const char *const all[] = { "*", NULL };

	store->spec = *spec;
	store->config = (struct config_backend){
		.name = spec->name,
		.module = spec->name,
		.accept_new = !spec->closed,
		.existing_buckets = spec->existing != NULL ? spec->existing : all,
		.max_calls = spec->max_calls,
	};
	store->module = (struct cosi_module){
		.name = spec->name,
		.flags = spec->flags,
		.protocols = spec->protocols != 0 ? spec->protocols : COSI_S3,
		.auth = spec->auth != 0 ? spec->auth : COSI_AUTH_KEY,
		.common_params = spec->common,
		.bucket_params = COSI_SCHEMA(struct own, own_keys),
		.access_params = COSI_SCHEMA(struct own_access, access_keys),
		.map_name = spec->map_name,
		.get_bucket = spec->blind ? NULL : has_get_bucket,
	};
	*backend = (struct backend){ .name = spec->name,
				     .config = &store->config,
				     .module = &store->module,
				     .public_url = "http://store.example.org" };
	world.generation.protocols |= store->module.protocols;
}

struct router *
fake_start(const struct fake_setup *setup)
{
	struct router_config config = setup->router;
	struct status status = { 0 };
	struct router *router;

	if (config.workers == 0)
		config.workers = 4;
	if (config.call_timeout_ms == 0)
		config.call_timeout_ms = FAKE_LONG_MS;
	world.config = (struct config){ .driver_name = "cosid.example.org",
					.owner = FAKE_OWNER,
					.default_backend = setup->default_backend,
					.nroutes = setup->nroutes,
					.routes = setup->routes };
	world.generation = (struct generation){ .config = &world.config,
						.number = 1,
						.nbackends = setup->nbackends };
	atomic_init(&world.generation.refs, 1);
	world.closed = false;
	world.broken_locks = 0;
	world.n = setup->nbackends;
	world.stores = calloc(setup->nbackends + 1, sizeof world.stores[0]);
	world.generation.backends = calloc(setup->nbackends + 1, sizeof(struct backend));
	for (size_t i = 0; i < setup->nbackends; i++)
		make_store(&world.stores[i], &setup->backends[i], &world.generation.backends[i]);
	router = router_new(&config, &world.generation, &status);
	assert_string_equal(status.text, "");
	assert_non_null(router);
	return router;
}

void
fake_stop(struct router *router)
{
	router_free(router);
	assert_true(world.closed);
	assert_int_equal(world.broken_locks, 0);
	for (size_t i = 0; i < world.n; i++) {
		assert_int_equal(world.stores[i].inside, 0);
		assert_int_equal(world.stores[i].nheld, 0);
	}
	free(world.stores);
	free(world.generation.backends);
	world.stores = NULL;
	world.n = 0;
}

/* ---- calls --------------------------------------------------------------------------- */

static void
keep_answer(struct shot *shot)
{
	const struct answer *answer = &shot->call->answer;
	const struct cosi_access *access = &answer->access;

	(void)snprintf(shot->id, sizeof shot->id, "%s", answer->id != NULL ? answer->id : "");
	shot->protocols = answer->protocols;
	shot->default_protocol = answer->default_protocol;
	if (answer->bucket.endpoint != NULL)
		(void)snprintf(shot->endpoint, sizeof shot->endpoint, "%s",
			       answer->bucket.endpoint);
	for (size_t i = 0; access->buckets != NULL && i < shot->req->nbuckets; i++) {
		size_t len = strlen(shot->buckets);

		(void)snprintf(shot->buckets + len, sizeof shot->buckets - len, "%s%s",
			       i > 0 ? " " : "", access->buckets[i]->name);
	}
}

static void
on_reply(struct call *call, const struct status *status)
{
	struct shot *shot = call->owner;

	pthread_mutex_lock(&world.mutex);
	shot->status = *status;
	if (status_ok(status))
		keep_answer(shot);
	shot->replied_ms = clock_mono_ms();
	shot->thread = pthread_self();
	shot->replies++;
	pthread_cond_broadcast(&world.changed);
	pthread_mutex_unlock(&world.mutex);
}

struct shot *
shot_new(struct router *router, enum request_op op)
{
	struct shot *shot = calloc(1, sizeof *shot);

	assert_non_null(shot);
	shot->call = call_new(router);
	assert_non_null(shot->call);
	shot->req = &shot->call->req;
	shot->call->owner = shot;
	shot->call->reply = on_reply;
	*shot->req = (struct request){
		.op = op,
		.api = "v1alpha2",
		.method = "Driver",
		.params = arena_alloc(&shot->call->arena, 32 * sizeof(struct cosi_kv)),
		.buckets = arena_alloc(&shot->call->arena,
				       (REQUEST_BUCKETS_MAX + 1) * sizeof(struct request_bucket)),
		.auth = op == REQUEST_GRANT ? COSI_AUTH_KEY : 0,
		.arrived_ms = clock_mono_ms(),
		.deadline_ms = CLOCK_NEVER,
	};
	return shot;
}

void
shot_param(struct shot *shot, const char *key, const char *value)
{
	struct cosi_kv *params = (struct cosi_kv *)(uintptr_t)shot->req->params;

	assert_true(shot->req->nparams < 32);
	params[shot->req->nparams++] = (struct cosi_kv){ .key = key, .value = value };
}

void
shot_bucket(struct shot *shot, const char *id, uint32_t mode)
{
	assert_true(shot->req->nbuckets <= REQUEST_BUCKETS_MAX);
	shot->req->buckets[shot->req->nbuckets++] =
		(struct request_bucket){ .id = arena_strdup(&shot->call->arena, id), .mode = mode };
}

void
shoot(struct router *router, struct shot *shot)
{
	router_submit(router, shot->call);
}

void
shot_wait(struct shot *shot)
{
	pthread_mutex_lock(&world.mutex);
	while (shot->replies == 0)
		pthread_cond_wait(&world.changed, &world.mutex);
	pthread_mutex_unlock(&world.mutex);
}

bool
shot_is_replied(struct shot *shot)
{
	bool replied;

	pthread_mutex_lock(&world.mutex);
	replied = shot->replies > 0;
	pthread_mutex_unlock(&world.mutex);
	return replied;
}

void
shot_free(struct shot *shot)
{
	assert_int_equal(shot->replies, 1);
	call_unref(shot->call);
	free(shot);
}

struct shot *
shot_create(struct router *router, const char *name, const char *backend)
{
	struct shot *shot = shot_new(router, REQUEST_CREATE);

	shot->req->name = arena_strdup(&shot->call->arena, name);
	if (backend != NULL)
		shot_param(shot, "backend", backend);
	shoot(router, shot);
	return shot;
}

struct shot *
shot_by_id(struct router *router, enum request_op op, const char *id)
{
	struct shot *shot = shot_new(router, op);

	shot->req->id = arena_strdup(&shot->call->arena, id);
	shoot(router, shot);
	return shot;
}

struct shot *
shot_grant(struct router *router, const char *account, const char *bucket_id)
{
	struct shot *shot = shot_new(router, REQUEST_GRANT);

	shot->req->name = arena_strdup(&shot->call->arena, account);
	shot_bucket(shot, bucket_id, COSI_READ_WRITE);
	shoot(router, shot);
	return shot;
}

struct shot *
shot_revoke(struct router *router, const char *account_id)
{
	return shot_by_id(router, REQUEST_REVOKE, account_id);
}

void
shot_expect(struct shot *shot, uint32_t code, const char *part)
{
	shot_wait(shot);
	if (shot->status.code != code || (part != NULL && strstr(shot->status.text, part) == NULL))
		fail_msg("%s: '%s', but %s: '%s' was expected", status_code_name(shot->status.code),
			 shot->status.text, status_code_name(code), part != NULL ? part : "");
	shot_free(shot);
}

void
shot_expect_id(struct shot *shot, const char *id)
{
	shot_wait(shot);
	assert_string_equal(shot->status.text, "");
	assert_string_equal(shot->id, id);
	shot_expect(shot, COSI_OK, NULL);
}
