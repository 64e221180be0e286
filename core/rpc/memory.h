/* SPDX-License-Identifier: Apache-2.0
 * memory.h - watches how far the process has grown, and closes connections when it is too far.
 *
 * The core keeps what it was sent in frames that belong to no call of ours for as long as the
 * connection lives: HEADERS without an end, calls that are reset as soon as they are begun, header
 * blocks that go on for ever.  One peer makes it grow by 200 MB a second with that (measured with
 * 1.51).  So the process is measured, and who caused it is guessed.
 */
#ifndef COSID_RPC_MEMORY_H
#define COSID_RPC_MEMORY_H
#include <stddef.h>
#include <stdint.h>

#include "rpc/places.h"

enum memory_verdict {
	MEMORY_FITS,
	MEMORY_SUSPECTS, /* those have to go that may have caused it */
	MEMORY_ALL,      /* that was not enough: all */
};

/* Looks that the core is given to let go of what was closed (5 s for 500 MiB were measured), and
 * looks that may find still more. */
enum { MEMORY_PATIENCE = 20, MEMORY_GROWTHS = 4 };

struct memory {
	size_t base;        /* bytes: what may grow by LIMIT_GROWTH */
	unsigned nover;     /* looks in a row that found more than that */
	unsigned ngrown;    /* those of them that found more than the one before */
	size_t last;        /* bytes: what the last look found */
	int64_t due_ms;     /* monotonic, like the next two: no look before */
	int64_t trimmed_ms; /* when free memory was given back last */
	int64_t told_ms;    /* when it was logged last that connections were closed */
};

/* What the process has now is its base. */
void memory_init(struct memory *memory);
/* What to do about that many bytes, at one look.  What is still too much long after all were closed
 * was not the clients': that is logged, and is the base from then on. */
enum memory_verdict memory_judge(struct memory *memory, size_t resident);
/* Cuts as the verdict says, and logs it once a minute.  Suspects are those who have sent more than
 * the core has read. */
void memory_relieve(struct memory *memory, const struct places *places, enum memory_verdict verdict,
		    int64_t now_ms);
/* Gives free memory back to the system, judges the rest, and relieves.  One thread at a time. */
void memory_look(struct memory *memory, const struct places *places, int64_t now_ms);

#endif
