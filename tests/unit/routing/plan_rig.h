/* SPDX-License-Identifier: Apache-2.0
 * plan_rig.h - one plan at a time, made for a test's generation. */
#ifndef TESTS_UNIT_ROUTING_PLAN_RIG_H
#define TESTS_UNIT_ROUTING_PLAN_RIG_H
#include "rig.h"
#include "routing/plan.h"

static struct arena arena;
static struct status status;
static struct request req;
static struct plan plan;

static inline int
make_plan(const struct generation *generation, const struct request *asked)
{
	status = (struct status){ 0 };
	req = *asked;
	plan = (struct plan){
		.generation = generation, .req = &req, .arena = &arena, .status = &status
	};
	return plan_request(&plan);
}

static inline void
expect_refused(const struct generation *generation, const struct request *asked, uint32_t code,
	       const char *part)
{
	assert_int_equal(make_plan(generation, asked), -1);
	assert_int_equal(status.code, code);
	if (strstr(status.text, part) == NULL)
		fail_msg("'%s' is not in '%s'", part, status.text);
}

static inline int
plan_setup(void **state)
{
	(void)state;
	arena_init(&arena, 1 << 20);
	return 0;
}

static inline int
plan_teardown(void **state)
{
	(void)state;
	arena_done(&arena);
	return 0;
}

#endif
