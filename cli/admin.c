/* SPDX-License-Identifier: Apache-2.0
 * admin.c - one line of JSON out, lines of JSON back, printed for people or as they are. */
#include "admin.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "base/cleanup.h"
#include "base/secret.h"
#include "client.h"
#include "text.h"

#include "banned.h"

enum { LINE_MOST = 1024 * 1024, ITEMS_MOST = 1000000 };
/* Of the texts of one line, each of which can grow to four times its length. */
enum { LINE_ARENA = 8 * LINE_MOST };

/* The lines with an "item", those with a "failure", and the last one, which has a "code". */
struct admin_answer {
	json_t *items, *failures; /* arrays, owned */
	json_t *last;             /* owned */
};

/* ---- text --------------------------------------------------------------------------- */

/* A member as a text that is fit for a terminal; what is absent or null is "-". */
static const char *
json_text_of(struct arena *arena, const json_t *object, const char *key)
{
	const char *value = json_string_value(json_object_get(object, key));

	return value != NULL ? text_escape(arena, value, strlen(value)) : "-";
}

static long long
json_number_of(const json_t *object, const char *key)
{
	return (long long)json_number_value(json_object_get(object, key));
}

/* "3 calls", "1 call". */
static const char *
json_count_of(struct arena *arena, const json_t *object, const char *key, const char *what)
{
	long long n = json_number_of(object, key);

	return arena_printf(arena, "%lld %s%s", n, what, n == 1 ? "" : "s");
}

static void
print_messages(FILE *out, struct arena *arena, const json_t *messages)
{
	json_t *message;
	size_t i;

	json_array_foreach(messages, i, message) {
		const char *line = json_string_value(message);

		if (line != NULL)
			(void)fprintf(out, "  %s\n", text_escape(arena, line, strlen(line)));
	}
}

static void
print_status_module(struct arena *arena, const json_t *module)
{
	json_t *name;
	size_t i;

	(void)printf("module %s %s, %s, sha256 %.16s, for", json_text_of(arena, module, "name"),
		     json_text_of(arena, module, "version"), json_text_of(arena, module, "file"),
		     json_text_of(arena, module, "sha256"));
	json_array_foreach(json_object_get(module, "backends"), i, name) {
		const char *text = json_string_value(name);

		if (text != NULL)
			(void)printf(" %s", text_escape(arena, text, strlen(text)));
	}
	(void)putchar('\n');
}

static void
print_status_backend(struct arena *arena, const json_t *backend)
{
	const json_t *failure = json_object_get(backend, "lastError");
	const char *left_out = json_text_of(arena, backend, "leftOut");
	json_t *breaker;
	size_t i;

	(void)printf(
		"backend %s (%s, %s): %s%s, %lld of %lld running, %lld stuck, %lld waiting, "
		"%lld quarantined, %s, %lld failed\n",
		json_text_of(arena, backend, "name"), json_text_of(arena, backend, "module"),
		json_text_of(arena, backend, "endpoint"), json_text_of(arena, backend, "state"),
		json_is_false(json_object_get(backend, "acceptNew")) ? ", takes no new buckets"
								     : "",
		json_number_of(backend, "running"), json_number_of(backend, "maxCalls"),
		json_number_of(backend, "stuck"), json_number_of(backend, "waiting"),
		json_number_of(backend, "quarantined"),
		json_count_of(arena, backend, "calls", "call"), json_number_of(backend, "failed"));
	if (strcmp(left_out, "-") != 0)
		(void)printf("  left out: %s\n", left_out);
	json_array_foreach(json_object_get(backend, "breakers"), i, breaker)
		(void)printf("  circuit breaker open for %s since %s: %s\n",
			     json_text_of(arena, breaker, "url"),
			     json_text_of(arena, breaker, "since"),
			     json_text_of(arena, breaker, "error"));
	if (json_is_object(failure))
		(void)printf("  last error at %s: %s: %s\n", json_text_of(arena, failure, "at"),
			     json_text_of(arena, failure, "code"),
			     json_text_of(arena, failure, "text"));
}

