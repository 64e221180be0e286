/* SPDX-License-Identifier: Apache-2.0
 * fixed.c - what a daemon keeps for its whole life, whatever a later configuration says.
 *
 * Sidecars know the daemon by its socket and its name, buckets and accounts by the owner; sockets
 * and directories were made at the start.
 */
#include <string.h>

#include "config/load.h"

#include "banned.h"

static void
warn(struct diag *diag, const struct config *config, const char *key, const char *stays)
{
	const char *file;
	int line = load_place(config, key, &file);

	diag_warning(diag, file, line, "'%s' cannot change without a restart: %s stays", key,
		     stays != NULL ? stays : "what was");
}

static bool
same(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* The new configuration may outlive the running one. */
static void
keep_text(struct config *config, const char *key, const char **text, const char *running,
	  struct diag *diag)
{
	struct arena *arena = load_arena(config);

	if (same(*text, running))
		return;
	warn(diag, config, key,
	     running != NULL ? arena_printf(arena, "'%s'", running) : "its absence");
	*text = running != NULL ? arena_strdup(arena, running) : NULL;
}

static bool
same_peers(const struct config *a, const struct config *b)
{
	_Static_assert(sizeof(uid_t) == sizeof(gid_t), "both are compared below");
	const size_t size = sizeof(uid_t);

	return a->peers_limited == b->peers_limited && a->npeer_uids == b->npeer_uids &&
	       a->npeer_gids == b->npeer_gids &&
	       (a->npeer_uids == 0 ||
		memcmp(a->peer_uids, b->peer_uids, a->npeer_uids * size) == 0) &&
	       (a->npeer_gids == 0 ||
		memcmp(a->peer_gids, b->peer_gids, a->npeer_gids * size) == 0);
}

static const void *
copy_of(struct arena *arena, const void *bytes, size_t size)
{
	void *copy = arena_alloc(arena, size + 1);

	if (copy != NULL && size > 0)
		memcpy(copy, bytes, size);
	return copy;
}

static void
keep_peers(struct config *config, const struct config *running, struct diag *diag)
{
	struct arena *arena = load_arena(config);

	if (same_peers(config, running))
		return;
	warn(diag, config, "allowed_peers", NULL);
	config->peers_limited = running->peers_limited;
	config->npeer_uids = running->npeer_uids;
	config->npeer_gids = running->npeer_gids;
	config->peer_uids = copy_of(arena, running->peer_uids, running->npeer_uids * sizeof(uid_t));
	config->peer_gids = copy_of(arena, running->peer_gids, running->npeer_gids * sizeof(gid_t));
}

static void
keep_mode(struct config *config, const struct config *running, struct diag *diag)
{
	if (config->socket_mode != running->socket_mode)
		warn(diag, config, "socket_mode",
		     arena_printf(load_arena(config), "0%o", (unsigned)running->socket_mode));
	config->socket_mode = running->socket_mode;
}

void
config_keep(struct config *config, const struct config *running, struct diag *diag)
{
	bool derived = same(config->owner, config->driver_name) &&
		       same(running->owner, running->driver_name);

	keep_text(config, "driver_name", &config->driver_name, running->driver_name, diag);
	if (derived)
		config->owner = config->driver_name;
	keep_text(config, "owner", &config->owner, running->owner, diag);
	keep_text(config, "endpoint", &config->socket_path, running->socket_path, diag);
	keep_text(config, "admin_endpoint", &config->admin_path, running->admin_path, diag);
	keep_text(config, "state_dir", &config->state_dir, running->state_dir, diag);
	keep_mode(config, running, diag);
	keep_peers(config, running, diag);
	if (arena_failed(load_arena(config)))
		diag_error(diag, NULL, 0, "not enough memory for the configuration");
}
