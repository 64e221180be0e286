/* SPDX-License-Identifier: Apache-2.0
 * load.c - the main file, then those of its include_dir, into one struct config. */
#include "config/load.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/parse.h"
#include "config/syntax.h"

#include "banned.h"

struct loaded {
	struct config config; /* first: it is what others hold a pointer to */
	atomic_uint refs;
	struct arena arena;
	size_t nfiles;
	struct config_file *files; /* in the arena; their trees are owned here */
};

/* What loading needs besides the reader. */
struct load {
	struct loaded *loaded;
	struct reader reader;
	struct top_keys top;
	size_t nlists;
	struct load_lists *lists; /* the main file's first */
};

static void
complain(struct load *load, const char *key, const char *reason)
{
	const config_setting_t *root = config_root_setting(&load->loaded->files[0].tree);
	const config_setting_t *setting = config_setting_get_member(root, key);

	if (reason != NULL)
		diag_error(load->reader.diag, load->reader.file,
			   setting != NULL ? group_line(setting) : 0, "'%s': %s", key, reason);
}

/* COSI_ENDPOINT is the specification's word; it wins over the file. */
static void
read_endpoint(struct load *load)
{
	const char *wins = getenv("COSI_ENDPOINT"), *path = NULL, *reason;

	if (load->top.endpoint != NULL)
		complain(load, "endpoint", syntax_endpoint(load->top.endpoint, &path));
	if (wins != NULL) {
		reason = syntax_endpoint(wins, &path);
		if (reason != NULL)
			diag_error(load->reader.diag, NULL, 0,
				   "the environment's COSI_ENDPOINT: %s", reason);
	}
	if (path != NULL)
		load->top.config.socket_path = arena_strdup(load->reader.arena, path);
}

/* Are both sockets in one directory?  The specification wants COSI's to be alone there. */
static bool
share_directory(const char *a, const char *b)
{
	size_t len = (size_t)(strrchr(a, '/') - a);

	return len == (size_t)(strrchr(b, '/') - b) && memcmp(a, b, len) == 0;
}

static void
read_admin_endpoint(struct load *load)
{
	const config_setting_t *root = config_root_setting(&load->loaded->files[0].tree);
	struct config *config = &load->top.config;
	const char *path = NULL;

	if (load->top.admin_endpoint != NULL)
		complain(load, "admin_endpoint", syntax_endpoint(load->top.admin_endpoint, &path));
	if (path == NULL)
		return;
	config->admin_path = arena_strdup(load->reader.arena, path);
	config->admin_given = config_setting_get_member(root, "admin_endpoint") != NULL;
	if (config->socket_path != NULL && share_directory(path, config->socket_path))
		complain(load, "admin_endpoint",
			 "the directory of the COSI socket holds nothing but that socket");
}

static void
read_peers(struct load *load)
{
	struct config *config = &load->top.config;
	struct peer_keys peers = { 0 };
	size_t before = load->reader.diag->nerrors;

	config->peers_limited = load->top.allowed_peers != NULL;
	if (!config->peers_limited)
		return;
	group_read(&load->reader, load->top.allowed_peers, &keys_peers, NULL, &peers);
	if (peers.uids.n + peers.gids.n == 0 && load->reader.diag->nerrors == before)
		diag_warning(load->reader.diag, load->reader.file,
			     group_line(load->top.allowed_peers),
			     "'allowed_peers' is empty: nobody can connect");
	_Static_assert(sizeof(uid_t) == sizeof(uint32_t) && sizeof(gid_t) == sizeof(uint32_t),
		       "user ids have 32 bits");
	config->npeer_uids = peers.uids.n;
	config->peer_uids = peers.uids.ids;
	config->npeer_gids = peers.gids.n;
	config->peer_gids = peers.gids.ids;
}

static void
read_log(struct load *load)
{
	struct log_keys log = { "info", "text" };

	if (load->top.log != NULL)
		group_read(&load->reader, load->top.log, &keys_log, NULL, &log);
	load->top.config.log_level = log_level_parse(log.level);
	load->top.config.log_json = strcmp(log.format, "json") == 0;
}

static void
read_main(struct load *load)
{
	const config_setting_t *root = config_root_setting(&load->loaded->files[0].tree);
	struct config *config = &load->top.config;
	unsigned mode = 0;

	group_read(&load->reader, root, &keys_top, NULL, &load->top);
	if (config->driver_name != NULL)
		complain(load, "driver_name", syntax_driver_name(config->driver_name));
	if (config->owner != NULL)
		complain(load, "owner", syntax_owner(config->owner));
	else
		config->owner = config->driver_name;
	if (load->top.socket_mode != NULL && parse_mode(load->top.socket_mode, &mode) != 0)
		complain(load, "socket_mode", "expected an octal mode such as 0660");
	config->socket_mode = mode;
	if (config_setting_get_member(root, "module_dir") == NULL)
		config->module_dir = config_default_module_dir();
	read_endpoint(load);
	read_admin_endpoint(load);
	read_peers(load);
	read_log(load);
	load->lists[0] =
		(struct load_lists){ load->reader.file, load->top.routes, load->top.backends };
	load->nlists = 1;
}

static bool
is_top_key(const char *name)
{
	return value_key(&keys_top, name) != NULL;
}

static void
refuse_top_keys(struct reader *reader, const config_setting_t *root)
{
	for (int i = 0; i < config_setting_length(root); i++) {
		const config_setting_t *setting = config_setting_get_elem(root, (unsigned)i);
		const char *name = config_setting_name(setting);

		if (is_top_key(name) && value_key(&keys_include, name) == NULL)
			diag_error(reader->diag, reader->file, group_line(setting),
				   "'%s' stands in the main file only", name);
	}
}

