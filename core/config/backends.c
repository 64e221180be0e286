/* SPDX-License-Identifier: Apache-2.0
 * backends.c - backends and routes of all files, and a backend's own keys once its module is known.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/trust.h"
#include "config/load.h"

#include "banned.h"

/* ---- the lists of all files ---- */

/* The next entry of a list that is a group, NULL after the last; others are errors. */
static const config_setting_t *
next_group(const struct reader *reader, const config_setting_t *list, const char *key, int *at)
{
	while (list != NULL && *at < config_setting_length(list)) {
		const config_setting_t *entry = config_setting_get_elem(list, (unsigned)(*at)++);

		if (config_setting_type(entry) == CONFIG_TYPE_GROUP)
			return entry;
		group_error(reader, entry, "'%s': expected groups { }, found %s", key,
			    group_found(entry));
	}
	return NULL;
}

static void
check_glob(const struct reader *reader, const config_setting_t *group, const char *key,
	   const char *glob)
{
	if (glob != NULL && strlen(glob) > LOAD_GLOB_MAX)
		group_error(reader, config_setting_get_member(group, key),
			    "'%s': a pattern is longer than %d bytes", key, LOAD_GLOB_MAX);
}

static void
check_backend_word(const struct reader *reader, const config_setting_t *group, const char *key,
		   const char *text)
{
	const char *reason = text != NULL ? syntax_backend_name(text) : NULL;

	if (reason != NULL)
		group_error(reader, config_setting_get_member(group, key), "'%s': %s", key, reason);
}

/* The backend of that name among all[0..n), NULL: there is none. */
static const struct config_backend *
backend_named(const struct config_backend *all, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (all[i].name != NULL && strcmp(all[i].name, name) == 0)
			return &all[i];
	return NULL;
}

/* The module's keys are left to config_settings(). */
static void
read_backend(struct reader *reader, const config_setting_t *group, struct config_backend *all,
	     size_t n)
{
	static const char *const any[] = { "*", NULL };
	struct config_backend *backend = &all[n];
	size_t before = reader->diag->nerrors, nlines = reader->diag->nlines;
	const struct config_backend *same;
	const char *flaw;

	*backend = (struct config_backend){
		.file = reader->file,
		.line = group_line(group),
		.setting = group,
		/* Kept where the value is flawed: the backend may be the one that is meant. */
		.accept_new = true,
		.existing_buckets = any,
	};
	group_read(reader, group, &keys_backend, &keys_any, backend);
	check_backend_word(reader, group, "name", backend->name);
	check_backend_word(reader, group, "module", backend->module);
	for (const char *const *p = backend->existing_buckets; p != NULL && *p != NULL; p++)
		check_glob(reader, group, "existing_buckets", *p);
	backend->nflaws = reader->diag->nerrors - before;
	flaw = diag_first_error(reader->diag, nlines);
	if (backend->nflaws > 0)
		backend->flaw = arena_strdup(reader->arena,
					     flaw != NULL ? flaw : "its configuration is flawed");
	same = backend->name != NULL ? backend_named(all, n, backend->name) : NULL;
	if (same != NULL)
		diag_error(reader->diag, backend->file, backend->line,
			   "backend '%s' is already at %s:%d", backend->name, same->file,
			   same->line);
}

void
load_backends(struct reader *reader, const struct load_lists *lists, size_t nlists,
	      struct config *config)
{
	struct config_backend *all = arena_alloc(reader->arena, LOAD_BACKENDS_MAX * sizeof *all);
	const config_setting_t *group;

	config->backends = all;
	for (size_t i = 0; all != NULL && i < nlists; i++) {
		int at = 0;

		reader->file = lists[i].file;
		config->backends_given |= lists[i].backends != NULL;
		while ((group = next_group(reader, lists[i].backends, "backends", &at)) != NULL) {
			if (config->nbackends == LOAD_BACKENDS_MAX) {
				group_error(reader, group, "more than %d backends",
					    LOAD_BACKENDS_MAX);
				return;
			}
			read_backend(reader, group, all, config->nbackends++);
		}
	}
}

