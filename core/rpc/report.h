/* SPDX-License-Identifier: Apache-2.0
 * report.h - the one log line of each call, and of a failure that repeats one line and a count.
 *
 * The sidecars retry for ever, so the same failure (method, object, code, text) is logged when it
 * first comes and then counted; the count is told when the minute is over, when the object's
 * failure changes, when it goes away, and at the end.  Any thread.
 */
#ifndef COSID_RPC_REPORT_H
#define COSID_RPC_REPORT_H
#include <stddef.h>
#include <stdint.h>

#include "base/log.h"

/* Failing objects that are told apart; of more, the one that failed least recently is forgotten. */
enum { REPORT_OBJECTS = 256, REPORT_EVERY_MS = 60000 };

struct report;
struct report *report_new(void);
/* Tells the counts that are left. */
void report_free(struct report *report);

struct report_call {
	struct log_fields fields; /* all but ms and code: who was called for what */
	const char *code;         /* gRPC's name */
	const char *error;        /* NULL: the call went well */
	uint32_t level;           /* enum cosi_level of the line */
	int64_t ms;
	int64_t now_ms; /* monotonic */
};
void report_call(struct report *report, const struct report_call *call);
/* Tells the counts whose minute is over; cheap when there are none. */
void report_tick(struct report *report, int64_t now_ms);

#endif
