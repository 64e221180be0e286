/* SPDX-License-Identifier: Apache-2.0
 * fakes.c - starts, scripts and stops the stores. */
#undef NDEBUG
#include <assert.h>
#include <stdio.h>

#include "fakes.h"

#include "banned.h"

struct world world = { .mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };

static const struct cosi_key own_keys[] = {
	COSI_STRING(struct own, color, 0, "grey", "a colour"),
	COSI_SIZE(struct own, size, 0, NULL, "a size"),
};
static const struct cosi_key strict_keys[] = {
	COSI_STRING(struct own, color, COSI_REQUIRED, NULL, "a colour"),
};
static const struct cosi_key access_keys[] = {
	COSI_STRING(struct own_access, shape, 0, "round", "a shape"),
};

struct store *
world_store(const char *backend)
{
	for (size_t i = 0; i < world.n; i++) {
		if (strcmp(world.stores[i].spec.name, backend) == 0)
			return &world.stores[i];
	}
	assert(false);
	return NULL;
}

int
world_place(const struct store *store, const char *native)
{
	for (int i = 0; i < BUCKETS_MAX; i++) {
		if (store->buckets[i].there && strcmp(store->buckets[i].native, native) == 0)
			return i;
	}
	return -1;
}

void
world_put(struct store *store, const char *native, const char *marked, const char *params)
{
	int i = world_place(store, native);

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

/* ---- the script -------------------------------------------------------------------- */

void
fake_has(const char *backend, const char *native, const char *marked, const char *params)
{
	LOCK_SCOPE(&world.mutex);
	world_put(world_store(backend), native, marked, params);
}

bool
fake_has_bucket(const char *backend, const char *native)
{
	LOCK_SCOPE(&world.mutex);
	return world_place(world_store(backend), native) >= 0;
}

void
fake_shut(const char *backend)
{
	FAKE_SET(backend, shut, true);
}

void
fake_open(const char *backend)
{
	FAKE_SET(backend, shut, false);
}

void
fake_wait_inside(const char *backend, unsigned n)
{
	LOCK_SCOPE(&world.mutex);
	while (world_store(backend)->inside != n)
		pthread_cond_wait(&world.changed, &world.mutex);
}

const char *
fake_asked(const char *backend)
{
	return world_store(backend)->asked;
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
	if (spec->strict)
		store->module.bucket_params =
			(struct cosi_schema)COSI_SCHEMA(struct own, strict_keys);
	*backend = (struct backend){ .name = spec->name,
				     .config = &store->config,
				     .module = &store->module,
				     .public_url = "http://store.example.org" };
	world.generation.protocols |= store->module.protocols;
}

struct sched *
fake_start(const struct fake_setup *setup)
{
	struct sched_config config = setup->sched;
	struct status status = { 0 };
	struct sched *sched;

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
	world.later = NULL;
	world.nclosed = 0;
	world.broken_locks = 0;
	world.n = setup->nbackends;
	world.stores = calloc(setup->nbackends + 1, sizeof world.stores[0]);
	world.generation.backends = calloc(setup->nbackends + 1, sizeof(struct backend));
	for (size_t i = 0; i < setup->nbackends; i++)
		make_store(&world.stores[i], &setup->backends[i], &world.generation.backends[i]);
	sched = sched_new(&config, &world.generation, &status);
	assert_string_equal(status.text, "");
	assert_non_null(sched);
	return sched;
}

struct generation *
fake_later(const char *names, const char *public_url, int64_t max_calls)
{
	static atomic_uint number = 2;
	struct later *later = calloc(1, sizeof *later);
	struct generation *generation;

	assert_non_null(later);
	later->next = world.later;
	world.later = later;
	generation = &later->generation;
	later->config = world.config;
	*generation = (struct generation){ .config = &later->config,
					   .number = atomic_fetch_add(&number, 1),
					   .backends = later->backends };
	atomic_init(&generation->refs, 1);
	for (size_t i = 0; i < world.n; i++) {
		struct backend *backend = &later->backends[generation->nbackends];
		struct config_backend *config = &later->configs[generation->nbackends];

		if (strstr(names, world.stores[i].spec.name) == NULL)
			continue;
		(void)snprintf(later->names[generation->nbackends], sizeof later->names[0], "%s",
			       world.stores[i].spec.name);
		*config = world.stores[i].config;
		config->name = later->names[generation->nbackends];
		config->max_calls = max_calls;
		*backend = (struct backend){ .name = config->name,
					     .config = config,
					     .module = &world.stores[i].module,
					     .public_url = public_url };
		generation->protocols |= backend->module->protocols;
		generation->nbackends++;
	}
	return generation;
}

bool
fake_first_has_closed(const char *name)
{
	return generation_find(&world.generation, name)->module == NULL;
}

void
fake_stop(struct sched *sched)
{
	sched_free(sched);
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