void
load_keep_named(struct config *config)
{
	struct config_backend *all = (struct config_backend *)(uintptr_t)config->backends;
	size_t n = 0;

	for (size_t i = 0; i < config->nbackends; i++) {
		const struct config_backend *backend = &all[i];

		if (backend->name != NULL && syntax_backend_name(backend->name) == NULL &&
		    backend->module != NULL && syntax_backend_name(backend->module) == NULL &&
		    backend_named(all, n, backend->name) == NULL)
			all[n++] = *backend;
	}
	config->nbackends = n;
}

void
load_require_backend(const struct reader *reader, const config_setting_t *group, const char *key,
		     const char *name, const struct config *config)
{
	if (name != NULL && !reader->incomplete &&
	    backend_named(config->backends, config->nbackends, name) == NULL)
		group_error(reader, config_setting_get_member(group, key),
			    "'%s': there is no backend '%s'", key, name);
}

void
load_routes(struct reader *reader, const struct load_lists *lists, size_t nlists,
	    struct config *config)
{
	struct config_route *all = arena_alloc(reader->arena, LOAD_ROUTES_MAX * sizeof *all);
	const config_setting_t *group;

	config->routes = all;
	for (size_t i = 0; all != NULL && i < nlists; i++) {
		int at = 0;

		reader->file = lists[i].file;
		while ((group = next_group(reader, lists[i].routes, "routes", &at)) != NULL) {
			struct config_route *route = &all[config->nroutes];

			if (config->nroutes == LOAD_ROUTES_MAX) {
				group_error(reader, group, "more than %d routes", LOAD_ROUTES_MAX);
				return;
			}
			config->nroutes++;
			group_read(reader, group, &keys_route, NULL, route);
			check_glob(reader, group, "match", route->match);
			load_require_backend(reader, group, "backend", route->backend, config);
		}
	}
}

/* ---- one backend's settings ---- */

enum { SETTINGS_MEMORY = 4 << 20 };

struct config_settings {
	struct arena arena;
	struct source source;
};

/* Where an error of a key stands: at the key, or at its backend where the key is absent. */
static int
key_line(const struct config_backend *backend, const char *key)
{
	const config_setting_t *setting = config_setting_get_member(backend->setting, key);

	return setting != NULL ? group_line(setting) : backend->line;
}

int
config_line(const struct config_backend *backend, const char *text)
{
	static const char word[] = "key '";
	const char *at = strstr(text, word);
	char name[64] = "";

	if (at != NULL)
		(void)snprintf(name, sizeof name, "%.*s", (int)strcspn(at + sizeof word - 1, "'"),
			       at + sizeof word - 1);
	return key_line(backend, name);
}

/* The key may have been given with an error, which was reported then. */
static bool
is_given(const struct config_backend *backend, const char *key)
{
	return config_setting_get_member(backend->setting, key) != NULL;
}

static void
require_key(const struct config_backend *backend, const struct cosi_module *module, const char *key,
	    struct diag *diag)
{
	if (!is_given(backend, key))
		diag_error(diag, backend->file, backend->line,
			   "backend '%s': '%s' is required by module '%s'", backend->name, key,
			   module->name);
}

static void
check_network(const struct config_backend *backend, const struct cosi_module *module,
	      struct diag *diag)
{
	const char *endpoint = backend->endpoint != NULL ? backend->endpoint : module->endpoint;
	const char *ca_file = backend->ca_file;
	bool tls = endpoint != NULL && strncmp(endpoint, "https://", 8) == 0;
	struct status status = { 0 };
	struct stat st;

	if (endpoint == NULL)
		require_key(backend, module, "endpoint", diag);
	if (ca_file != NULL && (stat(ca_file, &st) != 0 || access(ca_file, R_OK) != 0))
		status_fail(&status, COSI_INVALID, "%s", strerrordesc_np(errno));
	else if (ca_file != NULL && !S_ISREG(st.st_mode))
		status_fail(&status, COSI_INVALID, "this is not a regular file");
	else if (ca_file != NULL)
		(void)trust_check(ca_file, &status);
	if (!status_ok(&status))
		diag_error(diag, backend->file, key_line(backend, "ca_file"),
			   "cannot read ca_file '%s': %s", ca_file, status.text);
	if (backend->insecure)
		diag_warning(diag, backend->file, key_line(backend, "insecure"),
			     tls ? "backend '%s': 'insecure' is set: the store's certificate "
				   "is not verified"
				 : "backend '%s': 'insecure' has no effect without https://",
			     backend->name);
}

