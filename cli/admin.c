/* SPDX-License-Identifier: Apache-2.0
 * admin.c - one line of JSON out, lines of JSON back. */
#include "admin.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "base/cleanup.h"
#include "connect.h"
#include "text.h"

#include "banned.h"

enum { LINE_MOST = 1024 * 1024, ITEMS_MOST = 1000000 };

static const char *
word(enum ask_op op)
{
	switch (op) {
	case ASK_STATUS:
		return "status";
	case ASK_RELOAD:
		return "reload";
	default:
		return "list";
	}
}

/* A daemon that takes no more peers says so and closes before it has read anything. */
static int
send_request(int fd, const struct ask *ask)
{
	json_t *request = json_pack("{s:s}", "command", word(ask->op));
	CLEANUP_FREE char *text = NULL, *line = NULL;
	int len;

	/* What is not UTF-8 is no backend's name. */
	if (ask->nids == 0 ||
	    json_object_set_new(request, "backend", json_string(ask->ids[0])) == 0)
		text = json_dumps(request, JSON_COMPACT);
	json_decref(request);
	len = text != NULL ? asprintf(&line, "%s\n", text) : -1;
	if (len < 0) {
		line = NULL;
		errno = text != NULL ? ENOMEM : EINVAL;
		return -1;
	}
	return send(fd, line, (size_t)len, MSG_NOSIGNAL) == len || errno == EPIPE ? 0 : -1;
}

/* Sorts a line to its place; false: it is none of ours. */
static bool
take(struct admin_answer *answer, const char *line)
{
	json_t *value = json_loads(line, JSON_REJECT_DUPLICATES, NULL), *part;

	if (json_is_string(json_object_get(value, "code"))) {
		answer->last = value;
		return true;
	}
	part = json_object_get(value, "item");
	if (json_is_object(part) && json_array_size(answer->items) < ITEMS_MOST) {
		(void)json_array_append(answer->items, part);
	} else {
		part = json_object_get(value, "failure");
		if (json_is_object(part) && json_array_size(answer->failures) < ITEMS_MOST)
			(void)json_array_append(answer->failures, part);
		else
			part = NULL;
	}
	json_decref(value);
	return part != NULL;
}

/* NULL: the last line has come. */
static const char *
read_answer(FILE *stream, struct admin_answer *answer)
{
	CLEANUP_FREE char *line = NULL;
	size_t size = 0;
	ssize_t len;

	while (answer->last == NULL) {
		errno = 0;
		len = getline(&line, &size, stream);
		if (len < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return "no answer came in time";
		if (len < 0)
			return "the daemon ended the connection";
		if (len > LINE_MOST || !take(answer, line))
			return "cannot read the answer: is this the admin socket, and not COSI's?";
	}
	return NULL;
}

static const char *
exchange(struct arena *arena, const struct args *args, struct admin_answer *answer)
{
	const struct timeval limit = { .tv_sec = args->timeout_ms / 1000,
				       .tv_usec = args->timeout_ms % 1000 * 1000 };
	int fd = connect_unix(args->endpoint + strlen("unix://"), args->timeout_ms);
	CLEANUP_FILE FILE *stream = fd >= 0 ? fdopen(fd, "r") : NULL;

	if (stream == NULL)
		return arena_printf(arena, "cannot connect to '%s': %m", args->endpoint);
	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) != 0 ||
	    send_request(fd, &args->ask) != 0)
		return arena_printf(arena, "cannot send to '%s': %m", args->endpoint);
	return read_answer(stream, answer);
}

/* The last line, and with list what was found. */
static void
print_as_json(enum ask_op op, const struct admin_answer *answer)
{
	json_t *value = json_deep_copy(answer->last);

	if (op == ASK_LIST) {
		(void)json_object_set(value, "found", answer->items);
		(void)json_object_set(value, "failures", answer->failures);
	}
	(void)json_dumpf(value, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
	(void)putchar('\n');
	json_decref(value);
}

static const char *
print(struct arena *arena, const struct args *args, const struct admin_answer *answer,
      const char **out_code)
{
	const char *code = json_string_value(json_object_get(answer->last, "code"));
	const char *error = json_string_value(json_object_get(answer->last, "error"));

	if (args->print == print_json)
		print_as_json(args->ask.op, answer);
	else
		admin_print(arena, args->ask.op, answer);
	if (strcmp(code, "OK") == 0)
		return NULL;
	*out_code = text_escape(arena, code, strlen(code));
	return arena_strdup(arena, error != NULL ? error : "it has failed");
}

const char *
admin_run(struct arena *arena, const struct args *args, const char **out_code)
{
	struct admin_answer answer = { .items = json_array(), .failures = json_array() };
	const char *error;

	*out_code = "";
	error = exchange(arena, args, &answer);
	if (error == NULL)
		error = print(arena, args, &answer, out_code);
	else
		*out_code = "UNAVAILABLE";
	json_decref(answer.items);
	json_decref(answer.failures);
	json_decref(answer.last);
	return error;
}