/* A listing is no call. */
static void
print_draining(struct arena *arena, const json_t *old)
{
	(void)printf(
		"backend %s of generation %lld (%s %s) was replaced at %s and is kept open by ",
		json_text_of(arena, old, "backend"), json_number_of(old, "generation"),
		json_text_of(arena, old, "module"), json_text_of(arena, old, "version"),
		json_text_of(arena, old, "since"));
	if (json_string_length(json_object_get(old, "oldest")) == 0)
		(void)puts("cosictl list");
	else
		(void)printf("%s, the oldest: %s, for %lld ms\n",
			     json_count_of(arena, old, "calls", "call"),
			     json_text_of(arena, old, "oldest"), json_number_of(old, "ms"));
}

static void
print_each(struct arena *arena, const json_t *list, void (*print)(struct arena *, const json_t *))
{
	json_t *value;
	size_t i;

	json_array_foreach(list, i, value)
		print(arena, value);
}

static void
print_status(struct arena *arena, const json_t *status)
{
	const json_t *reload = json_object_get(status, "reload");

	if (json_object_get(status, "generation") == NULL)
		return;
	(void)printf("cosid %s, %s on unix://%s, process %lld\n",
		     json_text_of(arena, status, "version"), json_text_of(arena, status, "driver"),
		     json_text_of(arena, status, "socket"), json_number_of(status, "pid"));
	(void)printf("generation %lld since %s, %s\n", json_number_of(status, "generation"),
		     json_text_of(arena, status, "since"),
		     json_count_of(arena, status, "workers", "worker"));
	if (json_is_object(reload))
		(void)printf("last reload %s at %s, %lld ms\n",
			     json_is_true(json_object_get(reload, "ok")) ? "done" : "FAILED",
			     json_text_of(arena, reload, "at"), json_number_of(reload, "ms"));
	else
		(void)puts("no reload since the start");
	print_messages(stdout, arena, json_object_get(reload, "messages"));
	print_each(arena, json_object_get(status, "modules"), print_status_module);
	print_each(arena, json_object_get(status, "backends"), print_status_backend);
	print_each(arena, json_object_get(status, "draining"), print_draining);
}

/* A table: the ids and names are as wide as the longest. */
static void
print_items(const json_t *items)
{
	static const char *const keys[] = { "kind", "id", "name", "created" };
	enum { COLUMNS = sizeof keys / sizeof keys[0] };
	const char *cells[COLUMNS] = { "KIND", "ID", "NAME", "CREATED" };
	int widths[COLUMNS] = { 7, 2, 4, 7 };
	struct arena line;
	json_t *item;
	size_t i;

	arena_init(&line, LINE_ARENA);
	json_array_foreach(items, i, item) {
		for (size_t column = 1; column < COLUMNS - 1; column++) {
			int width = (int)strlen(json_text_of(&line, item, keys[column]));

			widths[column] = width > widths[column] ? width : widths[column];
		}
		arena_done(&line);
	}
	for (size_t row = 0; row <= json_array_size(items) && json_array_size(items) > 0; row++) {
		for (size_t column = 0; column < COLUMNS && row > 0; column++)
			cells[column] =
				json_text_of(&line, json_array_get(items, row - 1), keys[column]);
		(void)printf("%-*s  %-*s  %-*s  %s\n", widths[0], cells[0], widths[1], cells[1],
			     widths[2], cells[2], cells[3]);
		arena_done(&line);
	}
}

static void
print_failure(struct arena *arena, const json_t *failure)
{
	(void)fprintf(stderr, "cosictl: backend %s: %s: %s\n",
		      json_text_of(arena, failure, "backend"), json_text_of(arena, failure, "code"),
		      json_text_of(arena, failure, "text"));
}

/* ---- the session -------------------------------------------------------------------- */

/* The daemon may refuse a session and close it before it has read anything. */
static int
send_command(int fd, const struct request *request)
{
	static const char *const names[] = {
		[OP_STATUS] = "status", [OP_RELOAD] = "reload", [OP_LIST] = "list"
	};
	json_t *command = json_pack("{s:s}", "command", names[request->op]);
	CLEANUP_FREE char *line = NULL;
	char *text = NULL;
	int len;

	/* What is not UTF-8 is no backend's name. */
	if (request->nids == 0 ||
	    json_object_set_new(command, "backend", json_string(request->ids[0])) == 0)
		text = json_dumps(command, JSON_COMPACT);
	json_decref(command);
	if (text == NULL) {
		errno = EINVAL;
		return -1;
	}
	len = asprintf(&line, "%s\n", text);
	wiped_free(text);
	if (len < 0) {
		line = NULL;
		return -1;
	}
	return send(fd, line, (size_t)len, MSG_NOSIGNAL) == len || errno == EPIPE ? 0 : -1;
}

