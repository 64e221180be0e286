/* SPDX-License-Identifier: Apache-2.0
 * ceil.h - one request of a lifecycle, as ceil sends it. */
#ifndef BENCH_CEIL_H
#define BENCH_CEIL_H
#include <stddef.h>

enum ceil_flag {
	CEIL_OWN_KEY = 1u << 0,    /* the target's first %s is the driver's access key */
	CEIL_AS_ACCOUNT = 1u << 1, /* signed with a key that the store does not know yet */
	CEIL_SEALED = 1u << 2,     /* the body is the sealed one */
	CEIL_TYPED = 1u << 3,      /* application/octet-stream, not a form */
};
struct ceil_step {
	const char *method, *target; /* %s: the name of bucket and account */
	const char *body;            /* %1$s likewise; NULL: none */
	long status;
	unsigned flags;
};

/* The lifecycle of a store, and how libcurl signs for it; NULL: no such store. */
const struct ceil_step *ceil_steps_of(const char *store, size_t *out_n, const char **out_sigv4);

#endif
