/* SPDX-License-Identifier: Apache-2.0
 * keys.c - every key of the daemon, its type, its default and its limits: parsed and documented by
 * this table. */
#include "config/keys.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "config/group.h"

#include "banned.h"

/* The key of member m; a member of another C type than that does not compile. */
#define KEY(T, m, ctype, key, t, f, fb, ch, h)                                                     \
	{                                                                                          \
		(key), (t), (f),                                                                   \
			offsetof(T, m) + 0 * sizeof(char[__builtin_types_compatible_p(             \
								 __typeof__(((T *)0)->m), ctype)   \
								 ? 1                               \
								 : -1]),                           \
			(fb), (ch), (h)                                                            \
	}
#define TEXT(T, m, key, t, f, fb, h) KEY(T, m, const char *, key, t, f, fb, NULL, h)
#define WORD(T, m, key, fb, ch, h)   KEY(T, m, const char *, key, COSI_T_ENUM, 0, fb, ch, h)
#define YES(T, m, key, fb, h)        KEY(T, m, bool, key, COSI_T_BOOL, 0, fb, NULL, h)
#define INT(T, m, key, fb, ch, h)    KEY(T, m, int64_t, key, COSI_T_INT, 0, fb, ch, h)
#define MSEC(T, m, key, fb, ch, h)   KEY(T, m, int64_t, key, COSI_T_MSEC, 0, fb, ch, h)
#define IDS(T, m, key, h)            KEY(T, m, struct value_ids, key, VALUE_IDS, 0, NULL, NULL, h)
#define TREE(T, m, key, t, h)        KEY(T, m, const config_setting_t *, key, t, 0, NULL, NULL, h)
#define WORDS(T, m, key, fb, h)      KEY(T, m, const char *const *, key, VALUE_STRINGS, 0, fb, NULL, h)

#define TOP struct top_keys
static const struct cosi_key top[] = {
	TEXT(TOP, config.driver_name, "driver_name", COSI_T_STRING, COSI_REQUIRED, NULL,
	     "name of this driver: a DNS name in lower case"),
	TEXT(TOP, config.owner, "owner", COSI_T_STRING, 0, NULL,
	     "mark on buckets and accounts; absent: driver_name"),
	TEXT(TOP, endpoint, "endpoint", COSI_T_STRING, 0, "unix:///run/cosid/cosi.sock",
	     "socket to serve; the environment's COSI_ENDPOINT wins"),
	TEXT(TOP, admin_endpoint, "admin_endpoint", COSI_T_STRING, 0,
	     "unix:///run/cosid-admin/admin.sock",
	     "socket for cosictl status, reload and list, in a directory of its own"),
	TEXT(TOP, socket_mode, "socket_mode", COSI_T_STRING, 0, "0660",
	     "permissions of the socket, octal"),
	TREE(TOP, allowed_peers, "allowed_peers", VALUE_GROUP,
	     "who may connect; absent: whoever can open the socket"),
	TEXT(TOP, config.module_dir, "module_dir", COSI_T_PATH, 0, NULL,
	     "directory of the modules; absent: where those of this program are"),
	TEXT(TOP, config.state_dir, "state_dir", COSI_T_PATH, 0, NULL,
	     "directory for copies of the modules; absent: $STATE_DIRECTORY, or a temporary one"),
	MSEC(TOP, config.call_timeout_ms, "call_timeout", "25s", "10ms..1h",
	     "longest time for a call without a deadline, or with a later one"),
	MSEC(TOP, config.create_settle_ms, "create_settle", "100ms", "0s..10s",
	     "a v1alpha1 create is not answered sooner than this; 0s: at once"),
	MSEC(TOP, config.drain_timeout_ms, "drain_timeout", "20s", "0s..10m",
	     "time for calls in flight to end when the daemon stops"),
	INT(TOP, config.workers, "workers", "64", "1..1024", "threads that call modules"),
	TREE(TOP, log, "log", VALUE_GROUP, "what is logged, and how"),
	TEXT(TOP, config.default_backend, "default_backend", COSI_T_STRING, 0, NULL,
	     "backend for new buckets that nothing else sends elsewhere"),
	TREE(TOP, routes, "routes", VALUE_LIST, "backends for new buckets, by name"),
	TREE(TOP, backends, "backends", VALUE_LIST, "the stores"),
	TEXT(TOP, include_dir, "include_dir", COSI_T_PATH, 0, NULL,
	     "directory of further files NAME.conf with backends and routes"),
};

static const struct cosi_key include[] = {
	TREE(struct include_keys, routes, "routes", VALUE_LIST, ""),
	TREE(struct include_keys, backends, "backends", VALUE_LIST, ""),
};

static const struct cosi_key peers[] = {
	IDS(struct peer_keys, uids, "uids", "users that may connect; absent: none"),
	IDS(struct peer_keys, gids, "gids", "groups that may connect; absent: none"),
};

