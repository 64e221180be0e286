/* SPDX-License-Identifier: Apache-2.0
 * liar.h - a module that answers what the test wants, true or not. */
#ifndef COSID_TESTS_MODULE_LIAR_H
#define COSID_TESTS_MODULE_LIAR_H
#include "rig.h"

/* What its handlers answer, */
extern struct cosi_bucket lie_bucket_answer; /* create, get, and for each bucket of a grant */
extern struct cosi_access lie_access_answer;
extern const char *lie_mapped;
/* and how they return. */
extern struct lie_how {
	bool fails; /* with this code and text */
	uint32_t code;
	const char *text;
	int result;
} lie_how;

extern const struct cosi_bucket lie_honest_bucket;
extern const struct cosi_access lie_honest_access;

/* *state becomes a struct rig_call * on a module 'liar'; all answers are honest. */
int liar_setup(void **state);
int liar_teardown(void **state);
/* A text of that length; the previous one stays valid. */
const char *liar_text(size_t len);

#endif
