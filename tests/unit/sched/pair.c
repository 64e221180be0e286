/* SPDX-License-Identifier: Apache-2.0
 * pair.c - a scheduler over two backends, east and west, whose generations are swapped. */
#include "pair.h"

#include "fakes.h"

#include "banned.h"

static const struct fake_spec both[] = {
	{ .name = "east", .max_calls = 2 },
	{ .name = "west", .max_calls = 2 },
};

struct sched_config
pair_limits(void)
{
	return (struct sched_config){ .call_timeout_ms = FAKE_LONG_MS, .workers = 8 };
}

atomic_uint pair_nidle;

static void
count_idle(void *arg)
{
	assert_ptr_equal(arg, &pair_nidle);
	atomic_fetch_add(&pair_nidle, 1);
}

struct sched *
pair_start(void)
{
	const struct fake_setup setup = { .nbackends = 2,
					  .backends = both,
					  .default_backend = "east",
					  .sched = { .workers = 8,
						     .call_timeout_ms = FAKE_LONG_MS,
						     .reap = count_idle,
						     .reap_arg = &pair_nidle } };

	atomic_store(&pair_nidle, 0);
	return fake_start(&setup);
}

void
pair_swap(struct sched *sched, struct generation *generation)
{
	const struct sched_config config = pair_limits();
	struct status status = { 0 };

	assert_int_equal(sched_swap(sched, &config, generation, &status), 0);
}
