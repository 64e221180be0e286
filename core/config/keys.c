/* SPDX-License-Identifier: Apache-2.0
 * keys.c - every key of the daemon, its type, its default and its limits: parsed and documented by
 * this table. */
#include "config/load.h"

#include "banned.h"

/* Name, type and flags of a key; the member m of struct T that it fills, whose C type must be
 * ctype, or it does not compile; the default, the choices or limits, and the help. */
#define KEY(name, type, flags, T, m, ctype, fallback, choices, help)                               \
	{                                                                                          \
		(name), (type), (flags),                                                           \
			offsetof(T, m) + 0 * sizeof(char[__builtin_types_compatible_p(             \
								 __typeof__(((T *)0)->m), ctype)   \
								 ? 1                               \
								 : -1]),                           \
			(fallback), (choices), (help)                                              \
	}
#define LEN(a) (sizeof(a) / sizeof((a)[0]))

static const struct cosi_key top_table[] = {
	KEY("driver_name", COSI_T_STRING, COSI_REQUIRED, struct top_keys, config.driver_name,
	    const char *, NULL, NULL, "name of this driver: a DNS name in lower case"),
	KEY("owner", COSI_T_STRING, 0, struct top_keys, config.owner, const char *, NULL, NULL,
	    "name in the ownership tags of buckets and accounts; absent: driver_name"),
	KEY("endpoint", COSI_T_STRING, 0, struct top_keys, endpoint, const char *,
	    "unix:///run/cosid/cosi.sock", NULL,
	    "socket to serve; COSI_ENDPOINT in the environment overrides it"),
	KEY("admin_endpoint", COSI_T_STRING, 0, struct top_keys, admin_endpoint, const char *,
	    "unix:///run/cosid-admin/admin.sock", NULL,
	    "socket for cosictl status, reload and list, in a directory of its own"),
	KEY("socket_mode", COSI_T_STRING, 0, struct top_keys, socket_mode, const char *, "0660",
	    NULL, "permissions of the socket, octal"),
	KEY("allowed_peers", VALUE_GROUP, 0, struct top_keys, allowed_peers,
	    const config_setting_t *, NULL, NULL,
	    "who may connect; absent: everyone who can open the socket"),
	KEY("module_dir", COSI_T_PATH, 0, struct top_keys, config.module_dir, const char *, NULL,
	    NULL, "directory of the modules; absent: that of this installation"),
	KEY("state_dir", COSI_T_PATH, 0, struct top_keys, state_dir, const char *, NULL, NULL,
	    "ignored: modules are loaded from memory"),
	KEY("call_timeout", COSI_T_MSEC, 0, struct top_keys, config.call_timeout_ms, int64_t, "25s",
	    "10ms..1h", "longest time for a call, unless its deadline is earlier"),
	KEY("create_settle", COSI_T_MSEC, 0, struct top_keys, config.create_settle_ms, int64_t,
	    "100ms", "0s..10s", "shortest time after which a v1alpha1 create is answered"),
	KEY("drain_timeout", COSI_T_MSEC, 0, struct top_keys, config.drain_timeout_ms, int64_t,
	    "20s", "0s..10m", "time for running calls to finish when the daemon stops"),
	KEY("workers", COSI_T_INT, 0, struct top_keys, config.workers, int64_t, "64", "1..1024",
	    "threads that call modules"),
	KEY("log", VALUE_GROUP, 0, struct top_keys, log, const config_setting_t *, NULL, NULL,
	    "level and format of the log"),
	KEY("default_backend", COSI_T_STRING, 0, struct top_keys, config.default_backend,
	    const char *, NULL, NULL, "backend for new buckets that match no route"),
	KEY("routes", VALUE_LIST, 0, struct top_keys, routes, const config_setting_t *, NULL, NULL,
	    "backends for new buckets, by name"),
	KEY("backends", VALUE_LIST, 0, struct top_keys, backends, const config_setting_t *, NULL,
	    NULL, "the stores"),
	KEY("include_dir", COSI_T_PATH, 0, struct top_keys, include_dir, const char *, NULL, NULL,
	    "directory of further files NAME.conf with backends and routes"),
};

static const struct cosi_key include_table[] = {
	KEY("routes", VALUE_LIST, 0, struct include_keys, routes, const config_setting_t *, NULL,
	    NULL, ""),
	KEY("backends", VALUE_LIST, 0, struct include_keys, backends, const config_setting_t *,
	    NULL, NULL, ""),
};

