/* SPDX-License-Identifier: Apache-2.0
 * call_log.c - tracks which object fails how, and decides what is worth a line. */
#include "rpc/call_log.h"

#include <stdbool.h>
#include <string.h>
#include <sys/random.h>

#include "base/cleanup.h"
#include "base/parse.h"

#include "banned.h"

void
call_log_init(struct call_log *log)
{
	*log = (struct call_log){ .mutex = PTHREAD_MUTEX_INITIALIZER, .seed = FNV_START };
	(void)!getrandom(&log->seed, sizeof log->seed, GRND_NONBLOCK);
}

void
call_log_done(struct call_log *log)
{
	pthread_mutex_destroy(&log->mutex);
}

/* The object's entry; else a free one, or that which failed least recently. */
static struct call_log_failure *
call_log_find(struct call_log *log, uint64_t object)
{
	struct call_log_failure *found = &log->failing[0];

	for (size_t i = 0; i < CALL_LOG_OBJECTS; i++) {
		struct call_log_failure *each = &log->failing[i];

		if (each->object == object)
			return each;
		if (found->object != 0 && (each->object == 0 || each->last_ms < found->last_ms))
			found = each;
	}
	return found;
}

/* Returns true when the entry gets a line; *out_repeats: how often the failure before was repeated
 * without one. */
static bool
call_log_count(struct call_log *log, const struct call_log_entry *entry, uint64_t *out_repeats)
{
	const struct log_fields *fields = &entry->fields;
	uint64_t object = fnv_text(fnv_text(log->seed, fields->api), fields->method), error;
	struct call_log_failure *failure;
	bool known;

	/* By what the request calls it: only some of its attempts know the id of what they make. */
	if (fields->name != NULL)
		object = fnv_text(object, fields->name);
	else
		object = fnv_text(fnv_text(object, fields->bucket), fields->account);
	object |= 1u; /* 0 is no object */
	LOCK_SCOPE(&log->mutex);
	if (entry->error == NULL && log->nfailing == 0)
		return true;
	failure = call_log_find(log, object);
	known = failure->object == object;
	if (known)
		*out_repeats = failure->repeats;
	if (entry->error == NULL) {
		log->nfailing -= known;
		if (known)
			*failure = (struct call_log_failure){ 0 };
		return true;
	}
	error = fnv_text(fnv_text(log->seed, entry->code), entry->error);
	if (known && failure->error == error &&
	    entry->now_ms - failure->logged_ms < CALL_LOG_EVERY_MS) {
		failure->repeats++;
		failure->last_ms = entry->now_ms;
		return false;
	}
	log->nfailing += failure->object == 0;
	*failure = (struct call_log_failure){ .object = object,
					      .error = error,
					      .logged_ms = entry->now_ms,
					      .last_ms = entry->now_ms };
	return true;
}

void
call_log_write(struct call_log *log, const struct call_log_entry *entry)
{
	struct log_fields fields = entry->fields;
	uint64_t repeats = 0;

	if (!call_log_count(log, entry, &repeats))
		return;
	fields.ms = -1;
	if (repeats == 1)
		log_line(COSI_WARNING, &fields, "the last failure was repeated once");
	else if (repeats > 1)
		log_line(COSI_WARNING, &fields, "the last failure was repeated %llu times",
			 (unsigned long long)repeats);
	fields.code = entry->code;
	fields.ms = entry->ms;
	log_line(entry->level, &fields, "%s", entry->error != NULL ? entry->error : "done");
}
