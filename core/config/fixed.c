/* SPDX-License-Identifier: Apache-2.0
 * fixed.c - what a daemon keeps for its whole life, whatever a later configuration says.
 *
 * Sidecars know the daemon by its socket and its name, buckets and accounts by the owner; the other
 * socket and the directories were made at the start.
 */
#include <string.h>

#include "config/load.h"

#include "banned.h"

static void
warn(struct diag *diag, const struct config *config, const char *key, const char *stays)
{
	const char *file;
	int line = config_line(config, key, &file);

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
	if (arena_failed(load_arena(config)))
		diag_error(diag, NULL, 0, "no memory for the configuration");
}
