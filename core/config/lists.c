/* SPDX-License-Identifier: Apache-2.0
 * lists.c - backends and routes, gathered from all files. */
#include "config/load.h"

#include <stdint.h>
#include <string.h>

#include "config/syntax.h"

#include "banned.h"

/* A walk over the entries of one kind in all files. */
struct walk {
	const struct load_lists *lists;
	size_t nlists;
	bool routes;    /* or backends */
	size_t file;    /* where it is */
	unsigned entry; /* the next one of that file */
};

static const char *
kind_of(const struct walk *walk)
{
	return walk->routes ? "routes" : "backends";
}

static const config_setting_t *
list_of(const struct walk *walk, size_t file)
{
	return walk->routes ? walk->lists[file].routes : walk->lists[file].backends;
}

/* How many entries there are; those beyond most are an error and not counted. */
static size_t
count(struct reader *reader, const struct walk *walk, size_t most)
{
	size_t n = 0;

	for (size_t i = 0; i < walk->nlists; i++) {
		const config_setting_t *list = list_of(walk, i);
		size_t len = list != NULL ? (size_t)config_setting_length(list) : 0;

		if (len > most - n) {
			const config_setting_t *first =
				config_setting_get_elem(list, (unsigned)(most - n));

			diag_error(reader->diag, walk->lists[i].file, group_line(first),
				   "more than %zu %s", most, kind_of(walk));
			return most;
		}
		n += len;
	}
	return n;
}

/* The next entry that is a group, NULL after the last; others are errors. */
static const config_setting_t *
walk_next(struct reader *reader, struct walk *walk)
{
	for (; walk->file < walk->nlists; walk->file++, walk->entry = 0) {
		const config_setting_t *list = list_of(walk, walk->file), *entry;

		reader->file = walk->lists[walk->file].file;
		while (list != NULL &&
		       (entry = config_setting_get_elem(list, walk->entry)) != NULL) {
			walk->entry++;
			if (config_setting_type(entry) == CONFIG_TYPE_GROUP)
				return entry;
			diag_error(reader->diag, reader->file, group_line(entry),
				   "'%s': expected groups { }, found %s", kind_of(walk),
				   group_found(entry));
		}
	}
	return NULL;
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
	const char *reason = text != NULL ? syntax_backend_name(text) : NULL;

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
	size_t before = reader->diag->nerrors;

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
	backend->flawed = reader->diag->nerrors > before;
}

void
load_backends(struct reader *reader, const struct load_lists *lists, size_t nlists,
	      struct config *config)
{
	struct walk walk = { .lists = lists, .nlists = nlists };
	size_t most = count(reader, &walk, LOAD_BACKENDS_MAX), n = 0;
	struct config_backend *all = arena_alloc(reader->arena, most * sizeof *all);
	const config_setting_t *entry;

	while (all != NULL && n < most && (entry = walk_next(reader, &walk)) != NULL) {
		read_backend(reader, entry, &all[n++]);
		check_unique(reader, all, n);
	}
	config->backends = all;
	config->nbackends = all != NULL ? n : 0;
}

static bool
is_named(const struct config_backend *all, size_t i)
{
	const struct config_backend *backend = &all[i];

	if (backend->name == NULL || syntax_backend_name(backend->name) != NULL ||
	    backend->module == NULL || syntax_backend_name(backend->module) != NULL)
		return false;
	for (size_t j = 0; j < i; j++)
		if (strcmp(all[j].name, backend->name) == 0)
			return false;
	return true;
}

void
load_keep_named(struct config *config)
{
	struct config_backend *all = (struct config_backend *)(uintptr_t)config->backends;
	size_t n = 0;

	for (size_t i = 0; i < config->nbackends; i++) {
		all[n] = all[i];
		if (is_named(all, n))
			n++;
	}
	config->nbackends = n;
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
	if (name != NULL && !reader->incomplete && !has_backend(config, name))
		diag_error(reader->diag, reader->file,
			   group_line(config_setting_get_member(group, key)),
			   "'%s': there is no backend '%s'", key, name);
}

void
load_routes(struct reader *reader, const struct load_lists *lists, size_t nlists,
	    struct config *config)
{
	struct walk walk = { .lists = lists, .nlists = nlists, .routes = true };
	size_t most = count(reader, &walk, LOAD_ROUTES_MAX), n = 0;
	struct config_route *all = arena_alloc(reader->arena, most * sizeof *all);
	const config_setting_t *entry;

	while (all != NULL && n < most && (entry = walk_next(reader, &walk)) != NULL) {
		group_read(reader, entry, &keys_route, NULL, &all[n]);
		check_glob(reader, entry, "match", all[n].match);
		load_check_backend(reader, entry, "backend", all[n].backend, config);
		n++;
	}
	config->routes = all;
	config->nroutes = all != NULL ? n : 0;
}
