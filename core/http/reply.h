/* SPDX-License-Identifier: Apache-2.0
 * reply.h - collects an answer as libcurl hands it over, within limits.
 *
 * The buffers belong to a handle and are used again; what they held is wiped.
 */
#ifndef COSID_HTTP_REPLY_H
#define COSID_HTTP_REPLY_H
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "cosi_module.h"

/* Why an answer is of no use. */
enum reply_trouble {
	REPLY_FINE = 0,
	REPLY_NO_MEMORY = 1,
	REPLY_HEAD_TOO_LARGE = 2, /* HTTP_REPLY_HEADERS_MAX, HTTP_REPLY_HEAD_MAX */
	REPLY_BODY_TOO_LARGE = 3,
	REPLY_MALFORMED = 4, /* a line that is no header */
};

struct buf {
	char *data; /* owned; from wiped_realloc() */
	size_t len, size;
};

struct reply {
	struct buf head; /* header lines of the last answer, each ended by a NUL */
	struct buf body;
	size_t nheaders;
	size_t head_bytes; /* all that came, interim answers and trailers included */
	size_t max_body;
	struct arena *arena; /* borrowed: of the call that a large body is charged to */
	size_t charged;
	bool head_done; /* no head is being read: a status line or trailers may come */
	enum reply_trouble trouble;
};

/* Forgets what was collected and frees large buffers.  What comes next belongs to a call with that
 * arena: a body that is large enough to be freed afterwards is charged to it. */
void reply_reset(struct reply *reply, size_t max_body, struct arena *arena);
void reply_done(struct reply *reply);

/* libcurl's header and write callbacks; userdata is the struct reply. */
size_t reply_header_cb(char *data, size_t size, size_t n, void *userdata);
size_t reply_body_cb(char *data, size_t size, size_t n, void *userdata);

/* The value of a header (name in lower case), or NULL. */
const char *reply_header(const struct reply *reply, const char *name);
/* The answer as the module gets it, in the arena of reply_reset(), which takes a large body over;
 * NULL when the arena has failed. */
const struct cosi_http_reply *reply_take(struct reply *reply, int status);

#endif