/* NULL; or what is wrong with the line, and *out_code. */
static const char *
take_line(struct admin_answer *answer, const char *line, const char **out_code)
{
	json_t *value = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
	json_t *item = json_object_get(value, "item"), *failure = json_object_get(value, "failure");
	const char *error = NULL;

	if (json_is_string(json_object_get(value, "code"))) {
		answer->last = json_incref(value);
	} else if (!json_is_object(item) && !json_is_object(failure)) {
		error = "cannot read the answer: is this COSI's socket, and not the admin socket?";
	} else if (json_array_size(answer->items) + json_array_size(answer->failures) ==
		   ITEMS_MOST) {
		*out_code = "RESOURCE_EXHAUSTED";
		error = "cannot hold the list: it has more than 1,000,000 entries; list one "
			"backend at a time";
	} else {
		(void)json_array_append(json_is_object(item) ? answer->items : answer->failures,
					json_is_object(item) ? item : failure);
	}
	json_decref(value);
	return error;
}

/* NULL: the last line has come. */
static const char *
admin_exchange(struct arena *arena, const struct args *args, struct admin_answer *answer,
	       const char **out_code)
{
	const struct timeval limit = { .tv_sec = args->timeout_ms / 1000,
				       .tv_usec = args->timeout_ms % 1000 * 1000 };
	int fd = client_connect(args->endpoint + strlen("unix://"), args->timeout_ms);
	CLEANUP_FILE FILE *stream = fd >= 0 ? fdopen(fd, "r") : NULL;
	CLEANUP_FREE char *line = NULL;
	const char *error;
	size_t size = 0;
	ssize_t len;

	if (stream == NULL)
		return client_connect_error(arena, args->endpoint, errno);
	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) < 0 ||
	    send_command(fd, &args->request) < 0)
		return arena_printf(arena, "cannot send to '%s': %m", args->endpoint);
	while (answer->last == NULL) {
		errno = 0;
		len = getline(&line, &size, stream);
		if (len < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return "no answer came in time";
		if (len < 0)
			return "the daemon closed the connection";
		error = len > LINE_MOST ? "cannot read the answer: a line is longer than 1 MiB"
					: take_line(answer, line, out_code);
		if (error != NULL)
			return error;
	}
	return NULL;
}

static void
admin_print(struct arena *arena, const struct args *args, struct admin_answer *answer, bool done)
{
	if (args->output == OUTPUT_JSON) {
		/* The last line, and with list what was found. */
		if (args->request.op == OP_LIST) {
			(void)json_object_set(answer->last, "found", answer->items);
			(void)json_object_set(answer->last, "failures", answer->failures);
		}
		(void)json_dumpf(answer->last, stdout,
				 JSON_ENSURE_ASCII | JSON_INDENT(2) | JSON_REAL_PRECISION(6));
		(void)putchar('\n');
	} else if (args->request.op == OP_STATUS) {
		print_status(arena, answer->last);
	} else if (args->request.op == OP_RELOAD) {
		/* The error of a reload that has failed says what serves, and comes after these. */
		if (done)
			(void)printf("generation %lld serves %s\n",
				     json_number_of(answer->last, "generation"),
				     json_count_of(arena, answer->last, "backendCount", "backend"));
		print_messages(done ? stdout : stderr, arena,
			       json_object_get(answer->last, "messages"));
	} else {
		print_items(answer->items);
		print_each(arena, answer->failures, print_failure);
	}
}

const char *
admin_run(struct arena *arena, const struct args *args, const char **out_code)
{
	struct admin_answer answer = { .items = json_array(), .failures = json_array() };
	const char *error, *code = NULL;

	*out_code = "UNAVAILABLE";
	error = admin_exchange(arena, args, &answer, out_code);
	if (error == NULL) {
		code = json_text_of(arena, answer.last, "code");
		admin_print(arena, args, &answer, strcmp(code, "OK") == 0);
	}
	if (code != NULL && strcmp(code, "OK") != 0) {
		*out_code = code;
		error = json_string_value(json_object_get(answer.last, "error"));
		error = arena_strdup(arena, error != NULL ? error : "the command failed");
	}
	json_decref(answer.items);
	json_decref(answer.failures);
	json_decref(answer.last);
	return error;
}
