/* SPDX-License-Identifier: Apache-2.0
 * keys.h - the daemon's own keys: the structs that they are read into, and their schemas. */
#ifndef COSID_CONFIG_KEYS_H
#define COSID_CONFIG_KEYS_H
#include <libconfig.h>
#include <stdbool.h>

#include "config/config.h"
#include "config/value.h"

/* The top level: the configuration, and keys that have to be looked into before they enter it. */
struct top_keys {
	struct config config;
	const char *endpoint, *admin_endpoint, *socket_mode, *include_dir;
	const config_setting_t *allowed_peers, *log, *routes, *backends;
};
/* A file of include_dir. */
struct include_keys {
	const config_setting_t *routes, *backends;
};
struct peer_keys {
	struct value_ids uids, gids;
};
struct log_keys {
	const char *level, *format;
};

extern const struct cosi_schema keys_top, keys_include, keys_peers, keys_log, keys_route;
/* Of an entry of backends: all of them, and those that only modules with COSI_NETWORK have. */
extern const struct cosi_schema keys_backend, keys_network;

bool keys_is_backend(const char *name);

#endif
