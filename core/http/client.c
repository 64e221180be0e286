/* SPDX-License-Identifier: Apache-2.0
 * client.c - a backend's handles: kept per base URL, closed when they are idle.
 *
 * The reaper closes handles whose time is up: a daemon is idle most of the day, and without it a
 * burst would leave half-closed sockets until the next one.  It starts with the first idle handle.
 */
#include "http/client.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/secret.h"

#include "banned.h"

enum { IDLE_MS = 30000 };

int
http_global_init(void)
{
	return curl_global_init_mem(CURL_GLOBAL_DEFAULT, wiped_malloc, wiped_free, wiped_realloc,
				    wiped_strdup, wiped_calloc) == CURLE_OK
		       ? 0
		       : -1;
}

void
http_global_done(void)
{
	curl_global_cleanup();
}

static int
set_options(struct handle_options *options, const struct http_config *config, struct status *status)
{
	/* To libcurl zero means for ever. */
	if (config->connect_timeout_ms <= 0 || config->request_timeout_ms <= 0)
		return status_fail(status, COSI_INVALID,
				   "connect_timeout and request_timeout must be above zero");
	options->connect_timeout_ms = config->connect_timeout_ms;
	options->idle_ms = config->idle_ms > 0 ? config->idle_ms : IDLE_MS;
	options->backend = strdup(config->backend);
	if (options->backend == NULL)
		return status_no_memory(status);
	if (config->insecure)
		return 0;
	options->trust = trust_new(config->ca_file, status);
	return options->trust != NULL ? 0 : -1;
}

struct http_client *
http_client_new(const struct http_config *config, struct status *status)
{
	struct http_client *client = calloc(1, sizeof *client);
	pthread_condattr_t attr;

	if (client == NULL) {
		(void)status_no_memory(status);
		return NULL;
	}
	client->request_timeout_ms = config->request_timeout_ms;
	client->retries = config->retries;
	pthread_mutex_init(&client->mutex, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&client->changed, &attr);
	pthread_condattr_destroy(&attr);
	if (set_options(&client->options, config, status) != 0) {
		http_client_free(client);
		return NULL;
	}
	return client;
}

static void
free_handles(struct handle *handle)
{
	struct handle *next;

	for (; handle != NULL; handle = next) {
		next = handle->next;
		handle_free(handle);
	}
}

static void
stop_reaper(struct http_client *client)
{
	pthread_mutex_lock(&client->mutex);
	client->closing = true;
	pthread_cond_signal(&client->changed);
	pthread_mutex_unlock(&client->mutex);
	if (client->reaping)
		pthread_join(client->reaper, NULL);
}

void
http_client_free(struct http_client *client)
{
	struct origin *next;

	if (client == NULL)
		return;
	stop_reaper(client);
	for (struct origin *origin = client->origins; origin != NULL; origin = next) {
		next = origin->next;
		free_handles(origin->idle);
		breaker_done(&origin->breaker);
		free(origin->base);
		free(origin);
	}
	pthread_cond_destroy(&client->changed);
	pthread_mutex_destroy(&client->mutex);
	trust_free(client->options.trust);
	free((void *)(uintptr_t)client->options.backend);
	free(client);
}

static struct origin *
find(struct http_client *client, const char *base)
{
	struct origin *origin = client->origins;

	while (origin != NULL && strcmp(origin->base, base) != 0)
		origin = origin->next;
	return origin;
}

/* The caller holds the mutex. */
static struct origin *
add(struct http_client *client, const char *base)
{
	struct origin *origin = calloc(1, sizeof *origin);

	if (origin == NULL)
		return NULL;
	origin->base = strdup(base);
	if (origin->base == NULL) {
		free(origin);
		return NULL;
	}
	breaker_init(&origin->breaker);
	origin->next = client->origins;
	client->origins = origin;
	client->norigins++;
	return origin;
}

struct origin *
client_origin(struct http_client *client, const char *base, struct status *status)
{
	LOCK_SCOPE(&client->mutex);
	struct origin *origin = find(client, base);

	if (origin != NULL)
		return origin;
	if (client->norigins >= HTTP_BASES_MAX) {
		(void)status_fail(status, COSI_INTERNAL, "no room for one more base URL than %d",
				  HTTP_BASES_MAX);
		return NULL;
	}
	origin = add(client, base);
	if (origin == NULL)
		(void)status_no_memory(status);
	return origin;
}

