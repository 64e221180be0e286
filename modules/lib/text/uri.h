/* SPDX-License-Identifier: Apache-2.0
 * uri.h - percent-encoding (RFC 3986), as paths, queries and signatures need it. */
#ifndef LIB_TEXT_URI_H
#define LIB_TEXT_URI_H
#include <stddef.h>

#include "cosi_module.h"

/* Encodes every byte but A-Z a-z 0-9 - . _ ~, with upper-case digits: what SigV4 signs and every
 * server reads alike.  From the call's memory; the empty string when the call has failed. */
const char *uri_encode(struct cosi_call *call, const char *text);
/* The same, but '/' stays. */
const char *uri_encode_path(struct cosi_call *call, const char *path);

/* Decodes in place and ends the result with a NUL; '+' stays a '+'.  The result may hold NULs: its
 * length is returned, or -1 when a '%' is not followed by two hex digits (text is then undefined).
 */
long uri_decode(char *text, size_t len);

#endif
