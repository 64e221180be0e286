/* SPDX-License-Identifier: Apache-2.0
 * load.c - the main file, then those of its include_dir, into one struct config; its life. */
#include "config/load.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/parse.h"

#include "banned.h"

struct loaded {
	struct config config; /* first: others hold a pointer to it */
	atomic_uint refs;
	struct arena arena;
	size_t nfiles;
	struct config_file *files; /* in the arena, the main file's first; their trees are owned */
};

/* What loading needs in addition to the result. */
struct load {
	struct loaded *loaded;
	struct reader reader;
	struct top_keys top;
	size_t nlists;
	struct load_lists *lists; /* the main file's first */
};

static struct loaded *
loaded_of(const struct config *config)
{
	return (struct loaded *)(uintptr_t)config;
}

static const config_setting_t *
top_setting(const struct loaded *loaded, const char *key)
{
	return config_setting_get_member(config_root_setting(&loaded->files[0].tree), key);
}

static void
top_error(struct load *load, const char *key, const char *reason)
{
	if (reason != NULL)
		group_error(&load->reader, top_setting(load->loaded, key), "'%s': %s", key, reason);
}

/* COSI_ENDPOINT is the specification's word; it wins over the file.  The specification wants COSI's
 * socket to be alone in its directory. */
static void
read_endpoints(struct load *load)
{
	const char *env = getenv("COSI_ENDPOINT"), *path = NULL, *admin = NULL, *reason;
	struct config *config = &load->top.config;
	size_t len;

	if (load->top.endpoint != NULL)
		top_error(load, "endpoint", syntax_endpoint(load->top.endpoint, &path));
	if (env != NULL) {
		reason = syntax_endpoint(env, &path);
		if (reason != NULL)
			diag_error(load->reader.diag, NULL, 0,
				   "the environment's COSI_ENDPOINT: %s", reason);
	}
	if (path != NULL)
		config->socket_path = arena_strdup(load->reader.arena, path);
	if (load->top.admin_endpoint != NULL)
		top_error(load, "admin_endpoint",
			  syntax_endpoint(load->top.admin_endpoint, &admin));
	if (admin == NULL)
		return;
	config->admin_given = top_setting(load->loaded, "admin_endpoint") != NULL;
	len = (size_t)(strrchr(admin, '/') - admin);
	if (path != NULL && len == (size_t)(strrchr(path, '/') - path) &&
	    memcmp(admin, path, len) == 0)
		top_error(load, "admin_endpoint",
			  "the directory of the COSI socket holds nothing but that socket");
	else
		config->admin_path = arena_strdup(load->reader.arena, admin);
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
			     "'allowed_peers' is empty: no process can connect");
	_Static_assert(sizeof(uid_t) == sizeof(uint32_t) && sizeof(gid_t) == sizeof(uint32_t),
		       "user ids have 32 bits");
	config->npeer_uids = peers.uids.n;
	config->peer_uids = peers.uids.ids;
	config->npeer_gids = peers.gids.n;
	config->peer_gids = peers.gids.ids;
}

static void
read_main(struct load *load)
{
	struct config *config = &load->top.config;
	struct log_keys log = { "info", "text" };
	unsigned mode = 0;

	group_read(&load->reader, config_root_setting(&load->loaded->files[0].tree), &keys_top,
		   NULL, &load->top);
	if (config->driver_name != NULL)
		top_error(load, "driver_name", syntax_driver_name(config->driver_name));
	if (config->owner != NULL)
		top_error(load, "owner", syntax_owner(config->owner));
	else
		config->owner = config->driver_name;
	if (load->top.socket_mode != NULL && parse_mode(load->top.socket_mode, &mode) < 0)
		top_error(load, "socket_mode", "expected an octal mode such as 0660");
	config->socket_mode = mode;
	if (top_setting(load->loaded, "module_dir") == NULL)
		config->module_dir = config_default_module_dir();
	/* Earlier versions copied modules there; their configurations still work. */
	if (load->top.state_dir != NULL)
		diag_warning(load->reader.diag, load->reader.file,
			     group_line(top_setting(load->loaded, "state_dir")),
			     "'state_dir' is ignored: cosid loads modules from memory and needs no "
			     "directory; remove the line");
	read_endpoints(load);
	read_peers(load);
	if ((mode & S_IWOTH) != 0 && !config->peers_limited)
		diag_warning(load->reader.diag, load->reader.file,
			     group_line(top_setting(load->loaded, "socket_mode")),
			     "'socket_mode': every user of the host can make every call; use 0660, "
			     "or set 'allowed_peers'");
	if (load->top.log != NULL)
		group_read(&load->reader, load->top.log, &keys_log, NULL, &log);
	config->log_level = log_level_parse(log.level);
	config->log_json = strcmp(log.format, "json") == 0;
	load->lists[load->nlists++] =
		(struct load_lists){ load->reader.file, load->top.routes, load->top.backends };
}

static void
read_include(struct load *load, const char *path)
{
	struct config_file *file = &load->loaded->files[load->loaded->nfiles];
	struct include_keys keys = { 0 };
	const config_setting_t *root;

	if (file_load(file, load->reader.arena, path, load->reader.diag) < 0) {
		load->reader.incomplete = true;
		return;
	}
	load->loaded->nfiles++;
	load->reader.file = file->path;
	root = config_root_setting(&file->tree);
	for (int i = 0; i < config_setting_length(root); i++) {
		const config_setting_t *setting = config_setting_get_elem(root, (unsigned)i);
		const char *name = config_setting_name(setting);

		if (value_key(&keys_top, name) != NULL && value_key(&keys_include, name) == NULL)
			group_error(&load->reader, setting, "'%s' is allowed in the main file only",
				    name);
	}
	group_read(&load->reader, root, &keys_include, &keys_top, &keys);
	load->lists[load->nlists++] = (struct load_lists){ file->path, keys.routes, keys.backends };
}

