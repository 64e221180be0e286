/* SPDX-License-Identifier: Apache-2.0
 * keys.c - every key of the daemon, its type, its default and its limits: parsed and documented by
 * this table. */
#include <pthread.h>
#include <string.h>

#include "config/load.h"
#include "config/value.h"

#include "banned.h"

/* A member of another C type than the key's does not compile. */
#define OFFSET(T, m, ctype)                                                                        \
	.offset = offsetof(T, m) +                                                                 \
		  0 * sizeof(char[__builtin_types_compatible_p(__typeof__(((T *)0)->m), ctype)     \
					  ? 1                                                      \
					  : -1])
#define LEN(a) (sizeof(a) / sizeof((a)[0]))

static const struct cosi_key top_table[] = {
	{ .name = "driver_name",
	  .type = COSI_T_STRING,
	  .flags = COSI_REQUIRED,
	  OFFSET(struct top_keys, config.driver_name, const char *),
	  .help = "name of this driver: a DNS name in lower case" },
	{ .name = "owner",
	  .type = COSI_T_STRING,
	  OFFSET(struct top_keys, config.owner, const char *),
	  .help = "name in the ownership tags of buckets and accounts; absent: driver_name" },
	{ .name = "endpoint",
	  .type = COSI_T_STRING,
	  OFFSET(struct top_keys, endpoint, const char *),
	  .fallback = "unix:///run/cosid/cosi.sock",
	  .help = "socket to serve; COSI_ENDPOINT in the environment overrides it" },
	{ .name = "admin_endpoint",
	  .type = COSI_T_STRING,
	  OFFSET(struct top_keys, admin_endpoint, const char *),
	  .fallback = "unix:///run/cosid-admin/admin.sock",
	  .help = "socket for cosictl status, reload and list, in a directory of its own" },
	{ .name = "socket_mode",
	  .type = COSI_T_STRING,
	  OFFSET(struct top_keys, socket_mode, const char *),
	  .fallback = "0660",
	  .help = "permissions of the socket, octal" },
	{ .name = "allowed_peers",
	  .type = VALUE_GROUP,
	  OFFSET(struct top_keys, allowed_peers, const config_setting_t *),
	  .help = "who may connect; absent: everyone who can open the socket" },
	{ .name = "module_dir",
	  .type = COSI_T_PATH,
	  OFFSET(struct top_keys, config.module_dir, const char *),
	  .help = "directory of the modules; absent: that of this installation" },
	{ .name = "state_dir",
	  .type = COSI_T_PATH,
	  OFFSET(struct top_keys, state_dir, const char *),
	  .help = "ignored: modules are loaded from memory" },
	{ .name = "call_timeout",
	  .type = COSI_T_MSEC,
	  OFFSET(struct top_keys, config.call_timeout_ms, int64_t),
	  .fallback = "25s",
	  .choices = "10ms..1h",
	  .help = "longest time for a call, unless its deadline is earlier" },
	{ .name = "create_settle",
	  .type = COSI_T_MSEC,
	  OFFSET(struct top_keys, config.create_settle_ms, int64_t),
	  .fallback = "100ms",
	  .choices = "0s..10s",
	  .help = "shortest time after which a v1alpha1 create is answered" },
	{ .name = "drain_timeout",
	  .type = COSI_T_MSEC,
	  OFFSET(struct top_keys, config.drain_timeout_ms, int64_t),
	  .fallback = "20s",
	  .choices = "0s..10m",
	  .help = "time for running calls to finish when the daemon stops" },
	{ .name = "workers",
	  .type = COSI_T_INT,
	  OFFSET(struct top_keys, config.workers, int64_t),
	  .fallback = "64",
	  .choices = "1..1024",
	  .help = "threads that call modules" },
	{ .name = "log",
	  .type = VALUE_GROUP,
	  OFFSET(struct top_keys, log, const config_setting_t *),
	  .help = "level and format of the log" },
	{ .name = "default_backend",
	  .type = COSI_T_STRING,
	  OFFSET(struct top_keys, config.default_backend, const char *),
	  .help = "backend for new buckets that match no route" },
	{ .name = "routes",
	  .type = VALUE_LIST,
	  OFFSET(struct top_keys, routes, const config_setting_t *),
	  .help = "backends for new buckets, by name" },
	{ .name = "backends",
	  .type = VALUE_LIST,
	  OFFSET(struct top_keys, backends, const config_setting_t *),
	  .help = "the stores" },
	{ .name = "include_dir",
	  .type = COSI_T_PATH,
	  OFFSET(struct top_keys, include_dir, const char *),
	  .help = "directory of further files NAME.conf with backends and routes" },
};

