/* SPDX-License-Identifier: Apache-2.0
 * instance.c - settings, then the module's open(), then the way to the store. */
#include "module/instance.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/secret.h"
#include "module/crash.h"
#include "module/crash_record.h"
#include "module/settings.h"

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

/* The module's struct of settings, zeroed; NULL: no memory. */
static void *
new_config(const struct cosi_module *module)
{
	size_t size = (module->config.size / ALIGN + 1) * ALIGN;
	void *config = aligned_alloc(ALIGN, size);

	return config == NULL ? NULL : memset(config, 0, size);
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
open_module(struct backend *backend, struct instance *instance, struct status *status)
{
	static const atomic_bool never;
	struct arena arena;
	struct module_call call = {
		.arena = &arena,
		.status = status,
		.backend = backend,
		.deadline_ms = CLOCK_NEVER,
		.cancelled = &never,
	};
	int rc;

	instance->handle = instance->config;
	if (backend->module->open == NULL)
		return 0;
	instance->handle = NULL;
	arena_init(&arena, MODULE_CALL_MEMORY);
	module_call_init(&call);
	{
		CHARGE_SCOPE(&arena);
		CRASH_SCOPE(backend, "open", LOG_NO_FIELDS);

		rc = backend->module->open(&call.pub, instance->config, &instance->handle);
	}
	arena_done(&arena);
	instance->opened = rc == 0;
	if (rc != 0 && status_ok(status))
		status_fail(status, COSI_INTERNAL, "module '%s' failed without a reason",
			    backend->module->name);
	return status_ok(status) ? 0 : -1;
}

/* Nothing of it is open, or all of it. */
static void
free_instance(struct instance *instance)
{
	if (instance->client != NULL)
		http_client_free(instance->client);
	config_settings_free(instance->settings);
	free(instance->config);
	free(instance->endpoint);
	free(instance->public_url);
	free(instance->left_out);
	image_unref(instance->image);
	free(instance);
}

static void
set_instance(struct backend *backend, struct instance *instance)
{
	backend->priv = instance;
	backend->name = backend->config->name;
	backend->module =
		instance->image != NULL ? &instance->image->loaded.module : &instance->unknown;
	backend->public_url = instance->public_url;
	backend->left_out = instance->left_out;
}

static bool
digest_field(EVP_MD_CTX *md, const void *field, size_t len)
{
	const uint64_t size = len;

	return EVP_DigestUpdate(md, &size, sizeof size) == 1 &&
	       EVP_DigestUpdate(md, field, len) == 1;
}

/* NULL differs from the empty text. */
static bool
digest_text(EVP_MD_CTX *md, const char *text)
{
	return digest_field(md, text == NULL ? "" : text, text == NULL ? 0 : strlen(text) + 1);
}

/* Over everything that the instance is made of: the loaded file, the backend's keys for the
 * connection, the module's own settings with the values of its secrets, and which version of the
 * certificates is on disk.  What routing alone reads (accept_new, existing_buckets, max_calls)
 * is left out.  0 or -1. */
static int
digest_settings(const struct backend *backend, struct instance *instance, const void *settings,
		size_t len)
{
	const struct config_backend *config = backend->config;
	const int64_t numbers[] = { config->connect_timeout_ms, config->request_timeout_ms,
				    config->retries, config->insecure };
	struct http_ca_version trust = { 0 };
	EVP_MD_CTX *md = EVP_MD_CTX_new();
	bool done;

	if (!config->insecure)
		http_ca_version(config->ca_file, &trust);
	done = md != NULL && EVP_DigestInit_ex(md, EVP_sha256(), NULL) == 1 &&
	       digest_text(md, backend->module->name) &&
	       digest_field(md, instance->image->file.hash, MODULE_HASH_LEN) &&
	       digest_text(md, instance->endpoint) && digest_text(md, instance->public_url) &&
	       digest_text(md, config->ca_file) && digest_field(md, numbers, sizeof numbers) &&
	       digest_field(md, &trust, sizeof trust) && digest_field(md, settings, len) &&
	       EVP_DigestFinal_ex(md, instance->digest, NULL) == 1;
	EVP_MD_CTX_free(md);
	return done ? 0 : -1;
}

/* 0, or -1 with status. */
static int
leave_out_crashing(struct backend *backend, struct instance *instance, struct diag *diag,
		   struct status *status)
{
	if (asprintf(&instance->left_out,
		     "module '%s' has ended cosid %d times in a row; it is used again once its "
		     "file or the backend's configuration changes",
		     backend->module->name, CRASH_RECORD_LIMIT) < 0) {
		instance->left_out = NULL;
		return status_no_memory(status);
	}
	backend->left_out = instance->left_out;
	diag_warning(diag, backend->config->file, backend->config->line,
		     "backend '%s' is left out: %s", backend->name, backend->left_out);
	return 0;
}

/* Goes on with the instance that serves, if a new one would be the same; else opens the new one,
 * first in a child.  0 or -1 with status. */
static int
take_over_or_open(struct backend *backend, struct instance *instance, const struct opening *opening,
		  const void *settings, size_t settings_len, struct status *status)
{
	const struct config_backend *config = backend->config;
	const struct load_check_backend tried = { config->name, instance->endpoint,
						  instance->public_url, settings, settings_len };
	const struct http_config http = {
		.backend = config->name,
		.ca_file = config->ca_file,
		.insecure = config->insecure,
		.connect_timeout_ms = config->connect_timeout_ms,
		.request_timeout_ms = config->request_timeout_ms,
		.retries = config->retries,
	};
	const struct backend *before =
		opening->before != NULL ? generation_find(opening->before, config->name) : NULL;
	struct instance *old = before != NULL ? instance_of(before) : NULL;

	if (digest_settings(backend, instance, settings, settings_len) < 0)
		return status_fail(status, COSI_INTERNAL,
				   "cannot compute the digest of the settings");
	if (old != NULL && old->left_out == NULL &&
	    CRYPTO_memcmp(old->digest, instance->digest, sizeof old->digest) == 0) {
		atomic_fetch_add(&old->refs, 1);
		set_instance(backend, old);
		free_instance(instance);
		return 0;
	}
	if (opening->mode != GENERATION_CHECK &&
	    crash_record_count(config->name, instance->digest) >= CRASH_RECORD_LIMIT)
		return leave_out_crashing(backend, instance, opening->diag, status);
	if (backend->module->open != NULL &&
	    load_check_open(opening->check, &instance->image->file, &tried, status) < 0)
		return -1;
	if (open_module(backend, instance, status) < 0)
		return -1;
	if ((backend->module->flags & COSI_NETWORK) == 0)
		return 0;
	instance->client = http_client_new(&http, status);
	return instance->client == NULL ? -1 : 0;
}

int
instance_open(struct backend *backend, struct image *image, const struct opening *opening)
{
	const struct config_backend *config = backend->config;
	const struct cosi_module *module = &image->loaded.module;
	const char *endpoint = config->endpoint, *public_url = config->public_endpoint;
	struct instance *instance = calloc(1, sizeof *instance);
	struct status status = { 0 };
	size_t settings_len;
	void *settings;
	int rc = -1;

	if (instance == NULL) {
		image_unref(image);
		diag_error(opening->diag, config->file, config->line, "out of memory");
		return -1;
	}
	atomic_init(&instance->refs, 1);
	instance->image = image;
	set_instance(backend, instance);
	if (endpoint == NULL && (module->flags & COSI_NETWORK) != 0)
		endpoint = module->endpoint;
	instance->config = new_config(module);
	if (instance->config == NULL || copy_url(endpoint, &instance->endpoint) < 0 ||
	    copy_url(public_url != NULL ? public_url : endpoint, &instance->public_url) < 0) {
		diag_error(opening->diag, config->file, config->line, "out of memory");
		instance_close(backend);
		return -1;
	}
	backend->public_url = instance->public_url;
	if (config_settings(config, module, opening->mode == GENERATION_CHECK, instance->config,
			    &instance->settings, opening->diag) < 0) {
		instance_close(backend);
		return -1;
	}
	if (opening->mode == GENERATION_CHECK && lacks_secret(instance, &module->config)) {
		backend->left_out = "one of its secrets cannot be read here";
		return 0;
	}
	settings = settings_encode(&module->config, instance->config, &settings_len);
	if (settings == NULL)
		status_no_memory(&status);
	else
		rc = take_over_or_open(backend, instance, opening, settings, settings_len, &status);
	wiped_free(settings);
	if (rc == 0)
		return 0;
	diag_error(opening->diag, config->file, config_line(config, status.text),
		   "backend '%s': %s", config->name, status.text);
	instance_close(backend);
	return -1;
}

int
instance_keep(struct backend *backend, const struct generation *before)
{
	const struct backend *old =
		before != NULL ? generation_find(before, backend->config->name) : NULL;

	if (old == NULL || old->left_out != NULL)
		return -1;
	atomic_fetch_add(&instance_of(old)->refs, 1);
	set_instance(backend, instance_of(old));
	return 0;
}

uint32_t
instance_protocols(const struct backend *backend)
{
	return instance_of(backend)->image != NULL
		       ? backend->module->protocols
		       : crash_record_protocols(backend->name, backend->config->module);
}

int
instance_leave_out(struct backend *backend, struct image *image, const char *reason)
{
	const struct config_backend *config = backend->config;
	struct instance *instance = calloc(1, sizeof *instance);

	if (instance == NULL || (instance->left_out = strdup(reason)) == NULL) {
		free(instance);
		image_unref(image);
		return -1;
	}
	atomic_init(&instance->refs, 1);
	instance->image = image;
	/* Unknown protocols count as all of them: a request that may be meant for it must wait. */
	instance->unknown = (struct cosi_module){
		.name = config->module,
		.version = "",
		.protocols = crash_record_protocols(config->name, config->module),
	};
	if (instance->unknown.protocols == 0)
		instance->unknown.protocols = COSI_S3 | COSI_AZURE | COSI_GCS;
	set_instance(backend, instance);
	return 0;
}

void
instance_try_open(const struct cosi_module *module, const struct load_check_request *request,
		  const void *settings)
{
	struct instance instance = {
		.config = new_config(module),
		.endpoint = (char *)(uintptr_t)(*request->endpoint ? request->endpoint : NULL),
	};
	struct backend backend = {
		.name = request->backend,
		.module = module,
		.public_url = *request->public_url ? request->public_url : NULL,
		.priv = &instance,
	};
	struct status status = { 0 };
	struct arena arena;

	arena_init(&arena, MODULE_CALL_MEMORY);
	if (instance.config != NULL &&
	    settings_decode(&module->config, settings, request->settings_len, &arena,
			    instance.config) == 0) {
		load_check_enters(module, "open");
		(void)open_module(&backend, &instance, &status);
	}
	if (instance.opened && module->close != NULL) {
		load_check_enters(module, "close");
		module->close(instance.handle);
	}
	load_check_enters(module, NULL);
	arena_done(&arena);
	free(instance.config);
}

void
instance_close(struct backend *backend)
{
	struct instance *instance = instance_of(backend);

	backend->priv = NULL;
	if (instance == NULL || atomic_fetch_sub(&instance->refs, 1) > 1)
		return;
	if (instance->opened && backend->module->close != NULL) {
		CRASH_SCOPE(backend, "close", LOG_NO_FIELDS);

		backend->module->close(instance->handle);
	}
	free_instance(instance);
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
