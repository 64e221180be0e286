/* SPDX-License-Identifier: Apache-2.0
 * instance.c - settings, then the module's open(), then the way to the store. */
#include "module/instance.h"

#include <stdlib.h>
#include <string.h>

#include "base/charge.h"
#include "base/clock.h"
#include "module/likeness.h"

#include "banned.h"

enum { ALIGN = 16 };

/* NULL in, NULL out; without slashes at the end. */
static int
copy_url(const char *url, char **out)
{
	size_t len = url == NULL ? 0 : strlen(url);

	if (url == NULL)
		return 0;
	while (len > 0 && url[len - 1] == '/')
		len--;
	*out = strndup(url, len);
	return *out == NULL ? -1 : 0;
}

static int
read_settings(struct backend *backend, struct instance *instance, bool checking, struct diag *diag)
{
	const struct config_backend *config = backend->config;
	const struct cosi_module *module = backend->module;
	const char *endpoint = config->endpoint;
	size_t size = (module->config.size / ALIGN + 1) * ALIGN;

	if (endpoint == NULL && (module->flags & COSI_NETWORK) != 0)
		endpoint = module->endpoint;
	instance->config = aligned_alloc(ALIGN, size);
	if (instance->config == NULL || copy_url(endpoint, &instance->endpoint) != 0 ||
	    copy_url(config->public_endpoint != NULL ? config->public_endpoint : endpoint,
		     &instance->public_url) != 0) {
		diag_error(diag, config->file, config->line, "no memory");
		return -1;
	}
	memset(instance->config, 0, size);
	return config_settings(config, module, checking, instance->config, &instance->settings,
			       diag);
}

/* Is a secret empty, as those are that cosid --check could not read?  open() would refuse it. */
static bool
lacks_secret(const struct instance *instance, const struct cosi_schema *schema)
{
	for (size_t i = 0; i < schema->nkeys; i++) {
		const void *member = (const char *)instance->config + schema->keys[i].offset;
		const char *single[] = { NULL, NULL };
		const char *const *list = single;

		if (schema->keys[i].type == COSI_T_SECRET)
			single[0] = *(const char *const *)member;
		else if (schema->keys[i].type == COSI_T_SECRET_LIST)
			list = *(const char *const *const *)member;
		for (; list != NULL && *list != NULL; list++)
			if (**list == '\0')
				return true;
	}
	return false;
}

/* Runs open() as a call of its own, which has no backend to talk to yet. */
static int
run_open(struct backend *backend, struct instance *instance, struct arena *arena,
	 struct status *status)
{
	CHARGE_SCOPE(arena);
	static const atomic_bool never;
	struct module_call call = {
		.arena = arena,
		.status = status,
		.backend = backend,
		.deadline_ms = CLOCK_NEVER,
		.cancelled = &never,
	};
	int result;

	module_call_init(&call);
	result = backend->module->open(&call.pub, instance->config, &instance->handle);
	if (result == 0)
		instance->opened = true;
	if (result != 0 && status_ok(status))
		(void)status_fail(status, COSI_INTERNAL, "module '%s' failed without a reason",
				  backend->module->name);
	return status_ok(status) ? 0 : -1;
}

static int
open_module(struct backend *backend, struct instance *instance, struct status *status)
{
	struct arena arena;
	int result;

	instance->handle = instance->config;
	if (backend->module->open == NULL)
		return 0;
	instance->handle = NULL;
	arena_init(&arena, MODULE_CALL_MEMORY);
	result = run_open(backend, instance, &arena, status);
	arena_done(&arena);
	return result;
}

static int
open_client(struct backend *backend, struct instance *instance, struct status *status)
{
	const struct config_backend *config = backend->config;
	const struct http_config http = {
		.backend = config->name,
		.ca_file = config->ca_file,
		.insecure = config->insecure,
		.connect_timeout_ms = config->connect_timeout_ms,
		.request_timeout_ms = config->request_timeout_ms,
		.retries = config->retries,
	};

	if ((backend->module->flags & COSI_NETWORK) == 0)
		return 0;
	instance->client = http_client_new(&http, status);
	return instance->client == NULL ? -1 : 0;
}

/* Nothing of it is open, or all of it. */
static void
release(struct instance *instance)
{
	if (instance->client != NULL)
		http_client_free(instance->client);
	config_settings_free(instance->settings);
	free(instance->config);
	free(instance->endpoint);
	free(instance->public_url);
	image_unref(instance->image);
	free(instance);
}

static void
set_instance(struct backend *backend, struct instance *instance)
{
	backend->priv = instance;
	backend->module = image_module(instance->image);
	backend->public_url = instance->public_url;
}

/* Goes on with the one that serves, if a new one would be the same. */
static bool
take_over(struct backend *backend, struct instance *instance, const struct backend *before)
{
	struct instance *old = before != NULL ? instance_of(before) : NULL;

	if (old == NULL || old->unfit || !likeness_same(old, instance))
		return false;
	atomic_fetch_add(&old->refs, 1);
	set_instance(backend, old);
	release(instance);
	return true;
}

static struct instance *
instance_new(struct image *image)
{
	struct instance *instance = calloc(1, sizeof *instance);

	if (instance == NULL) {
		free(instance);
		image_unref(image);
		return NULL;
	}
	atomic_init(&instance->refs, 1);
	instance->image = image;
	return instance;
}

int
instance_open(struct backend *backend, struct image *image, const struct backend *before,
	      bool checking, struct diag *diag)
{
	const struct config_backend *config = backend->config;
	struct instance *instance = instance_new(image);
	struct status status = { 0 };

	if (instance == NULL) {
		diag_error(diag, config->file, config->line, "no memory");
		return -1;
	}
	backend->name = config->name;
	set_instance(backend, instance);
	if (read_settings(backend, instance, checking, diag) != 0) {
		instance_close(backend);
		return -1;
	}
	backend->public_url = instance->public_url;
	instance->unfit = checking && lacks_secret(instance, &backend->module->config);
	if (instance->unfit)
		return 0;
	if (likeness_take(backend, instance) != 0)
		(void)status_fail(&status, COSI_INTERNAL, "cannot digest its settings");
	else if (take_over(backend, instance, before) ||
		 (open_module(backend, instance, &status) == 0 &&
		  open_client(backend, instance, &status) == 0))
		return 0;
	diag_error(diag, config->file, config->line, "backend '%s': %s", config->name, status.text);
	instance_close(backend);
	return -1;
}

void
instance_close(struct backend *backend)
{
	struct instance *instance = instance_of(backend);

	backend->priv = NULL;
	if (instance == NULL || atomic_fetch_sub(&instance->refs, 1) > 1)
		return;
	if (instance->opened && backend->module->close != NULL)
		backend->module->close(instance->handle);
	release(instance);
}

void
backend_close(struct backend *backend)
{
	instance_close(backend);
	backend->module = NULL;
	backend->public_url = NULL;
}

bool
backend_is_same(const struct backend *a, const struct backend *b)
{
	return instance_of(a) == instance_of(b);
}
