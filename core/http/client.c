/* SPDX-License-Identifier: Apache-2.0
 * client.c - a backend's handles: kept per base URL, closed when they are idle.
 *
 * One thread, the reaper, closes the idle handles of all clients when their time is up: a daemon is
 * idle most of the day, and a burst would leave half-closed sockets and their memory until the next
 * one.  It starts with the first idle handle and ends with the last client.
 */
#include "http/client.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/secret.h"
#include "base/thread.h"

#include "banned.h"

enum { IDLE_MS = 20000, URL_MEMORY = 16384 };

/* All clients.  The mutex is held for the steps of a list, never while a request runs. */
static struct {
	pthread_mutex_t mutex;
	pthread_cond_t changed; /* wakes the reaper; of http_global_init() */
	struct http_client *clients;
	int64_t wakes_ms; /* when the reaper looks next by itself; 0: it is awake */
	bool reaping;
	pthread_t reaper;
} pool = { .mutex = PTHREAD_MUTEX_INITIALIZER };

int
http_global_init(void)
{
	cond_init(&pool.changed);
	return curl_global_init_mem(CURL_GLOBAL_DEFAULT, handle_malloc, wiped_free, handle_realloc,
				    handle_strdup, handle_calloc) == CURLE_OK
		       ? 0
		       : -1;
}

void
http_global_done(void)
{
	curl_global_cleanup();
}

/* ---- idle handles ---- */

static void
free_handles(struct handle *handle)
{
	struct handle *next;

	for (; handle != NULL; handle = next) {
		next = handle->next;
		handle_free(handle);
	}
}

/* Under the mutex.  Takes the idle handles whose time is up; *out_next_ms becomes the time when the
 * next one is due, if that is sooner. */
static struct handle *
take_expired(struct origin *origin, int64_t idle_ms, int64_t now_ms, int64_t *out_next_ms)
{
	struct handle **at = &origin->idle;
	size_t nkept = 0;

	for (; *at != NULL && (*at)->idle_since_ms + idle_ms > now_ms; at = &(*at)->next) {
		if ((*at)->idle_since_ms + idle_ms < *out_next_ms)
			*out_next_ms = (*at)->idle_since_ms + idle_ms;
		nkept++;
	}
	origin->nidle = nkept;
	return TAKE(*at);
}

static void *
reap(void *arg)
{
	pthread_mutex_lock(&pool.mutex);
	while (pool.clients != NULL) {
		struct handle *expired = NULL;
		int64_t next_ms = CLOCK_NEVER, now_ms = clock_mono_ms();

		for (struct http_client *client = pool.clients; client != NULL && expired == NULL;
		     client = client->next)
			for (struct origin *origin = client->origins;
			     origin != NULL && expired == NULL; origin = origin->next)
				expired = take_expired(origin, client->options.idle_ms, now_ms,
						       &next_ms);
		if (expired != NULL) {
			pthread_mutex_unlock(&pool.mutex);
			free_handles(expired);
			pthread_mutex_lock(&pool.mutex);
			continue;
		}
		pool.wakes_ms = next_ms;
		(void)cond_wait_until(&pool.changed, &pool.mutex, next_ms);
		pool.wakes_ms = 0;
	}
	pthread_mutex_unlock(&pool.mutex);
	return arg;
}

struct handle *
client_take(struct http_client *client, struct origin *origin)
{
	struct handle *handle;

	pthread_mutex_lock(&pool.mutex);
	handle = origin->idle;
	if (handle != NULL) {
		origin->idle = handle->next;
		origin->nidle--;
	}
	pthread_mutex_unlock(&pool.mutex);
	return handle != NULL ? handle : handle_new(&client->options);
}

void
client_give(struct http_client *client, struct origin *origin, struct handle *handle)
{
	bool kept;

	reply_reset(&handle->reply, 0, NULL);
	pthread_mutex_lock(&pool.mutex);
	kept = origin->nidle < CLIENT_IDLE_MAX;
	if (kept) {
		handle->idle_since_ms = clock_mono_ms();
		handle->next = origin->idle;
		origin->idle = handle;
		origin->nidle++;
		/* The reaper looks when this one is due, or before.  Without a reaper idle handles
		 * stay until they are used again: no reason to fail. */
		if (pool.reaping && pool.wakes_ms > handle->idle_since_ms + client->options.idle_ms)
			pthread_cond_signal(&pool.changed);
		if (!pool.reaping)
			pool.reaping = thread_start(&pool.reaper, "http-reaper", reap, NULL) == 0;
	}
	pthread_mutex_unlock(&pool.mutex);
	if (!kept)
		handle_free(handle);
}

