/* SPDX-License-Identifier: Apache-2.0
 * guard.h - closes connections that make the process grow too far, or keep it from serving.
 *
 * The core keeps what it was sent in frames that belong to no call of ours for as long as the
 * connection lives: HEADERS without an end, calls that are reset as soon as they are begun, header
 * blocks that go on for ever.  One peer makes it grow by 200 MB a second with that.  And it parses
 * a header field anew at each frame that goes on with it, without a pause, on whichever thread it
 * happens to be: one peer kept all others waiting for as long as it wished (both measured with
 * 1.51).  So the process and the connections are watched, and who caused it is guessed.
 */
#ifndef COSID_RPC_GUARD_H
#define COSID_RPC_GUARD_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "rpc/places.h"

enum guard_verdict {
	GUARD_FINE,
	GUARD_SUSPECTS, /* those have to go that may have caused it */
	GUARD_ALL,      /* that was not enough: all */
};

/* Looks that the core is given to let go of what was closed (5 s for 500 MiB were measured), and
 * looks that may find still more. */
enum { GUARD_PATIENCE = 40, GUARD_GROWTHS = 4 };

struct guard {
	size_t base;        /* bytes: what may grow by LIMIT_GROWTH */
	unsigned nover;     /* looks in a row that found more than that */
	unsigned ngrown;    /* those of them that found more than the one before */
	size_t last;        /* bytes: what the last look found */
	int64_t due_ms;     /* monotonic, like the next two: no look before */
	int64_t trimmed_ms; /* when free memory was given back last */
	int64_t told_ms;    /* when it was logged last that connections were closed */
};

/* What the process has now is its base. */
void guard_init(struct guard *guard);
/* What to do about that many bytes, at one look.  While they are too many: suspects at the first
 * look and at each that found more; all after GUARD_GROWTHS of these, and after GUARD_PATIENCE
 * looks.  What is still there after as many again was not the clients': that is logged, and is the
 * base from then on. */
enum guard_verdict guard_judge(struct guard *guard, size_t resident);
/* Cuts those who have not got on for LIMIT_STALL_MS: at each look they had sent more than the core
 * has read, and none of their calls has begun or ended. */
void guard_unstick(struct guard *guard, const struct places *places, int64_t now_ms);
/* Cuts as the verdict says, and logs it once a minute.  Suspects are those who have sent more than
 * the core has read. */
void guard_relieve(struct guard *guard, const struct places *places, enum guard_verdict verdict,
		   int64_t now_ms);
/* Gives free memory back to the system, judges the rest, relieves and unsticks.  One thread at a
 * time. */
void guard_look(struct guard *guard, const struct places *places, int64_t now_ms);

#endif
