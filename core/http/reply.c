/* SPDX-License-Identifier: Apache-2.0
 * reply.c - collects an answer as libcurl hands it over, within limits.
 *
 * A header is kept as "name\0value\0": name in lower case, value without the blanks around it and
 * without control characters.
 */
#include "http/reply.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/secret.h"
#include "http/request.h"

#include "banned.h"

/* What a handle keeps between requests; a larger answer is rare. */
enum { KEEP_MAX = 64 * 1024, BUF_FIRST = 2048 };

static void
buf_reset(struct buf *buf)
{
	if (buf->size > KEEP_MAX) {
		wiped_free(buf->data);
		*buf = (struct buf){ 0 };
	} else if (buf->len > 0) {
		explicit_bzero(buf->data, buf->len);
		buf->len = 0;
	}
}

/* Room for `needed` bytes in all. */
static int
buf_reserve(struct buf *buf, size_t needed)
{
	size_t size = buf->size == 0 ? BUF_FIRST : buf->size;
	char *grown;

	while (size < needed)
		size *= 2;
	if (size == buf->size)
		return 0;
	grown = wiped_realloc(buf->data, size);
	if (grown == NULL)
		return -1;
	buf->data = grown;
	buf->size = size;
	return 0;
}

void
reply_reset(struct reply *reply, size_t max_body, struct arena *arena)
{
	if (reply->charged > 0)
		charge_release(reply->arena, reply->charged);
	buf_reset(&reply->head);
	buf_reset(&reply->body);
	*reply = (struct reply){
		.head = reply->head,
		.body = reply->body,
		.max_body = max_body,
		.arena = arena,
		.head_done = true,
	};
}

void
reply_done(struct reply *reply)
{
	wiped_free(reply->head.data);
	wiped_free(reply->body.data);
	*reply = (struct reply){ 0 };
}

/* Makes libcurl end the transfer with CURLE_WRITE_ERROR. */
static size_t
reply_refuse(struct reply *reply, enum reply_trouble trouble)
{
	reply->trouble = trouble;
	return 0;
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* line: without its line end. */
static enum reply_trouble
reply_add_header(struct reply *reply, const char *line, size_t len)
{
	size_t name_len = request_token_len(line, len);
	const char *value = line + name_len + 1;
	char *out;

	if (name_len == 0 || name_len == len || line[name_len] != ':' ||
	    memchr(line, '\0', len) != NULL)
		return REPLY_MALFORMED;
	if (reply->nheaders >= HTTP_REPLY_HEADERS_MAX)
		return REPLY_HEAD_TOO_LARGE;
	len -= name_len + 1;
	for (; len > 0 && is_blank(value[0]); len--)
		value++;
	while (len > 0 && is_blank(value[len - 1]))
		len--;
	if (buf_reserve(&reply->head, reply->head.len + name_len + len + 2) < 0)
		return REPLY_NO_MEMORY;
	out = reply->head.data + reply->head.len;
	for (; name_len > 0; name_len--, line++)
		*out++ = *line >= 'A' && *line <= 'Z' ? (char)(*line - 'A' + 'a') : *line;
	*out++ = '\0';
	/* As RFC 9110 5.5 has it for some: a module may send a value back, and no request can have
	 * one with control characters. */
	for (; len > 0; len--, value++)
		*out++ = (unsigned char)*value < ' ' || *value == 0x7f ? ' ' : *value;
	*out++ = '\0';
	reply->head.len = (size_t)(out - reply->head.data);
	reply->nheaders++;
	return REPLY_FINE;
}

size_t
reply_header_cb(char *data, size_t size, size_t n, void *userdata)
{
	struct reply *reply = userdata;
	size_t total = size * n, len = total;
	enum reply_trouble trouble;

	reply->head_bytes += total;
	if (reply->head_bytes > HTTP_REPLY_HEAD_MAX)
		return reply_refuse(reply, REPLY_HEAD_TOO_LARGE);
	while (len > 0 && (data[len - 1] == '\n' || data[len - 1] == '\r'))
		len--;
	if (reply->head_done && len >= 5 && memcmp(data, "HTTP/", 5) == 0) {
		/* A status line; what came before it was an interim answer (100, 103). */
		reply->head.len = 0;
		reply->nheaders = 0;
		reply->head_done = false;
	} else if (len == 0) {
		reply->head_done = true;
	} else if (!reply->head_done) {
		trouble = reply_add_header(reply, data, len);
		if (trouble != REPLY_FINE)
			return reply_refuse(reply, trouble);
	}
	return total;
}

size_t
reply_body_cb(char *data, size_t size, size_t n, void *userdata)
{
	struct reply *reply = userdata;
	size_t len = size * n, needed = reply->body.len + len + 1; /* with a NUL */

	if (len > reply->max_body - reply->body.len)
		return reply_refuse(reply, REPLY_BODY_TOO_LARGE);
	/* What is too large to be kept is charged to the call by its length, as the rest of such a
	 * buffer is never touched. */
	if (needed > KEEP_MAX) {
		if (charge_add(reply->arena, needed - reply->charged) < 0)
			return reply_refuse(reply, REPLY_NO_MEMORY);
		reply->charged = needed;
	}
	if (buf_reserve(&reply->body, needed) < 0)
		return reply_refuse(reply, REPLY_NO_MEMORY);
	if (len > 0)
		memcpy(reply->body.data + reply->body.len, data, len);
	reply->body.len += len;
	return len;
}

const char *
reply_header(const struct reply *reply, const char *name)
{
	const char *at = reply->head.data, *value;

	for (size_t i = 0; i < reply->nheaders; i++) {
		value = at + strlen(at) + 1;
		if (strcmp(at, name) == 0)
			return value;
		at = value + strlen(value) + 1;
	}
	return NULL;
}

const struct cosi_http_reply *
reply_take(struct reply *reply, int status)
{
	struct arena *arena = reply->arena;
	struct cosi_http_reply *out = arena_alloc(arena, sizeof *out);
	struct cosi_kv *headers = arena_alloc(arena, (reply->nheaders + 1) * sizeof *headers);
	char *head =
		arena_strndup(arena, reply->head.len > 0 ? reply->head.data : "", reply->head.len);
	char *body = reply->body.data;
	size_t len = reply->body.len;

	/* A large body changes hands, a small one is copied and its buffer kept. */
	if (reply->body.size <= KEEP_MAX) {
		body = arena_strndup(arena, len > 0 ? body : "", len);
	} else {
		charge_release(arena, reply->charged);
		reply->charged = 0;
		if (arena_adopt(arena, body, len + 1) == 0) {
			body[len] = '\0';
			reply->body = (struct buf){ 0 };
		}
	}
	if (arena_failed(arena))
		return NULL;
	for (size_t i = 0; i < reply->nheaders; i++) {
		headers[i].key = head;
		head += strlen(head) + 1;
		headers[i].value = head;
		head += strlen(head) + 1;
	}
	*out = (struct cosi_http_reply){ status, { body, len }, reply->nheaders, headers };
	return out;
}
