/* SPDX-License-Identifier: Apache-2.0
 * syntax.h - the syntax of names and addresses.
 *
 * All return NULL, or the reason as it follows "'key': ".  Reasons do not repeat the text: it
 * may be a secret in the wrong place.
 */
#ifndef COSID_CONFIG_SYNTAX_H
#define COSID_CONFIG_SYNTAX_H
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

enum {
	SYNTAX_TEXT_MAX = 4096,       /* bytes of any string */
	SYNTAX_DRIVER_NAME_MAX = 63,  /* the sidecars' limit */
	SYNTAX_OWNER_MAX = 63,        /* a label of GCS, the shortest place of the marks */
	SYNTAX_SOCKET_PATH_MAX = 107, /* sun_path without its NUL */
	SYNTAX_URL_MAX = 1024,
};

/* Not empty, not too long, no control characters, UTF-8. */
const char *syntax_text(const char *text);
/* RFC 1035 labels in lower case. */
const char *syntax_driver_name(const char *text);
const char *syntax_backend_name(const char *text);
const char *syntax_owner(const char *text);
const char *syntax_path(const char *text);
/* unix:///absolute/path.sock; *out_path is within text. */
const char *syntax_endpoint(const char *text, const char **out_path);
/* http:// or https://, host, optional port, optional path; *out_url is without slashes at its end.
 */
const char *syntax_url(struct arena *arena, const char *text, const char **out_url);

#endif