static const struct cosi_key peers_table[] = {
	KEY("uids", VALUE_IDS, 0, struct peer_keys, uids, struct value_ids, NULL, NULL,
	    "users that may connect; absent: none"),
	KEY("gids", VALUE_IDS, 0, struct peer_keys, gids, struct value_ids, NULL, NULL,
	    "groups that may connect; absent: none"),
};

static const struct cosi_key log_table[] = {
	KEY("level", COSI_T_ENUM, 0, struct log_keys, level, const char *, "info",
	    "error warning notice info debug", "least important level that is logged"),
	KEY("format", COSI_T_ENUM, 0, struct log_keys, format, const char *, "text", "text json",
	    "text for people or JSON"),
};

static const struct cosi_key route_table[] = {
	KEY("match", COSI_T_STRING, COSI_REQUIRED, struct config_route, match, const char *, NULL,
	    NULL, "glob that the bucket's name matches"),
	KEY("backend", COSI_T_STRING, COSI_REQUIRED, struct config_route, backend, const char *,
	    NULL, NULL, "backend of the bucket"),
};

enum { NGENERAL = 6 };
static const struct cosi_key backend_table[] = {
	KEY("name", COSI_T_STRING, COSI_REQUIRED, struct config_backend, name, const char *, NULL,
	    NULL, "name of the backend, the first part of every id"),
	KEY("module", COSI_T_STRING, COSI_REQUIRED, struct config_backend, module, const char *,
	    NULL, NULL, "module for this kind of store"),
	KEY("public_endpoint", COSI_T_URL, 0, struct config_backend, public_endpoint, const char *,
	    NULL, NULL,
	    "URL for applications; absent: endpoint; required for modules without a network"),
	KEY("accept_new", COSI_T_BOOL, 0, struct config_backend, accept_new, bool, "true", NULL,
	    "accepts new buckets; false: only serves those that exist"),
	KEY("existing_buckets", VALUE_STRINGS, 0, struct config_backend, existing_buckets,
	    const char *const *, "*", NULL,
	    "globs of buckets that cosid did not create and may grant access to"),
	KEY("max_calls", COSI_T_INT, 0, struct config_backend, max_calls, int64_t, NULL, "1..1024",
	    "most concurrent calls; absent: all workers"),
	/* From here on they belong to modules with COSI_NETWORK. */
	[NGENERAL] = KEY("endpoint", COSI_T_URL, 0, struct config_backend, endpoint, const char *,
			 NULL, NULL, "URL of the store"),
	KEY("ca_file", COSI_T_PATH, 0, struct config_backend, ca_file, const char *, NULL, NULL,
	    "PEM file of the trusted authorities; absent: the system's"),
	KEY("insecure", COSI_T_BOOL, 0, struct config_backend, insecure, bool, "false", NULL,
	    "do not verify the store's certificate"),
	KEY("connect_timeout", COSI_T_MSEC, 0, struct config_backend, connect_timeout_ms, int64_t,
	    "5s", "10ms..5m", "longest time for a connection to the store"),
	KEY("request_timeout", COSI_T_MSEC, 0, struct config_backend, request_timeout_ms, int64_t,
	    "20s", "10ms..1h", "longest time for one request to the store"),
	KEY("retries", COSI_T_INT, 0, struct config_backend, retries, int64_t, "2", "0..10",
	    "how often a request that can safely be repeated is sent again"),
};

const struct cosi_schema keys_top = COSI_SCHEMA(struct top_keys, top_table);
const struct cosi_schema keys_include = COSI_SCHEMA(struct include_keys, include_table);
const struct cosi_schema keys_peers = COSI_SCHEMA(struct peer_keys, peers_table);
const struct cosi_schema keys_log = COSI_SCHEMA(struct log_keys, log_table);
const struct cosi_schema keys_route = COSI_SCHEMA(struct config_route, route_table);
const struct cosi_schema keys_backend = COSI_SCHEMA(struct config_backend, backend_table);
const struct cosi_schema keys_any = { 0 };
const struct cosi_schema keys_network = { sizeof(struct config_backend),
					  LEN(backend_table) - NGENERAL, backend_table + NGENERAL };

static const struct config_section sections[] = {
	{ "", &keys_top },         { "allowed_peers", &keys_peers }, { "log", &keys_log },
	{ "routes", &keys_route }, { "backends", &keys_backend },
};

const struct config_section *
config_sections(size_t *out_n)
{
	*out_n = LEN(sections);
	return sections;
}