/* Cuts off the handles of one base that were idle for too long; *out_next_ms becomes the time when
 * the next one is due, if that is sooner. */
static struct handle *
cut_expired(struct origin *origin, int64_t idle_ms, int64_t now_ms, int64_t *out_next_ms)
{
	struct handle **at = &origin->idle, *expired;
	size_t nkept = 0;

	for (; *at != NULL && (*at)->idle_since_ms + idle_ms > now_ms; at = &(*at)->next) {
		*out_next_ms = (*at)->idle_since_ms + idle_ms < *out_next_ms
				       ? (*at)->idle_since_ms + idle_ms
				       : *out_next_ms;
		nkept++;
	}
	expired = TAKE(*at);
	origin->nidle = nkept;
	return expired;
}

static void
wait_until(struct http_client *client, int64_t ms)
{
	const struct timespec until = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L };

	client->wakes_ms = ms;
	if (ms == CLOCK_NEVER)
		pthread_cond_wait(&client->changed, &client->mutex);
	else
		pthread_cond_timedwait(&client->changed, &client->mutex, &until);
	client->wakes_ms = 0; /* awake */
}

static void *
reap(void *arg)
{
	struct http_client *client = arg;
	struct handle *expired = NULL;
	int64_t next_ms;

	pthread_mutex_lock(&client->mutex);
	while (!client->closing) {
		next_ms = CLOCK_NEVER;
		for (struct origin *origin = client->origins; origin != NULL && expired == NULL;
		     origin = origin->next)
			expired = cut_expired(origin, client->options.idle_ms, clock_mono_ms(),
					      &next_ms);
		if (expired == NULL) {
			wait_until(client, next_ms);
			continue;
		}
		pthread_mutex_unlock(&client->mutex);
		free_handles(TAKE(expired));
		pthread_mutex_lock(&client->mutex);
	}
	pthread_mutex_unlock(&client->mutex);
	return NULL;
}

struct handle *
client_take(struct http_client *client, struct origin *origin)
{
	struct handle *handle;

	pthread_mutex_lock(&client->mutex);
	handle = origin->idle;
	if (handle != NULL) {
		origin->idle = handle->next;
		origin->nidle--;
	}
	pthread_mutex_unlock(&client->mutex);
	return handle != NULL ? handle : handle_new(&client->options);
}

/* Sees to it that the reaper looks at that time or before.  Without a reaper idle handles stay
 * until they are used again: no reason to fail. */
static void
reap_at(struct http_client *client, int64_t ms)
{
	if (client->reaping) {
		if (client->wakes_ms > ms)
			pthread_cond_signal(&client->changed);
		return;
	}
	client->reaping = pthread_create(&client->reaper, NULL, reap, client) == 0;
	if (client->reaping)
		(void)pthread_setname_np(client->reaper, "http-reaper");
}

void
client_give(struct http_client *client, struct origin *origin, struct handle *handle)
{
	bool kept;

	reply_reset(&handle->reply, 0, NULL);
	pthread_mutex_lock(&client->mutex);
	kept = origin->nidle < CLIENT_IDLE_MAX;
	if (kept) {
		handle->idle_since_ms = clock_mono_ms();
		handle->next = origin->idle;
		origin->idle = handle;
		origin->nidle++;
		reap_at(client, handle->idle_since_ms + client->options.idle_ms);
	}
	pthread_mutex_unlock(&client->mutex);
	if (!kept)
		handle_free(handle);
}

void
http_breaker_state(struct http_client *client, const char *base, struct http_breaker_state *out)
{
	struct origin *origin;

	pthread_mutex_lock(&client->mutex);
	origin = find(client, base);
	pthread_mutex_unlock(&client->mutex);
	*out = (struct http_breaker_state){ 0 };
	if (origin != NULL)
		breaker_state(&origin->breaker, out);
}

size_t
http_open_breakers(struct http_client *client, size_t most, struct http_open_breaker *out)
{
	LOCK_SCOPE(&client->mutex);
	struct http_breaker_state state;
	size_t n = 0;

	for (struct origin *origin = client->origins; origin != NULL && n < most;
	     origin = origin->next) {
		breaker_state(&origin->breaker, &state);
		if (!state.open)
			continue;
		out[n] = (struct http_open_breaker){ .base = origin->base,
						     .since_s = state.since_s };
		memcpy(out[n++].last_error, state.last_error, sizeof state.last_error);
	}
	return n;
}
