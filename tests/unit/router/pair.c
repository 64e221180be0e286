/* SPDX-License-Identifier: Apache-2.0
 * pair.c - a router over two backends, east and west, whose generations are swapped. */
#include "pair.h"

#include "fakes.h"

#include "banned.h"

static const struct fake_spec both[] = {
	{ .name = "east", .max_calls = 2 },
	{ .name = "west", .max_calls = 2 },
};

struct router_config
pair_limits(void)
{
	return (struct router_config){ .call_timeout_ms = FAKE_LONG_MS, .workers = 8 };
}

atomic_uint pair_nidle;

static void
count_idle(void *arg)
{
	assert_ptr_equal(arg, &pair_nidle);
	atomic_fetch_add(&pair_nidle, 1);
}

struct router *
pair_start(void)
{
	const struct fake_setup setup = { .nbackends = 2,
					  .backends = both,
					  .default_backend = "east",
					  .router = { .workers = 8,
						      .call_timeout_ms = FAKE_LONG_MS,
						      .idle = count_idle,
						      .idle_arg = &pair_nidle } };

	atomic_store(&pair_nidle, 0);
	return fake_start(&setup);
}

void
pair_swap(struct router *router, struct generation *generation)
{
	const struct router_config config = pair_limits();
	struct status status = { 0 };

	assert_int_equal(router_swap(router, &config, generation, &status), 0);
}
