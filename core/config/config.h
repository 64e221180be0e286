/* SPDX-License-Identifier: Apache-2.0
 * config.h - one configuration: the main file and its include_dir, checked, as structs.
 *
 * A configuration does not change once loaded; it is shared by counting references, from any
 * thread.  cosid.conf(5) describes every key.
 */
#ifndef COSID_CONFIG_CONFIG_H
#define COSID_CONFIG_CONFIG_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "config/diag.h"
#include "cosi_module.h"

struct config_route {
	const char *match, *backend;
};

/* One entry of `backends`: the daemon's own keys.  The module's are read by config_settings(). */
struct config_backend {
	const char *name, *module;
	const char *endpoint;                /* NULL: not given */
	const char *public_endpoint;         /* NULL: not given, the endpoint counts */
	bool accept_new;                     /* default true */
	const char *const *existing_buckets; /* globs, NULL at the end; default { "*" } */
	const char *ca_file;                 /* NULL: the system's */
	bool insecure;
	int64_t connect_timeout_ms, request_timeout_ms;
	int64_t max_calls; /* 0: not given, the scheduler decides */
	int64_t retries;   /* further tries after the first, default 2 */
	size_t nflaws;     /* errors of these keys that were reported */
	const char *flaw;  /* the first of them */
	const char *file;  /* where it stands, for messages */
	int line;
	const void *setting; /* config_setting_t *, for config_settings() */
};

struct config {
	const char *driver_name, *owner;
	const char *socket_path; /* absolute, out of endpoint or COSI_ENDPOINT */
	const char *admin_path;  /* absolute, out of admin_endpoint; NULL: that was refused */
	bool admin_given;        /* admin_endpoint stands in the file */
	mode_t socket_mode;
	bool peers_limited; /* allowed_peers was given */
	size_t npeer_uids, npeer_gids;
	const uid_t *peer_uids;
	const gid_t *peer_gids;
	const char *module_dir;
	int64_t call_timeout_ms, create_settle_ms, drain_timeout_ms;
	int64_t workers;
	uint32_t log_level; /* enum cosi_level */
	bool log_json;
	const char *default_backend; /* NULL: not given */
	size_t nroutes;
	/* The main file's first, then those of the include files in the order of their names. */
	const struct config_route *routes;
	size_t nbackends;
	const struct config_backend *backends; /* names are unique */
	bool backends_given;                   /* a file has the key, as an empty list perhaps */
};

/* Reads the main file and its include_dir; diag lists all that is wrong, errors and warnings. NULL:
 * the main file cannot be read.  A configuration with errors is returned, too, so that the settings
 * of its backends can be checked, and must not be served: ask diag->nerrors.  Its backends are
 * those with a usable name and module; config_settings() fails for those with flaws.  Secrets of
 * the backends are not read here. */
struct config *config_load(const char *path, struct diag *diag);
/* Once no config_settings() of it follows: overwrites the secrets that stand in the files as
 * plain:.  No other thread may be using the configuration's files. */
void config_forget(struct config *config);
/* For a daemon that runs: puts into config what cannot change without a restart (driver_name,
 * owner, endpoint, admin_endpoint), with a warning for each that would have.  An error
 * in diag: out of memory, or config lacks the key `backends`, as a file does that was cut, while
 * backends are served.  Before config is shared. */
void config_keep(struct config *config, const struct config *running, struct diag *diag);
struct config *config_ref(struct config *config);
void config_unref(struct config *config);
/* Where this program's configuration file and modules are by default (config/paths.c). */
const char *config_default_path(void);
const char *config_default_module_dir(void);

/* Takes what secrets name by env: out of the environment, before children are started. */
void config_take_env(const struct config *config);

/* Reads one backend's own keys by its module's schema into out, a zeroed struct of schema->size
 * bytes; strings and secrets are owned by *out_settings (free with config_settings_free), which out
 * borrows from.  Unknown keys are errors; keys of the daemon that do not apply (network keys on a
 * module without COSI_NETWORK) too.  A secret's source that cannot be read is an error, but an
 * unreachable credential: is a warning when `checking` (cosid --check outside the unit); the member
 * then gets an empty string.  An absent list of secrets is an empty list.  The backend's
 * configuration must be held by a reference.  0 or -1. */
struct config_settings;
int config_settings(const struct config_backend *backend, const struct cosi_module *module,
		    bool checking, void *out, struct config_settings **out_settings,
		    struct diag *diag);
void config_settings_free(struct config_settings *settings);
/* Where an error of the backend stands: at the key that its text names as "key 'NAME'", else at the
 * backend's entry. */
int config_line(const struct config_backend *backend, const char *text);

/* The same schema language for request parameters: fills out (zeroed, schema->size bytes; strings
 * from the arena) and returns 0, or -1 with *out_error naming the key and the reason (from the
 * arena).  Only keys of the schema may be in params.  canonical[i], when not NULL, gets the
 * canonical spelling of params[i]'s value ("10Gi" -> "10737418240").  What is COSI_REQUIRED and
 * absent is an error when that is `demand`ed, else the member stays zero. */
int config_params(const struct cosi_schema *schema, const struct cosi_kv *params, size_t nparams,
		  bool demand, void *out, struct arena *arena, const char **canonical,
		  const char **out_error);

/* The keys that the daemon itself has, by the group that they stand in, "" for the top level: for
 * --describe. */
struct config_section {
	const char *name;
	const struct cosi_schema *schema;
};
const struct config_section *config_sections(size_t *out_n);

#endif
