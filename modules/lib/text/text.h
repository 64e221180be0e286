/* SPDX-License-Identifier: Apache-2.0
 * text.h - texts joined, percent-encoded and decoded. */
#ifndef LIB_TEXT_TEXT_H
#define LIB_TEXT_TEXT_H
#include <stddef.h>

#include "cosi_module.h"

/* KEY colon VALUE of each part, comma between two of them, end after the last; without values when
 * colon is NULL.  From the call's memory; the empty string when there are no parts or the call has
 * failed. */
const char *text_join(struct cosi_call *call, const struct cosi_kv *parts, size_t nparts,
		      const char *colon, const char *comma, const char *end);

/* Percent-encodes (RFC 3986) every byte but A-Z a-z 0-9 - . _ ~, with upper-case digits: what
 * signatures ask for and every server reads alike.  From the call's memory; the empty string when
 * the call has failed. */
const char *uri_encode(struct cosi_call *call, const char *text);
/* The same, but '/' stays. */
const char *uri_encode_path(struct cosi_call *call, const char *path);

/* Decodes in place and ends the result with a NUL; '+' stays a '+'.  The result may hold NULs: its
 * length is returned, or -1 when a '%' is not followed by two hex digits (text is then undefined).
 */
long uri_decode(char *text, size_t len);

#endif
