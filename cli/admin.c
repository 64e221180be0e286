/* SPDX-License-Identifier: Apache-2.0
 * admin.c - one line of JSON out, lines of JSON back, within one deadline. */
#include "admin.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "admin_print.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/secret.h"
#include "client.h"
#include "text.h"

#include "banned.h"

/* An entry of cosid's takes about 340 bytes; the least that counts as one takes 12, and a row of
 * the table 100. */
enum { ENTRIES_MOST = 1000000, ENTRIES_BYTES_MOST = 256 * 1024 * 1024 };
enum { BUFFER_FIRST = 64 * 1024, DEPTH_MOST = 16 };

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

/* jansson reads 2048 levels, and printing indents each: no answer needs more than a few. */
static bool
is_deep(json_t *value, unsigned levels)
{
	const char *key;
	json_t *member;
	size_t i;

	if (levels == 0)
		return json_is_object(value) || json_is_array(value);
	json_array_foreach(value, i, member)
		if (is_deep(member, levels - 1))
			return true;
	json_object_foreach(value, key, member)
		if (is_deep(member, levels - 1))
			return true;
	return false;
}

/* Takes the line that follows the entries.  NULL; or what is wrong with it, and *out_code. */
static const char *
take_line(struct admin_answer *answer, size_t len, const char **out_code)
{
	json_t *value = json_loadb(answer->text + answer->len, len, JSON_REJECT_DUPLICATES, NULL);
	bool item = json_is_object(json_object_get(value, "item"));
	bool failure = json_is_object(json_object_get(value, "failure"));
	const char *error = NULL;

	if (is_deep(value, DEPTH_MOST)) {
		error = "cannot read the answer: it is nested too deeply";
	} else if (json_is_string(json_object_get(value, "code"))) {
		answer->last = json_incref(value);
	} else if (!item && !failure) {
		error = "cannot read the answer: is this COSI's socket, and not the admin socket?";
	} else if (answer->nitems + answer->nfailures >= ENTRIES_MOST ||
		   answer->len + len > ENTRIES_BYTES_MOST) {
		*out_code = "RESOURCE_EXHAUSTED";
		error = "cannot hold the list: it has more than 1,000,000 entries or 256 MiB; list "
			"one backend at a time";
	} else {
		answer->nitems += item;
		answer->nfailures += failure;
		answer->len += len;
	}
	json_decref(value);
	return error;
}

/* NULL: more has come; or what is wrong. */
static const char *
receive_more(int fd, int64_t until_ms, struct admin_answer *answer)
{
	struct pollfd event = { .fd = fd, .events = POLLIN };
	ssize_t n;

	if (answer->received == answer->size) {
		size_t size = answer->size > 0 ? 2 * answer->size : BUFFER_FIRST;
		char *text = realloc(answer->text, size);

		if (text == NULL)
			return "cannot read the answer: out of memory";
		answer->text = text;
		answer->size = size;
	}
	/* One deadline for the whole answer: a peer may send a byte now and then. */
	do {
		int64_t left_ms = until_ms - clock_mono_ms();

		if (left_ms <= 0)
			return "no complete answer came in time";
		event.revents = 0;
		(void)poll(&event, 1, (int)left_ms);
	} while (event.revents == 0);
	n = recv(fd, answer->text + answer->received, answer->size - answer->received, 0);
	if (n <= 0)
		return "the daemon closed the connection: has it ended (systemctl status cosid), "
		       "or is this COSI's socket, and not the admin socket?";
	answer->received += (size_t)n;
	return NULL;
}

/* NULL: the last line has come. */
static const char *
receive_answer(int fd, int64_t until_ms, struct admin_answer *answer, const char **out_code)
{
	size_t searched = 0;

	while (answer->last == NULL) {
		const char *error, *end = NULL;
		size_t len;

		if (answer->received > searched)
			end = memchr(answer->text + searched, '\n', answer->received - searched);
		searched = end != NULL ? (size_t)(end + 1 - answer->text) : answer->received;
		len = searched - answer->len;
		if (len > ADMIN_LINE_MOST)
			return "cannot read the answer: a line is longer than 1 MiB";
		error = end != NULL ? take_line(answer, len, out_code)
				    : receive_more(fd, until_ms, answer);
		if (error != NULL)
			return error;
	}
	return NULL;
}

/* NULL: the answer has come. */
static const char *
admin_exchange(struct arena *arena, const struct args *args, struct admin_answer *answer,
	       const char **out_code)
{
	int64_t until_ms = clock_mono_ms() + args->timeout_ms;
	CLEANUP_FD int fd = client_connect(args->endpoint + strlen("unix://"), args->timeout_ms);

	if (fd < 0)
		return client_connect_error(arena, args->endpoint, errno);
	if (send_command(fd, &args->request) < 0)
		return arena_printf(arena, "cannot send to '%s': %m", args->endpoint);
	return receive_answer(fd, until_ms, answer, out_code);
}

const char *
admin_run(struct arena *arena, const struct args *args, const char **out_code)
{
	struct admin_answer answer = { 0 };
	const char *error, *code = NULL;

	*out_code = "UNAVAILABLE";
	error = admin_exchange(arena, args, &answer, out_code);
	if (error == NULL) {
		code = json_string_value(json_object_get(answer.last, "code"));
		code = text_escape(arena, code, strlen(code));
		admin_print(arena, args, &answer, strcmp(code, "OK") == 0);
	}
	if (code != NULL && strcmp(code, "OK") != 0) {
		*out_code = code;
		error = json_string_value(json_object_get(answer.last, "error"));
		error = arena_strdup(arena, error != NULL ? error : "the command failed");
	}
	free(answer.text);
	json_decref(answer.last);
	return error;
}
