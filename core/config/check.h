/* SPDX-License-Identifier: Apache-2.0
 * check.h - the syntax of names and addresses.
 *
 * All return NULL, or the reason as it follows "'key': ".  Reasons do not repeat the text: it
 * may be a secret in the wrong place.
 */
#ifndef COSID_CONFIG_CHECK_H
#define COSID_CONFIG_CHECK_H
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

enum {
	CHECK_TEXT_MAX = 4096,       /* bytes of any string */
	CHECK_DRIVER_NAME_MAX = 63,  /* the sidecars' limit */
	CHECK_OWNER_MAX = 63,        /* a label of GCS, the shortest place of the marks */
	CHECK_SOCKET_PATH_MAX = 107, /* sun_path without its NUL */
	CHECK_URL_MAX = 1024,
};

/* Not empty, not too long, no control characters, UTF-8. */
const char *check_text(const char *text);
/* RFC 1035 labels in lower case. */
const char *check_driver_name(const char *text);
const char *check_backend_name(const char *text);
const char *check_owner(const char *text);
const char *check_path(const char *text);
/* unix:///absolute/path.sock; *out_path is within text. */
const char *check_endpoint(const char *text, const char **out_path);
/* http:// or https://, host, optional port, optional path; *out_url is without slashes at its end.
 */
const char *check_url(struct arena *arena, const char *text, const char **out_url);

#endif