static const struct cosi_key include_table[] = {
	{ .name = "routes",
	  .type = VALUE_LIST,
	  OFFSET(struct include_keys, routes, const config_setting_t *),
	  .help = "" },
	{ .name = "backends",
	  .type = VALUE_LIST,
	  OFFSET(struct include_keys, backends, const config_setting_t *),
	  .help = "" },
};

static const struct cosi_key peers_table[] = {
	{ .name = "uids",
	  .type = VALUE_IDS,
	  OFFSET(struct peer_keys, uids, struct value_ids),
	  .help = "users that may connect; absent: none" },
	{ .name = "gids",
	  .type = VALUE_IDS,
	  OFFSET(struct peer_keys, gids, struct value_ids),
	  .help = "groups that may connect; absent: none" },
};

static const struct cosi_key log_table[] = {
	{ .name = "level",
	  .type = COSI_T_ENUM,
	  OFFSET(struct log_keys, level, const char *),
	  .fallback = "info",
	  .choices = "error warning notice info debug",
	  .help = "least important level that is logged" },
	{ .name = "format",
	  .type = COSI_T_ENUM,
	  OFFSET(struct log_keys, format, const char *),
	  .fallback = "text",
	  .choices = "text json",
	  .help = "text for people or JSON" },
};

static const struct cosi_key route_table[] = {
	{ .name = "match",
	  .type = COSI_T_STRING,
	  .flags = COSI_REQUIRED,
	  OFFSET(struct config_route, match, const char *),
	  .help = "glob that the bucket's name matches" },
	{ .name = "backend",
	  .type = COSI_T_STRING,
	  .flags = COSI_REQUIRED,
	  OFFSET(struct config_route, backend, const char *),
	  .help = "backend of the bucket" },
};

/* Those from endpoint on belong to modules with COSI_NETWORK. */
enum { NGENERAL = 6 };
static const struct cosi_key backend_table[] = {
	{ .name = "name",
	  .type = COSI_T_STRING,
	  .flags = COSI_REQUIRED,
	  OFFSET(struct config_backend, name, const char *),
	  .help = "name of the backend, the first part of every id" },
	{ .name = "module",
	  .type = COSI_T_STRING,
	  .flags = COSI_REQUIRED,
	  OFFSET(struct config_backend, module, const char *),
	  .help = "module for this kind of store" },
	{ .name = "public_endpoint",
	  .type = COSI_T_URL,
	  OFFSET(struct config_backend, public_endpoint, const char *),
	  .help = "URL for applications; absent: endpoint; required for modules without a "
		  "network" },
	{ .name = "accept_new",
	  .type = COSI_T_BOOL,
	  OFFSET(struct config_backend, accept_new, bool),
	  .fallback = "true",
	  .help = "accepts new buckets; false: only serves those that exist" },
	{ .name = "existing_buckets",
	  .type = VALUE_STRINGS,
	  OFFSET(struct config_backend, existing_buckets, const char *const *),
	  .fallback = "*",
	  .help = "globs of buckets that cosid did not create and may grant access to" },
	{ .name = "max_calls",
	  .type = COSI_T_INT,
	  OFFSET(struct config_backend, max_calls, int64_t),
	  .choices = "1..1024",
	  .help = "most concurrent calls; absent: all workers" },
	{ .name = "endpoint",
	  .type = COSI_T_URL,
	  OFFSET(struct config_backend, endpoint, const char *),
	  .help = "URL of the store" },
	{ .name = "ca_file",
	  .type = COSI_T_PATH,
	  OFFSET(struct config_backend, ca_file, const char *),
	  .help = "PEM file of the trusted authorities; absent: the system's" },
	{ .name = "insecure",
	  .type = COSI_T_BOOL,
	  OFFSET(struct config_backend, insecure, bool),
	  .fallback = "false",
	  .help = "do not verify the store's certificate" },
	{ .name = "connect_timeout",
	  .type = COSI_T_MSEC,
	  OFFSET(struct config_backend, connect_timeout_ms, int64_t),
	  .fallback = "5s",
	  .choices = "10ms..5m",
	  .help = "longest time for a connection to the store" },
	{ .name = "request_timeout",
	  .type = COSI_T_MSEC,
	  OFFSET(struct config_backend, request_timeout_ms, int64_t),
	  .fallback = "20s",
	  .choices = "10ms..1h",
	  .help = "longest time for one request to the store" },
	{ .name = "retries",
	  .type = COSI_T_INT,
	  OFFSET(struct config_backend, retries, int64_t),
	  .fallback = "2",
	  .choices = "0..10",
	  .help = "how often a request that can safely be repeated is sent again" },
};

