/* SPDX-License-Identifier: Apache-2.0
 * admin_print.c - the answer of the admin socket on stdout: for people, for scripts. */
#include "admin_print.h"

#include <stdio.h>
#include <string.h>

#include "text.h"

#include "banned.h"

/* Of the texts of one line, each of which can grow to four times its length. */
enum { LINE_ARENA = 8 * ADMIN_LINE_MOST };
/* A column is as wide as its widest cell, but one long id must not pad a million others. */
enum { WIDTH_MOST = 64 };
enum { JSON_FLAGS = JSON_ENSURE_ASCII | JSON_REAL_PRECISION(6) };

/* ---- status ------------------------------------------------------------------------- */

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

/* ---- list --------------------------------------------------------------------------- */

/* The member of the next line that has it, owned; NULL: no line has it any more. */
static json_t *
next_entry(const struct admin_answer *answer, const char *member, size_t *at)
{
	while (*at < answer->len) {
		const char *line = answer->text + *at;
		size_t len = (size_t)((char *)memchr(line, '\n', answer->len - *at) - line);
		json_t *value = json_loadb(line, len, JSON_REJECT_DUPLICATES, NULL);
		json_t *entry = json_incref(json_object_get(value, member));

		json_decref(value);
		*at += len + 1;
		if (json_is_object(entry))
			return entry;
		json_decref(entry);
	}
	return NULL;
}

static void
print_items(const struct admin_answer *answer)
{
	static const char *const keys[] = { "kind", "id", "name", "created" };
	enum { COLUMNS = sizeof keys / sizeof keys[0] };
	const char *cells[COLUMNS] = { "KIND", "ID", "NAME", "CREATED" };
	int widths[COLUMNS] = { 7, 2, 4, 7 };
	struct arena line;
	json_t *item;

	if (answer->nitems == 0)
		return;
	arena_init(&line, LINE_ARENA);
	for (size_t at = 0; (item = next_entry(answer, "item", &at)) != NULL; json_decref(item)) {
		for (size_t column = 1; column < COLUMNS - 1; column++) {
			const char *cell = json_text_of(&line, item, keys[column]);
			int width = (int)strnlen(cell, WIDTH_MOST);

			widths[column] = width > widths[column] ? width : widths[column];
		}
		arena_done(&line);
	}
	item = NULL;
	for (size_t at = 0;;) {
		(void)printf("%-*s  %-*s  %-*s  %s\n", widths[0], cells[0], widths[1], cells[1],
			     widths[2], cells[2], cells[3]);
		arena_done(&line);
		item = next_entry(answer, "item", &at);
		if (item == NULL)
			return;
		for (size_t column = 0; column < COLUMNS; column++)
			cells[column] = json_text_of(&line, item, keys[column]);
		json_decref(item);
	}
}

static void
print_failures(const struct admin_answer *answer)
{
	struct arena line;
	json_t *failure;

	arena_init(&line, LINE_ARENA);
	for (size_t at = 0; answer->nfailures > 0; json_decref(failure)) {
		failure = next_entry(answer, "failure", &at);
		if (failure == NULL)
			return;
		(void)fprintf(stderr, "cosictl: backend %s: %s: %s\n",
			      json_text_of(&line, failure, "backend"),
			      json_text_of(&line, failure, "code"),
			      json_text_of(&line, failure, "text"));
		arena_done(&line);
	}
}

/* Each on a line of its own. */
static void
print_entries_json(const struct admin_answer *answer, size_t n, const char *member)
{
	const char *separator = "\n";
	json_t *entry;

	for (size_t at = 0; n > 0 && (entry = next_entry(answer, member, &at)) != NULL;
	     json_decref(entry)) {
		(void)fputs(separator, stdout);
		(void)json_dumpf(entry, stdout, JSON_FLAGS);
		separator = ",\n";
	}
}

/* The last line with what was found, which may be too much for one tree. */
static void
print_list_json(const struct admin_answer *answer)
{
	(void)json_object_del(answer->last, "found");
	(void)json_object_del(answer->last, "failures");
	(void)putchar('{');
	(void)json_dumpf(answer->last, stdout, JSON_FLAGS | JSON_EMBED);
	(void)fputs(", \"found\": [", stdout);
	print_entries_json(answer, answer->nitems, "item");
	(void)fputs("\n], \"failures\": [", stdout);
	print_entries_json(answer, answer->nfailures, "failure");
	(void)puts("\n]}");
}

void
admin_print(struct arena *arena, const struct args *args, const struct admin_answer *answer,
	    bool done)
{
	if (args->output == OUTPUT_JSON && args->request.op == OP_LIST) {
		print_list_json(answer);
	} else if (args->output == OUTPUT_JSON) {
		(void)json_dumpf(answer->last, stdout, JSON_FLAGS | JSON_INDENT(2));
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
		print_items(answer);
		print_failures(answer);
	}
}
