/* SPDX-License-Identifier: Apache-2.0
 * lists.c - backends and routes, gathered from all files. */
#include "config/load.h"

#include <string.h>

#include "config/check.h"

#include "banned.h"

/* How many entries there are; those beyond most are an error and not counted. */
static size_t
count(struct reader *reader, const struct load_lists *lists, size_t nlists, bool routes,
      size_t most)
{
	size_t n = 0;

	for (size_t i = 0; i < nlists; i++) {
		const config_setting_t *list = routes ? lists[i].routes : lists[i].backends;
		size_t len = list != NULL ? (size_t)config_setting_length(list) : 0;

		if (len > most - n) {
			const config_setting_t *first =
				config_setting_get_elem(list, (unsigned)(most - n));

			diag_error(reader->diag, lists[i].file, group_line(first),
				   "more than %zu %s", most, routes ? "routes" : "backends");
			return most;
		}
		n += len;
	}
	return n;
}

static bool
is_group(struct reader *reader, const config_setting_t *entry, const char *list)
{
	if (config_setting_type(entry) == CONFIG_TYPE_GROUP)
		return true;
	diag_error(reader->diag, reader->file, group_line(entry),
		   "'%s': expected groups { }, found %s", list, group_found(entry));
	return false;
}

static void
check_glob(struct reader *reader, const config_setting_t *group, const char *key, const char *glob)
{
	const config_setting_t *setting = config_setting_get_member(group, key);

	if (glob != NULL && strlen(glob) > LOAD_GLOB_MAX)
		diag_error(reader->diag, reader->file, group_line(setting),
			   "'%s': a pattern is longer than %d bytes", key, LOAD_GLOB_MAX);
}

static void
check_word(struct reader *reader, const config_setting_t *group, const char *key, const char *text)
{
	const char *reason = text != NULL ? check_backend_name(text) : NULL;

	if (reason != NULL)
		diag_error(reader->diag, reader->file,
			   group_line(config_setting_get_member(group, key)), "'%s': %s", key,
			   reason);
}

static void
check_unique(struct reader *reader, const struct config_backend *all, size_t n)
{
	const struct config_backend *last = &all[n - 1];

	for (size_t i = 0; i + 1 < n && last->name != NULL; i++) {
		if (all[i].name == NULL || strcmp(all[i].name, last->name) != 0)
			continue;
		diag_error(reader->diag, last->file, last->line, "backend '%s' is already at %s:%d",
			   last->name, all[i].file, all[i].line);
		return;
	}
}

static bool
any(const char *name)
{
	(void)name;
	return true;
}

/* The module's keys are left alone: config_settings() reads them. */
static void
read_backend(struct reader *reader, const config_setting_t *group, struct config_backend *backend)
{
	*backend = (struct config_backend){
		.file = reader->file,
		.line = group_line(group),
		.setting = group,
	};
	group_read(reader, group, &keys_backend, any, backend);
	check_word(reader, group, "name", backend->name);
	check_word(reader, group, "module", backend->module);
	for (const char *const *p = backend->existing_buckets; p != NULL && *p != NULL; p++)
		check_glob(reader, group, "existing_buckets", *p);
}

void
load_backends(struct reader *reader, const struct load_lists *lists, size_t nlists,
	      struct config *config)
{
	size_t most = count(reader, lists, nlists, false, LOAD_BACKENDS_MAX), n = 0;
	struct config_backend *all = arena_alloc(reader->arena, most * sizeof *all);

	for (size_t i = 0; i < nlists && all != NULL; i++) {
		const config_setting_t *list = lists[i].backends;
		unsigned len = list != NULL ? (unsigned)config_setting_length(list) : 0;

		reader->file = lists[i].file;
		for (unsigned j = 0; j < len && n < most; j++) {
			const config_setting_t *entry = config_setting_get_elem(list, j);

			if (!is_group(reader, entry, "backends"))
				continue;
			read_backend(reader, entry, &all[n++]);
			check_unique(reader, all, n);
		}
	}
	config->backends = all;
	config->nbackends = all != NULL ? n : 0;
}

static bool
has_backend(const struct config *config, const char *name)
{
	for (size_t i = 0; i < config->nbackends; i++)
		if (config->backends[i].name != NULL && strcmp(config->backends[i].name, name) == 0)
			return true;
	return false;
}

void
load_check_backend(struct reader *reader, const config_setting_t *group, const char *key,
		   const char *name, const struct config *config)
{
	if (name != NULL && !has_backend(config, name))
		diag_error(reader->diag, reader->file,
			   group_line(config_setting_get_member(group, key)),
			   "'%s': there is no backend '%s'", key, name);
}

void
load_routes(struct reader *reader, const struct load_lists *lists, size_t nlists,
	    struct config *config)
{
	size_t most = count(reader, lists, nlists, true, LOAD_ROUTES_MAX), n = 0;
	struct config_route *all = arena_alloc(reader->arena, most * sizeof *all);

	for (size_t i = 0; i < nlists && all != NULL; i++) {
		const config_setting_t *list = lists[i].routes;
		unsigned len = list != NULL ? (unsigned)config_setting_length(list) : 0;

		reader->file = lists[i].file;
		for (unsigned j = 0; j < len && n < most; j++) {
			const config_setting_t *entry = config_setting_get_elem(list, j);

			if (!is_group(reader, entry, "routes"))
				continue;
			group_read(reader, entry, &keys_route, NULL, &all[n]);
			check_glob(reader, entry, "match", all[n].match);
			load_check_backend(reader, entry, "backend", all[n].backend, config);
			n++;
		}
	}
	config->routes = all;
	config->nroutes = all != NULL ? n : 0;
}