size_t
client_nidle(const struct origin *origin)
{
	LOCK_SCOPE(&pool.mutex);

	return origin->nidle;
}

/* ---- a client's life ---- */

struct http_client *
http_client_new(const struct http_config *config, struct status *status)
{
	struct http_client *client = calloc(1, sizeof *client);
	struct handle_options *options;

	if (client == NULL) {
		status_no_memory(status);
		return NULL;
	}
	client->request_timeout_ms = config->request_timeout_ms;
	client->retries = config->retries;
	options = &client->options;
	options->connect_timeout_ms = config->connect_timeout_ms;
	options->idle_ms = config->idle_ms > 0 ? config->idle_ms : IDLE_MS;
	options->backend = strdup(config->backend);
	pthread_mutex_lock(&pool.mutex);
	client->next = pool.clients;
	pool.clients = client;
	pthread_mutex_unlock(&pool.mutex);
	/* To libcurl zero means for ever. */
	if (config->connect_timeout_ms <= 0 || config->request_timeout_ms <= 0)
		status_fail(status, COSI_INVALID,
			    "connect_timeout and request_timeout must be above zero");
	else if (options->backend == NULL)
		status_no_memory(status);
	else if (config->insecure)
		return client;
	else
		options->ca_store = ca_store_new(config->ca_file, status);
	if (options->ca_store != NULL)
		return client;
	http_client_free(client);
	return NULL;
}

static void
free_origin(struct origin *origin)
{
	free_handles(origin->idle);
	breaker_done(&origin->breaker);
	arena_done(&origin->arena);
	free(origin->base);
	free(origin);
}

void
http_client_free(struct http_client *client)
{
	struct http_client **at = &pool.clients;
	bool last;

	if (client == NULL)
		return;
	pthread_mutex_lock(&pool.mutex);
	while (*at != client)
		at = &(*at)->next;
	*at = client->next;
	last = pool.clients == NULL && pool.reaping;
	if (last)
		pthread_cond_signal(&pool.changed);
	pthread_mutex_unlock(&pool.mutex);
	if (last) {
		pthread_join(pool.reaper, NULL);
		pool.reaping = false;
	}
	for (struct origin *next, *origin = client->origins; origin != NULL; origin = next) {
		next = origin->next;
		free_origin(origin);
	}
	ca_store_free(client->options.ca_store);
	free((void *)(uintptr_t)client->options.backend);
	free(client);
}

/* ---- base URLs ---- */

struct origin *
client_origin(struct http_client *client, const char *base, struct status *status)
{
	LOCK_SCOPE(&pool.mutex);
	struct origin *origin = client->origins;
	bool is_url;

	while (origin != NULL && strcmp(origin->base, base) != 0)
		origin = origin->next;
	if (origin != NULL)
		return origin;
	if (client->norigins >= HTTP_BASES_MAX) {
		status_fail(status, COSI_INTERNAL, "a client has %d base URLs at most",
			    HTTP_BASES_MAX);
		return NULL;
	}
	origin = calloc(1, sizeof *origin);
	if (origin == NULL) {
		status_no_memory(status);
		return NULL;
	}
	breaker_init(&origin->breaker);
	arena_init(&origin->arena, URL_MEMORY);
	origin->base = strdup(base);
	is_url = url_parse(&origin->arena, base, &origin->url) == 0;
	if (origin->base == NULL || arena_failed(&origin->arena)) {
		status_no_memory(status);
	} else if (!is_url) {
		status_fail(status, COSI_INTERNAL, "the base URL cannot be used");
	} else {
		origin->next = client->origins;
		client->norigins++;
		return client->origins = origin;
	}
	free_origin(origin);
	return NULL;
}

const struct cosi_url *
http_url(struct http_client *client, struct arena *arena, const char *base, const char *host_label)
{
	static const struct cosi_url nothing = { "", "", "" };
	struct cosi_url *wire = arena_alloc(arena, sizeof *wire);
	struct status ignored = { 0 };
	struct origin *origin = client != NULL ? client_origin(client, base, &ignored) : NULL;
	struct url url;
	int rc = 0;

	if (origin != NULL)
		url = origin->url;
	else
		rc = url_parse(arena, base, &url);
	if (wire == NULL || rc < 0 || url_add_label(arena, host_label, &url) < 0)
		return &nothing;
	*wire = url.wire;
	return wire;
}

size_t
http_open_breakers(struct http_client *client, size_t most, struct http_open_breaker *out)
{
	LOCK_SCOPE(&pool.mutex);
	size_t n = 0;

	for (struct origin *origin = client->origins; origin != NULL && n < most;
	     origin = origin->next)
		if (breaker_is_open(&origin->breaker, &out[n]))
			out[n++].base = origin->base;
	return n;
}
