/* SPDX-License-Identifier: Apache-2.0
 * call_log.h - the one log line of each call, and of a failure that repeats one line and a count.
 *
 * The sidecars retry forever, so the same failure (method, object, code, text) is logged when it
 * first comes and then counted.  The count is logged with the next line about the object: when the
 * same failure comes after a minute, another one, or a success.  Any thread.
 */
#ifndef COSID_RPC_CALL_LOG_H
#define COSID_RPC_CALL_LOG_H
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "base/log.h"

/* Failing objects that are tracked; of more, the one that failed least recently is forgotten. */
enum { CALL_LOG_OBJECTS = 256, CALL_LOG_EVERY_MS = 60000 };

struct call_log {
	pthread_mutex_t mutex;
	uint64_t seed; /* of all hashes: peers choose the words, and could make two of them meet */
	size_t nfailing;
	struct call_log_failure {
		uint64_t object; /* hash of method and object; 0: free */
		uint64_t error;  /* hash of code and text */
		uint64_t repeats;
		int64_t logged_ms, last_ms; /* monotonic */
	} failing[CALL_LOG_OBJECTS];
};

struct call_log_entry {
	struct log_fields fields; /* all but ms and code: who called what, for which object */
	const char *code;         /* gRPC's name */
	const char *error;        /* NULL: the call succeeded */
	uint32_t level;           /* enum cosi_level of the line */
	int64_t ms;
	int64_t now_ms; /* monotonic */
};

void call_log_init(struct call_log *log);
void call_log_done(struct call_log *log);
void call_log_write(struct call_log *log, const struct call_log_entry *entry);

#endif
