/* SPDX-License-Identifier: Apache-2.0
 * report.c - remembers which object fails how, and decides what is worth a line. */
#include "rpc/report.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/cleanup.h"
#include "base/fnv.h"
#include "base/log.h"
#include "base/secret.h"

#include "banned.h"

enum { NAME_MAX_BYTES = 64, OBJECT_MAX_BYTES = 160 };

/* One object that fails.  Names are copies, cut if need be. */
struct failure {
	uint64_t how;             /* hash of code and text */
	uint64_t repeats;         /* since the last line */
	int64_t told_ms, last_ms; /* monotonic */
	char api[NAME_MAX_BYTES], method[NAME_MAX_BYTES], code[NAME_MAX_BYTES];
	char backend[NAME_MAX_BYTES], name[OBJECT_MAX_BYTES];
	char bucket[OBJECT_MAX_BYTES], account[OBJECT_MAX_BYTES];
};

struct report {
	pthread_mutex_t mutex;
	uint64_t start; /* of all hashes: peers choose the words, and could make two of them meet */
	size_t nfailures, nrepeating; /* entries in use; of them, those with repeats > 0 */
	/* Hash of method and object of each entry, 0: free.  Apart from the entries, because every
	 * call that goes well looks through all of it. */
	uint64_t objects[REPORT_OBJECTS];
	struct failure failures[REPORT_OBJECTS];
};

struct report *
report_new(void)
{
	struct report *report = calloc(1, sizeof *report);

	if (report == NULL)
		return NULL;
	pthread_mutex_init(&report->mutex, NULL);
	report->start = FNV_START;
	(void)!getrandom(&report->start, sizeof report->start, GRND_NONBLOCK);
	return report;
}

static const char *
or_null(const char *text)
{
	return *text != '\0' ? text : NULL;
}

static void
tell_repeats(const struct failure *failure)
{
	const struct log_fields fields = { .api = or_null(failure->api),
					   .method = or_null(failure->method),
					   .backend = or_null(failure->backend),
					   .name = or_null(failure->name),
					   .bucket = or_null(failure->bucket),
					   .account = or_null(failure->account),
					   .code = or_null(failure->code),
					   .ms = -1 };

	if (failure->repeats == 1)
		log_line(COSI_WARNING, &fields, "the last failure was repeated once");
	else
		log_line(COSI_WARNING, &fields, "the last failure was repeated %llu times",
			 (unsigned long long)failure->repeats);
}

static void
copy(char *to, size_t size, const char *from)
{
	secret_printf(to, size, "%s", from != NULL ? from : "");
}

static void
remember(struct failure *failure, uint64_t how, const struct report_call *call)
{
	const struct log_fields *fields = &call->fields;

	*failure = (struct failure){ .how = how, .told_ms = call->now_ms, .last_ms = call->now_ms };
	copy(failure->api, sizeof failure->api, fields->api);
	copy(failure->method, sizeof failure->method, fields->method);
	copy(failure->code, sizeof failure->code, call->code);
	copy(failure->backend, sizeof failure->backend, fields->backend);
	copy(failure->name, sizeof failure->name, fields->name);
	copy(failure->bucket, sizeof failure->bucket, fields->bucket);
	copy(failure->account, sizeof failure->account, fields->account);
}

/* The object's entry; REPORT_OBJECTS when it has none. */
static size_t
find(const struct report *report, uint64_t object)
{
	size_t i = 0;

	if (report->nfailures == 0)
		return REPORT_OBJECTS;
	while (i < REPORT_OBJECTS && report->objects[i] != object)
		i++;
	return i;
}

/* A free entry, or that which failed least recently. */
static size_t
find_place(const struct report *report)
{
	size_t oldest = 0;

	for (size_t i = 0; i < REPORT_OBJECTS; i++) {
		if (report->objects[i] == 0)
			return i;
		if (report->failures[i].last_ms < report->failures[oldest].last_ms)
			oldest = i;
	}
	return oldest;
}

/* Takes what was counted out of the entry into *out; its repeats are 0 when there was nothing. */
static void
take_repeats(struct report *report, struct failure *failure, struct failure *out)
{
	*out = *failure;
	if (failure->repeats > 0)
		report->nrepeating--;
	failure->repeats = 0;
}

/* Enters a failure; says whether it gets a line of its own, and what was counted before. */
static bool
enter(struct report *report, uint64_t object, const struct report_call *call,
      struct failure *out_before)
{
	uint64_t how = fnv_text(fnv_text(report->start, call->code), call->error);
	LOCK_SCOPE(&report->mutex);
	size_t i = find(report, object);

	if (i == REPORT_OBJECTS) {
		i = find_place(report);
		report->nfailures += report->objects[i] == 0;
		report->objects[i] = object;
	} else if (report->failures[i].how == how &&
		   call->now_ms - report->failures[i].told_ms < REPORT_EVERY_MS) {
		report->nrepeating += report->failures[i].repeats++ == 0;
		report->failures[i].last_ms = call->now_ms;
		return false;
	}
	take_repeats(report, &report->failures[i], out_before);
	remember(&report->failures[i], how, call);
	return true;
}

static void
forget(struct report *report, uint64_t object, struct failure *out_before)
{
	LOCK_SCOPE(&report->mutex);
	size_t i = find(report, object);

	if (i == REPORT_OBJECTS)
		return;
	take_repeats(report, &report->failures[i], out_before);
	report->objects[i] = 0;
	report->nfailures--;
}

/* By what the request calls it: the ids of what it makes are known to some of its tries alone. */
static uint64_t
object_of(const struct report *report, const struct log_fields *fields)
{
	uint64_t object = fnv_text(fnv_text(report->start, fields->api), fields->method);

	if (fields->name != NULL)
		object = fnv_text(object, fields->name);
	else
		object = fnv_text(fnv_text(object, fields->bucket), fields->account);
	return object | 1u;
}

void
report_call(struct report *report, const struct report_call *call)
{
	struct log_fields fields = call->fields;
	uint64_t object = object_of(report, &fields);
	struct failure before = { 0 };
	bool tell = true;

	if (call->error == NULL)
		forget(report, object, &before);
	else
		tell = enter(report, object, call, &before);
	if (before.repeats > 0)
		tell_repeats(&before);
	fields.code = call->code;
	fields.ms = call->ms;
	if (tell)
		log_line(call->level, &fields, "%s", call->error != NULL ? call->error : "done");
}

void
report_tick(struct report *report, int64_t now_ms)
{
	for (size_t i = 0; i < REPORT_OBJECTS; i++) {
		struct failure before = { 0 };

		pthread_mutex_lock(&report->mutex);
		if (report->nrepeating == 0)
			i = REPORT_OBJECTS;
		else if (report->failures[i].repeats > 0 &&
			 now_ms - report->failures[i].told_ms >= REPORT_EVERY_MS) {
			take_repeats(report, &report->failures[i], &before);
			report->failures[i].told_ms = now_ms;
		}
		pthread_mutex_unlock(&report->mutex);
		if (before.repeats > 0)
			tell_repeats(&before);
	}
}

void
report_free(struct report *report)
{
	for (size_t i = 0; i < REPORT_OBJECTS; i++)
		if (report->failures[i].repeats > 0)
			tell_repeats(&report->failures[i]);
	pthread_mutex_destroy(&report->mutex);
	free(report);
}