/* All files into loaded->config, as far as they can be read. */
static void
read_files(struct load *load, const char *path)
{
	struct loaded *loaded = load->loaded;
	struct config *config = &load->top.config;
	struct diag *diag = load->reader.diag;
	const char *const *paths = NULL, *dir, *reason = NULL;
	size_t npaths = 0;

	loaded->files =
		arena_alloc(&loaded->arena, (1 + FILE_INCLUDES_MAX) * sizeof *loaded->files);
	load->lists = arena_alloc(&loaded->arena, (1 + FILE_INCLUDES_MAX) * sizeof *load->lists);
	if (load->lists == NULL || loaded->files == NULL ||
	    file_load(&loaded->files[0], &loaded->arena, path, diag) < 0)
		return;
	loaded->nfiles = 1;
	load->reader.file = loaded->files[0].path;
	read_main(load);
	dir = load->top.include_dir;
	if (dir != NULL && file_list(load->reader.arena, dir, &paths, &npaths, &reason) < 0) {
		top_error(load, "include_dir",
			  arena_printf(load->reader.arena, "cannot read '%s': %s", dir, reason));
		load->reader.incomplete = true;
		npaths = 0;
	}
	for (size_t i = 0; i < npaths; i++)
		read_include(load, paths[i]);
	load_backends(&load->reader, load->lists, load->nlists, config);
	load_routes(&load->reader, load->lists, load->nlists, config);
	load->reader.file = loaded->files[0].path;
	load_require_backend(&load->reader, config_root_setting(&loaded->files[0].tree),
			     "default_backend", config->default_backend, config);
	if (config->nbackends == 0 && !load->reader.incomplete)
		diag_warning(diag, load->reader.file, 0,
			     "there is no backend: no bucket can be created");
	load_keep_named(config);
	loaded->config = *config;
}

struct config *
load_within(const char *path, size_t memory, struct diag *diag)
{
	struct load load = { .loaded = calloc(1, sizeof *load.loaded), .reader.diag = diag };

	if (load.loaded == NULL) {
		diag_error(diag, path, 0, "out of memory");
		return NULL;
	}
	atomic_init(&load.loaded->refs, 1);
	arena_init(&load.loaded->arena, memory);
	load.reader.arena = &load.loaded->arena;
	read_files(&load, path);
	if (arena_failed(&load.loaded->arena))
		diag_error(diag, path, 0, "the configuration needs too much memory");
	else if (load.loaded->nfiles > 0)
		return &load.loaded->config;
	config_unref(&load.loaded->config);
	return NULL;
}

struct config *
config_load(const char *path, struct diag *diag)
{
	return load_within(path, LOAD_MEMORY, diag);
}

void
config_forget(struct config *config)
{
	struct loaded *loaded = loaded_of(config);

	for (size_t i = 0; i < loaded->nfiles; i++)
		file_forget(&loaded->files[i]);
}

/* ---- what stays until a restart ----
 *
 * Sidecars know the daemon by its socket and its name, buckets and accounts by the owner; the other
 * socket was made at the start. */

static bool
same_text(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* The new configuration may outlive the running one. */
static void
keep_text(struct config *config, const char *key, const char **text, const char *running,
	  struct diag *diag)
{
	struct loaded *loaded = loaded_of(config);
	const config_setting_t *setting = top_setting(loaded, key);

	/* NULL: it was wrong, which was reported. */
	if (*text == NULL || same_text(*text, running))
		return;
	diag_warning(diag, loaded->files[0].path, setting != NULL ? group_line(setting) : 0,
		     "'%s' cannot change without a restart: '%s' stays", key, running);
	*text = arena_strdup(&loaded->arena, running);
}

void
config_keep(struct config *config, const struct config *running, struct diag *diag)
{
	bool derived = same_text(config->owner, config->driver_name) &&
		       same_text(running->owner, running->driver_name);

	keep_text(config, "driver_name", &config->driver_name, running->driver_name, diag);
	if (derived)
		config->owner = config->driver_name;
	keep_text(config, "owner", &config->owner, running->owner, diag);
	keep_text(config, "endpoint", &config->socket_path, running->socket_path, diag);
	keep_text(config, "admin_endpoint", &config->admin_path, running->admin_path, diag);
	if (config->nbackends == 0 && running->nbackends > 0 && !config->backends_given &&
	    diag->nerrors == 0)
		diag_error(diag, loaded_of(config)->files[0].path, 0,
			   "no file has the key 'backends', and backends are served: is a file "
			   "incomplete?  To serve none, write backends = ( );");
	if (arena_failed(&loaded_of(config)->arena))
		diag_error(diag, NULL, 0, "the configuration needs too much memory");
}

/* ---- its life ---- */

struct config *
config_ref(struct config *config)
{
	atomic_fetch_add(&loaded_of(config)->refs, 1);
	return config;
}

void
config_unref(struct config *config)
{
	struct loaded *loaded = loaded_of(config);

	if (loaded == NULL || atomic_fetch_sub(&loaded->refs, 1) > 1)
		return;
	for (size_t i = 0; i < loaded->nfiles; i++)
		file_done(&loaded->files[i]);
	arena_done(&loaded->arena);
	free(loaded);
}
