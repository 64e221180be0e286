/* SPDX-License-Identifier: Apache-2.0
 * admin_text.c - status, reload and list for people. */
#include <stdio.h>
#include <string.h>

#include "admin.h"
#include "text.h"

#include "banned.h"

/* A member as a text that is fit for a terminal; what is absent or null is "-". */
static const char *
text(struct arena *arena, const json_t *object, const char *key)
{
	const char *value = json_string_value(json_object_get(object, key));

	return value != NULL ? text_escape(arena, value, strlen(value)) : "-";
}

static long long
number(const json_t *object, const char *key)
{
	return (long long)json_number_value(json_object_get(object, key));
}

static void
print_messages(FILE *out, struct arena *arena, const json_t *messages)
{
	const json_t *message;
	size_t i;

	json_array_foreach(messages, i, message) {
		const char *line = json_string_value(message);

		if (line != NULL)
			(void)fprintf(out, "  %s\n", text_escape(arena, line, strlen(line)));
	}
}

static void
print_reload(struct arena *arena, const json_t *reload)
{
	if (!json_is_object(reload)) {
		(void)puts("no reload since the start");
		return;
	}
	(void)printf("last reload %s at %s, %lld ms\n",
		     json_is_true(json_object_get(reload, "ok")) ? "done" : "FAILED",
		     text(arena, reload, "at"), number(reload, "ms"));
	print_messages(stdout, arena, json_object_get(reload, "messages"));
}

static void
print_module(struct arena *arena, const json_t *module)
{
	const json_t *name;
	size_t i;

	(void)printf("module %s %s, %s, sha256 %.16s, for", text(arena, module, "name"),
		     text(arena, module, "version"), text(arena, module, "file"),
		     text(arena, module, "sha256"));
	json_array_foreach(json_object_get(module, "backends"), i, name) {
		const char *word = json_string_value(name);

		if (word != NULL)
			(void)printf(" %s", text_escape(arena, word, strlen(word)));
	}
	(void)putchar('\n');
}

static void
print_backend(struct arena *arena, const json_t *backend)
{
	const json_t *failure = json_object_get(backend, "lastError"), *breaker;
	size_t i;

	(void)printf("backend %s (%s, %s): %s%s, %lld of %lld running, %lld stuck, %lld waiting, "
		     "%lld held, %lld calls, %lld failed\n",
		     text(arena, backend, "name"), text(arena, backend, "module"),
		     text(arena, backend, "endpoint"), text(arena, backend, "state"),
		     json_is_false(json_object_get(backend, "acceptNew")) ? ", takes no new buckets"
									  : "",
		     number(backend, "running"), number(backend, "maxCalls"),
		     number(backend, "stuck"), number(backend, "waiting"), number(backend, "held"),
		     number(backend, "calls"), number(backend, "failed"));
	json_array_foreach(json_object_get(backend, "breakers"), i, breaker)
		(void)printf("  nothing is sent to %s since %s: %s\n", text(arena, breaker, "url"),
			     text(arena, breaker, "since"), text(arena, breaker, "error"));
	if (json_is_object(failure))
		(void)printf("  last error at %s: %s: %s\n", text(arena, failure, "at"),
			     text(arena, failure, "code"), text(arena, failure, "text"));
}

/* A listing is no call. */
static void
print_cooling(struct arena *arena, const json_t *old)
{
	(void)printf("backend %s of generation %lld (%s %s) is over since %s, held open by ",
		     text(arena, old, "backend"), number(old, "generation"),
		     text(arena, old, "module"), text(arena, old, "version"),
		     text(arena, old, "since"));
	if (json_string_length(json_object_get(old, "oldest")) == 0)
		(void)printf("cosictl list\n");
	else
		(void)printf("%lld, the oldest: %s, for %lld ms\n", number(old, "calls"),
			     text(arena, old, "oldest"), number(old, "ms"));
}

static void
print_each(struct arena *arena, const json_t *list, void (*print)(struct arena *, const json_t *))
{
	const json_t *value;
	size_t i;

	json_array_foreach(list, i, value)
		print(arena, value);
}

static void
print_status(struct arena *arena, const json_t *status)
{
	if (json_object_get(status, "generation") == NULL)
		return;
	(void)printf("cosid %s, %s on unix://%s, process %lld\n", text(arena, status, "version"),
		     text(arena, status, "driver"), text(arena, status, "socket"),
		     number(status, "pid"));
	(void)printf("generation %lld since %s, %lld workers\n", number(status, "generation"),
		     text(arena, status, "since"), number(status, "workers"));
	print_reload(arena, json_object_get(status, "reload"));
	print_each(arena, json_object_get(status, "modules"), print_module);
	print_each(arena, json_object_get(status, "backends"), print_backend);
	print_each(arena, json_object_get(status, "cooling"), print_cooling);
}

static void
print_item(struct arena *arena, const json_t *item)
{
	(void)printf("%s %s name=%s created=%s params=%s\n", text(arena, item, "kind"),
		     text(arena, item, "id"), text(arena, item, "name"),
		     text(arena, item, "created"), text(arena, item, "params"));
}

static void
print_failure(struct arena *arena, const json_t *failure)
{
	(void)fprintf(stderr, "cosictl: backend %s: %s: %s\n", text(arena, failure, "backend"),
		      text(arena, failure, "code"), text(arena, failure, "text"));
}

/* Of one that has failed the last line says what serves: it is the error, after these. */
static void
print_reloaded(struct arena *arena, const json_t *last)
{
	bool done = strcmp(json_string_value(json_object_get(last, "code")), "OK") == 0;
	long long count = number(last, "backendCount");

	if (done)
		(void)printf("generation %lld serves %lld backend%s\n", number(last, "generation"),
			     count, count == 1 ? "" : "s");
	print_messages(done ? stdout : stderr, arena, json_object_get(last, "messages"));
}

void
admin_print(struct arena *arena, enum ask_op op, const struct admin_answer *answer)
{
	switch (op) {
	case ASK_STATUS:
		print_status(arena, answer->last);
		break;
	case ASK_RELOAD:
		print_reloaded(arena, answer->last);
		break;
	default:
		print_each(arena, answer->items, print_item);
		print_each(arena, answer->failures, print_failure);
	}
}
