/* SPDX-License-Identifier: Apache-2.0
 * url.h - base URLs in pieces. */
#ifndef COSID_HTTP_URL_H
#define COSID_HTTP_URL_H
#include "base/arena.h"
#include "cosi_module.h"

struct url {
	struct cosi_url wire; /* see http_url() */
	const char *origin;   /* "scheme://host[:port]": what texts name and libcurl connects to */
};

/* Strings from the arena.  0, or -1 when base is no http(s)://host[:port][/prefix] or host_label
 * (NULL: none) cannot stand before its host; out then holds empty strings. */
int url_split(struct arena *arena, const char *base, const char *host_label, struct url *out);

/* Every byte may stand in a request line as it is: visible ASCII, no '#'. */
bool url_target_ok(const char *text);

#endif
