/* SPDX-License-Identifier: Apache-2.0
 * fuzz_http.c - any bytes as an answer as libcurl hands it over, as a URL, as a Retry-After, and as
 * a request of a module's.
 *
 * covers: core/http/reply.c core/http/request.c
 */
#include <stdatomic.h>

#include "base/clock.h"
#include "base/secret.h"
#include "http/client.h"
#include "http/handle.h"
#include "input.h"

#include "banned.h"

enum { MEMORY = 8 << 20, LITTLE = 2048 };

static void
check_token(const char *text)
{
	must(request_token_len(text, strlen(text)) == strlen(text) && text[0] != '\0');
	must(strpbrk(text, CHARS_UPPER) == NULL);
}

static bool
is_one_line(const char *text)
{
	for (; *text != '\0'; text++)
		if ((unsigned char)*text < ' ' && *text != '\t')
			return false;
	return true;
}

/* ---- the answer ---- */

static void
check_reply(const struct reply *reply, const struct cosi_http_reply *out, size_t max_body)
{
	must(out->nheaders == reply->nheaders && out->nheaders <= HTTP_REPLY_HEADERS_MAX);
	must(out->body.len <= max_body);
	must(((const char *)out->body.data)[out->body.len] == '\0');
	for (size_t i = 0; i < out->nheaders; i++) {
		check_token(out->headers[i].key);
		must(is_one_line(out->headers[i].value));
		must(reply_header(reply, out->headers[i].key) != NULL);
	}
}

/* Pieces as callbacks get them: a byte that says which, then the bytes. */
static void
feed(struct reply *reply, struct input *in)
{
	while (in->at < in->end && reply->trouble == REPLY_FINE) {
		uint8_t how = input_byte(in);
		const uint8_t *piece;
		size_t len, taken, times = (how & 0x40) != 0 ? 300 : 1;
		char *copy;

		if ((how & 0x80) != 0)
			return;
		len = taken = input_piece(in, &piece);
		for (; times > 0 && taken == len && reply->trouble == REPLY_FINE; times--) {
			copy = input_copy(piece, len);
			taken = (how & 1) != 0 ? reply_body_cb(copy, 1, len, reply)
					       : reply_header_cb(copy, 1, len, reply);
			free(copy);
		}
		must(taken == len || (taken == 0 && reply->trouble != REPLY_FINE));
	}
}

/* What an attempt comes to, whatever libcurl says. */
static void
check_failure(struct handle *handle, struct http_call *call, struct input *in)
{
	static struct request request = { .method = "GET",
					  .shown = "GET /photos",
					  .url.origin = "http://store.example" };
	struct attempt attempt = { .request = &request, .call = call };
	CURLcode code = input_byte(in) % CURL_LAST;
	unsigned how = input_byte(in);
	char *error = input_text(in);

	attempt.stop = how % 5;
	attempt.sent = how >> 3 & 1;
	request.timeout_ms = how & 0x10 ? 20000 : 250;
	call->deadline_ms = how & 0x20 ? 0 : CLOCK_NEVER;
	(void)snprintf(handle->error, sizeof handle->error, "%s", error);
	free(error);
	failure_judge(handle, &attempt, code, (how & 0x40) != 0);
	must(attempt.status == 0 || (attempt.status >= 200 && attempt.status <= 599));
	must(attempt.status != 0 || (attempt.code != COSI_OK && attempt.text[0] != '\0'));
	must(strlen(attempt.text) < sizeof attempt.text);
}