static const struct cosi_key logs[] = {
	WORD(struct log_keys, level, "level", "info", "error warning notice info debug",
	     "least important lines to write"),
	WORD(struct log_keys, format, "format", "text", "text json", "text for people or JSON"),
};

#define ROUTE struct config_route
static const struct cosi_key route[] = {
	TEXT(ROUTE, match, "match", COSI_T_STRING, COSI_REQUIRED, NULL,
	     "glob that the bucket's name matches"),
	TEXT(ROUTE, backend, "backend", COSI_T_STRING, COSI_REQUIRED, NULL,
	     "backend that gets the bucket"),
};

/* Those from endpoint on belong to modules with COSI_NETWORK. */
#define BACKEND struct config_backend
enum { NGENERAL = 6 };
static const struct cosi_key backend[] = {
	TEXT(BACKEND, name, "name", COSI_T_STRING, COSI_REQUIRED, NULL,
	     "name of the backend, the first part of every id"),
	TEXT(BACKEND, module, "module", COSI_T_STRING, COSI_REQUIRED, NULL,
	     "module that speaks to the store"),
	TEXT(BACKEND, public_endpoint, "public_endpoint", COSI_T_URL, 0, NULL,
	     "URL that applications are told; absent: endpoint, required where there is none"),
	YES(BACKEND, accept_new, "accept_new", "true",
	    "gets new buckets; false: those that it has go on"),
	WORDS(BACKEND, existing_buckets, "existing_buckets", "*",
	      "globs of buckets that were not made here and may be used"),
	INT(BACKEND, max_calls, "max_calls", NULL, "1..1024",
	    "calls at a time; absent: a quarter of workers"),
	TEXT(BACKEND, endpoint, "endpoint", COSI_T_URL, 0, NULL, "URL of the store"),
	TEXT(BACKEND, ca_file, "ca_file", COSI_T_PATH, 0, NULL,
	     "PEM file of the authorities to trust; absent: the system's"),
	YES(BACKEND, insecure, "insecure", "false", "do not verify the store's certificate"),
	MSEC(BACKEND, connect_timeout_ms, "connect_timeout", "5s", "10ms..5m",
	     "longest time for a connection to the store"),
	MSEC(BACKEND, request_timeout_ms, "request_timeout", "20s", "10ms..1h",
	     "longest time for one request to the store"),
	INT(BACKEND, retries, "retries", "2", "0..10",
	    "further tries of a request that may be sent twice"),
};

#define LEN(a) (sizeof(a) / sizeof((a)[0]))
const struct cosi_schema keys_top = COSI_SCHEMA(struct top_keys, top);
const struct cosi_schema keys_include = COSI_SCHEMA(struct include_keys, include);
const struct cosi_schema keys_peers = COSI_SCHEMA(struct peer_keys, peers);
const struct cosi_schema keys_log = COSI_SCHEMA(struct log_keys, logs);
const struct cosi_schema keys_route = COSI_SCHEMA(struct config_route, route);
const struct cosi_schema keys_backend = COSI_SCHEMA(struct config_backend, backend);
const struct cosi_schema keys_network = { sizeof(struct config_backend), LEN(backend) - NGENERAL,
					  backend + NGENERAL };

bool
keys_is_backend(const char *name)
{
	return value_key(&keys_backend, name) != NULL;
}

enum { NKEYS = LEN(top) + LEN(peers) + LEN(logs) + LEN(route) + LEN(backend) };
enum { TYPE_SIZE = 64 };
static struct config_key all[NKEYS];
static char all_types[NKEYS][TYPE_SIZE];
static pthread_once_t all_once = PTHREAD_ONCE_INIT;

/* "required", or what an absent key means; NULL: its help says so. */
static const char *
fallback_of(const struct cosi_key *key)
{
	if ((key->flags & COSI_REQUIRED) != 0)
		return "required";
	return strcmp(key->name, "module_dir") == 0 ? config_default_module_dir() : key->fallback;
}

static void
fill_all(void)
{
	static const struct {
		const char *section;
		const struct cosi_schema *schema;
	} sections[] = {
		{ "", &keys_top },         { "allowed_peers", &keys_peers }, { "log", &keys_log },
		{ "routes", &keys_route }, { "backends", &keys_backend },
	};
	size_t n = 0;

	for (size_t i = 0; i < LEN(sections); i++) {
		for (size_t j = 0; j < sections[i].schema->nkeys; j++) {
			const struct cosi_key *key = &sections[i].schema->keys[j];

			value_describe_type(key, all_types[n], TYPE_SIZE);
			all[n] = (struct config_key){
				.section = sections[i].section,
				.name = key->name,
				.type = all_types[n],
				.fallback = fallback_of(key),
				.help = key->help,
				.network =
					key >= backend + NGENERAL && key < backend + LEN(backend),
			};
			n++;
		}
	}
}

const struct config_key *
config_keys(size_t *out_n)
{
	(void)pthread_once(&all_once, fill_all);
	*out_n = NKEYS;
	return all;
}