/* A module that does not use the network has no use for the keys of those that do. */
static void
check_local(const struct config_backend *backend, const struct cosi_module *module,
	    struct diag *diag)
{
	for (size_t i = 0; i < keys_network.nkeys; i++) {
		const char *name = keys_network.keys[i].name;

		if (is_given(backend, name))
			diag_error(diag, backend->file, key_line(backend, name),
				   "'%s': module '%s' does not use the network", name,
				   module->name);
	}
	require_key(backend, module, "public_endpoint", diag);
}

/* The URL for applications is a string in COSI's answers about S3: where it is too long for them, a
 * bucket would be made and could not be answered. */
static void
check_public_url(const struct config_backend *backend, const struct cosi_module *module,
		 struct diag *diag)
{
	const char *key = backend->public_endpoint != NULL ? "public_endpoint" : "endpoint";
	const char *url =
		backend->public_endpoint != NULL ? backend->public_endpoint : backend->endpoint;

	if ((module->protocols & COSI_S3) != 0 && url != NULL && strlen(url) > SYNTAX_S3_URL_MAX)
		diag_error(diag, backend->file, key_line(backend, key),
			   "'%s': longer than %d bytes, the most that COSI allows for an S3 "
			   "endpoint",
			   key, SYNTAX_S3_URL_MAX);
}

/* Only the modules, which are not loaded yet, know which keys are secrets; but no other key has a
 * use for such a text. */
void
config_take_env(const struct config *config)
{
	for (size_t i = 0; i < config->nbackends; i++) {
		const config_setting_t *group = config->backends[i].setting, *setting;

		for (unsigned j = 0; (setting = config_setting_get_elem(group, j)) != NULL; j++) {
			int n = config_setting_length(setting);

			source_take_env(config_setting_get_string(setting));
			for (int k = 0; k < n; k++)
				source_take_env(config_setting_get_string_elem(setting, k));
		}
	}
}

int
config_settings(const struct config_backend *backend, const struct cosi_module *module,
		bool checking, void *out, struct config_settings **out_settings, struct diag *diag)
{
	struct config_settings *settings = calloc(1, sizeof *settings);
	struct reader reader = { .diag = diag, .file = backend->file };
	size_t before = diag->nerrors;

	*out_settings = NULL;
	if (settings == NULL) {
		diag_error(diag, backend->file, backend->line, "out of memory");
		return -1;
	}
	arena_init(&settings->arena, SETTINGS_MEMORY);
	settings->source.checking = checking;
	reader.arena = &settings->arena;
	reader.source = &settings->source;
	/* The daemon's keys come first, so a module's key of the same name would never be read. */
	for (size_t i = 0; i < module->config.nkeys; i++)
		if (value_key(&keys_backend, module->config.keys[i].name) != NULL)
			diag_error(diag, backend->file, backend->line,
				   "module '%s': key '%s' belongs to the daemon", module->name,
				   module->config.keys[i].name);
	if ((module->flags & COSI_NETWORK) != 0)
		check_network(backend, module, diag);
	else
		check_local(backend, module, diag);
	check_public_url(backend, module, diag);
	group_read(&reader, backend->setting, &module->config, &keys_backend, out);
	if (arena_failed(&settings->arena))
		diag_error(diag, backend->file, backend->line,
			   "the settings of backend '%s' need too much memory", backend->name);
	if (backend->nflaws > 0 || diag->nerrors > before) {
		config_settings_free(settings);
		return -1;
	}
	*out_settings = settings;
	return 0;
}

void
config_settings_free(struct config_settings *settings)
{
	if (settings == NULL)
		return;
	source_done(&settings->source);
	arena_done(&settings->arena);
	free(settings);
}