const struct cosi_schema keys_top = COSI_SCHEMA(struct top_keys, top_table);
const struct cosi_schema keys_include = COSI_SCHEMA(struct include_keys, include_table);
const struct cosi_schema keys_peers = COSI_SCHEMA(struct peer_keys, peers_table);
const struct cosi_schema keys_log = COSI_SCHEMA(struct log_keys, log_table);
const struct cosi_schema keys_route = COSI_SCHEMA(struct config_route, route_table);
const struct cosi_schema keys_backend = COSI_SCHEMA(struct config_backend, backend_table);
const struct cosi_schema keys_network = { sizeof(struct config_backend),
					  LEN(backend_table) - NGENERAL, backend_table + NGENERAL };

enum {
	NKEYS = LEN(top_table) + LEN(peers_table) + LEN(log_table) + LEN(route_table) +
		LEN(backend_table),
	TYPE_SIZE = 64
};
static struct config_key all_keys[NKEYS];
static char all_types[NKEYS][TYPE_SIZE];
static pthread_once_t all_keys_once = PTHREAD_ONCE_INIT;

/* "required", or what an absent key means; NULL: its help tells. */
static const char *
key_fallback(const struct cosi_key *key)
{
	if ((key->flags & COSI_REQUIRED) != 0)
		return "required";
	return strcmp(key->name, "module_dir") == 0 ? config_default_module_dir() : key->fallback;
}

static void
fill_all_keys(void)
{
	static const struct {
		const char *section;
		const struct cosi_schema *schema;
	} sections[] = {
		{ "", &keys_top },         { "allowed_peers", &keys_peers }, { "log", &keys_log },
		{ "routes", &keys_route }, { "backends", &keys_backend },
	};
	size_t n = 0;

	for (size_t i = 0; i < LEN(sections); i++)
		for (size_t j = 0; j < sections[i].schema->nkeys; j++, n++) {
			const struct cosi_key *key = &sections[i].schema->keys[j];

			value_describe_type(key, all_types[n], TYPE_SIZE);
			all_keys[n] = (struct config_key){
				.section = sections[i].section,
				.name = key->name,
				.type = all_types[n],
				.fallback = key_fallback(key),
				.help = key->help,
				.network = key >= keys_network.keys &&
					   key < keys_network.keys + keys_network.nkeys,
			};
		}
}

const struct config_key *
config_keys(size_t *out_n)
{
	(void)pthread_once(&all_keys_once, fill_all_keys);
	*out_n = NKEYS;
	return all_keys;
}