static void
read_include(struct load *load, const char *path)
{
	struct config_file *file = &load->loaded->files[load->loaded->nfiles];
	struct include_keys keys = { 0 };

	if (file_load(file, load->reader.arena, path, load->reader.diag) != 0) {
		load->reader.incomplete = true;
		return;
	}
	load->loaded->nfiles++;
	load->reader.file = file->path;
	refuse_top_keys(&load->reader, config_root_setting(&file->tree));
	group_read(&load->reader, config_root_setting(&file->tree), &keys_include, is_top_key,
		   &keys);
	load->lists[load->nlists++] = (struct load_lists){ file->path, keys.routes, keys.backends };
}

static void
read_includes(struct load *load)
{
	const char *const *paths = NULL, *reason = NULL;
	size_t n = 0;

	if (load->top.include_dir == NULL)
		return;
	if (file_list(load->reader.arena, load->top.include_dir, &paths, &n, &reason) != 0) {
		complain(load, "include_dir",
			 arena_printf(load->reader.arena, "cannot read '%s': %s",
				      load->top.include_dir, reason));
		load->reader.incomplete = true;
		return;
	}
	for (size_t i = 0; i < n; i++)
		read_include(load, paths[i]);
}

static void
read_all(struct load *load)
{
	struct config *config = &load->top.config;
	const config_setting_t *root = config_root_setting(&load->loaded->files[0].tree);

	read_main(load);
	read_includes(load);
	load_backends(&load->reader, load->lists, load->nlists, config);
	load_routes(&load->reader, load->lists, load->nlists, config);
	load->reader.file = load->loaded->files[0].path;
	load_check_backend(&load->reader, root, "default_backend", config->default_backend, config);
	if (config->nbackends == 0 && !load->reader.incomplete)
		diag_warning(load->reader.diag, load->reader.file, 0,
			     "there is no backend: no bucket can be made");
}

static struct loaded *
loaded_new(size_t memory)
{
	struct loaded *loaded = calloc(1, sizeof *loaded);

	if (loaded == NULL)
		return NULL;
	atomic_init(&loaded->refs, 1);
	arena_init(&loaded->arena, memory);
	return loaded;
}

static void
run(struct load *load, const char *path)
{
	struct loaded *loaded = load->loaded;
	struct arena *arena = load->reader.arena;

	loaded->files = arena_alloc(arena, (1 + FILE_INCLUDES_MAX) * sizeof *loaded->files);
	load->lists = arena_alloc(arena, (1 + FILE_INCLUDES_MAX) * sizeof *load->lists);
	if (load->lists == NULL || loaded->files == NULL)
		return;
	if (file_load(&loaded->files[0], arena, path, load->reader.diag) != 0)
		return;
	loaded->nfiles = 1;
	load->reader.file = loaded->files[0].path;
	read_all(load);
	loaded->config = load->top.config;
}

/* NULL: not even the main file could be read. */
static struct config *
load_any(const char *path, size_t memory, struct diag *diag)
{
	struct load load = { .loaded = loaded_new(memory), .reader.diag = diag };

	if (load.loaded == NULL) {
		diag_error(diag, path, 0, "no memory");
		return NULL;
	}
	load.reader.arena = &load.loaded->arena;
	run(&load, path);
	if (arena_failed(&load.loaded->arena))
		diag_error(diag, path, 0, "no memory for the configuration");
	else if (load.loaded->nfiles > 0)
		return &load.loaded->config;
	config_unref(&load.loaded->config);
	return NULL;
}

struct config *
load_within(const char *path, size_t memory, struct diag *diag)
{
	size_t before = diag->nerrors;
	struct config *config = load_any(path, memory, diag);

	if (config == NULL || diag->nerrors == before)
		return config;
	config_unref(config);
	return NULL;
}

struct config *
config_load(const char *path, struct diag *diag)
{
	return load_within(path, LOAD_MEMORY, diag);
}

struct config *
config_load_partly(const char *path, struct diag *diag)
{
	struct config *config = load_any(path, LOAD_MEMORY, diag);

	if (config != NULL)
		load_keep_named(config);
	return config;
}

void
config_forget(struct config *config)
{
	struct loaded *loaded = (struct loaded *)config;

	for (size_t i = 0; i < loaded->nfiles; i++)
		file_forget(&loaded->files[i]);
}

struct arena *
load_arena(const struct config *config)
{
	struct loaded *loaded = (struct loaded *)(uintptr_t)config;

	return &loaded->arena;
}

int
config_line(const struct config *config, const char *key, const char **out_file)
{
	const struct loaded *loaded = (const struct loaded *)config;
	const config_setting_t *root = config_root_setting(&loaded->files[0].tree);
	const config_setting_t *setting = config_setting_get_member(root, key);

	*out_file = loaded->files[0].path;
	return setting != NULL ? group_line(setting) : 0;
}

struct config *
config_ref(struct config *config)
{
	struct loaded *loaded = (struct loaded *)config;

	atomic_fetch_add(&loaded->refs, 1);
	return config;
}

void
config_unref(struct config *config)
{
	struct loaded *loaded = (struct loaded *)config;

	if (loaded == NULL || atomic_fetch_sub(&loaded->refs, 1) > 1)
		return;
	for (size_t i = 0; i < loaded->nfiles; i++)
		file_done(&loaded->files[i]);
	arena_done(&loaded->arena);
	free(loaded);
}