static void
check_answer(struct input *in)
{
	static const size_t limits[] = { 0, 1, 100, 65536, 4 << 20 };
	static const struct handle_options options = { .backend = "east",
						       .connect_timeout_ms = 5000 };
	static struct handle *handle;
	static atomic_bool cancelled;
	uint8_t how = input_byte(in);
	size_t max_body = limits[how % 5];
	const struct cosi_http_reply *out;
	struct status status = { 0 };
	struct arena arena;
	struct http_call call = { .arena = &arena, .status = &status, .cancelled = &cancelled };

	if (handle == NULL) {
		must(http_global_init() == 0);
		handle = handle_new(&options);
		must(handle != NULL);
	}
	arena_init(&arena, how & 0x80 ? LITTLE : MEMORY);
	reply_reset(&handle->reply, max_body, &arena);
	feed(&handle->reply, in);
	check_failure(handle, &call, in);
	out = handle->reply.trouble == REPLY_FINE ? reply_take(&handle->reply, 200) : NULL;
	if (out != NULL)
		check_reply(&handle->reply, out, max_body);
	else
		must(handle->reply.trouble != REPLY_FINE || arena_failed(&arena));
	reply_reset(&handle->reply, 0, &arena);
	must(arena.charged == 0);
	arena_done(&arena);
}

/* ---- the URL, and what is sent to it ---- */

static void
check_url(const char *text, const char *label)
{
	struct url url, again, labelled;
	struct arena arena;

	arena_init(&arena, MEMORY);
	if (url_parse(&arena, text, &url) < 0) {
		must(url.origin[0] == '\0' && url.wire.host[0] == '\0' && url.wire.path[0] == '\0');
	} else {
		must(url_parse(&arena, arena_printf(&arena, "%s%s", url.origin, url.wire.path),
			       &again) == 0);
		must(strcmp(url.wire.host, again.wire.host) == 0 &&
		     strcmp(url.wire.path, again.wire.path) == 0 &&
		     strcmp(url.wire.scheme, again.wire.scheme) == 0);
		labelled = url;
		if (url_add_label(&arena, label, &labelled) == 0)
			must(url_parse(&arena, labelled.origin, &again) == 0);
	}
	arena_done(&arena);
}

static void
check_request(struct input *in)
{
	struct url base = { { "http", "store.example", "/p" }, "http://store.example" };
	char *texts[6];
	struct status status = { 0 };
	struct request request;
	struct arena arena;
	struct http_call call = { .arena = &arena, .status = &status };
	uint8_t how = input_byte(in);

	for (size_t i = 0; i < 6; i++)
		texts[i] = input_text(in);
	{
		const struct cosi_kv headers[] = { { texts[4], texts[5] },
						   { "content-type", texts[5] } };
		const struct cosi_http asked = {
			.method = how & 1 ? "GET" : texts[0],
			.path = how & 2 ? "/photos" : texts[1],
			.query = how & 4 ? NULL : texts[2],
			.host_label = how & 8 ? NULL : texts[3],
			.nheaders = how & 0x10 ? (how & 0x80 ? 0 : 2) : 1,
			.headers = headers,
			.flags = how >> 5 & 7,
		};

		arena_init(&arena, MEMORY);
		if (request_prepare(&call, &base, &asked, 1000, &request) == 0) {
			must(is_one_line(request.target) && strpbrk(request.target, " #") == NULL);
			for (struct curl_slist *line = request.headers; line; line = line->next)
				must(is_one_line(line->data));
		} else {
			must(status.code == COSI_INTERNAL && status.text[0] != '\0');
		}
		arena_done(&arena);
	}
	for (size_t i = 0; i < 6; i++)
		free(texts[i]);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, data + size };
	unsigned what = input_byte(&in) % 4;
	char *text, *label;
	int64_t delay_ms;

	if (what == 0) {
		check_answer(&in);
		return 0;
	}
	if (what == 1) {
		check_request(&in);
		return 0;
	}
	text = input_text(&in);
	label = input_text(&in);
	if (what == 2) {
		check_url(text, label);
	} else {
		delay_ms = retry_delay_ms(1 + input_byte(&in), text);
		must(delay_ms > 0 && delay_ms <= 86400 * 1000);
	}
	free(text);
	free(label);
	return 0;
}
