/* SPDX-License-Identifier: Apache-2.0
 * test_poll.c - the polling changes hands, and there is always somebody who does it.
 *
 * Here the polling thread takes calls out of a list that the test fills.
 */
#include "fakes.h"

#include "base/cleanup.h"

#include "banned.h"

static const struct fake_spec both[] = {
	{ .name = "east", .max_calls = 2 },
	{ .name = "west", .max_calls = 2 },
};

enum { LIST_MAX = 4 };
static struct {
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	struct router *router;
	struct shot *list[LIST_MAX];
	unsigned n;
	bool end;
	unsigned npolling; /* threads within poll_list() */
	unsigned nturns;   /* it was another one than before */
	pthread_t taker;   /* that took the last one */
} polled = { .mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };

/* NULL: it is the end. */
static struct shot *
take_shot(void)
{
	LOCK_SCOPE(&polled.mutex);
	while (polled.n == 0 && !polled.end)
		pthread_cond_wait(&polled.changed, &polled.mutex);
	if (polled.n == 0)
		return NULL;
	polled.nturns += pthread_equal(polled.taker, pthread_self()) == 0;
	polled.taker = pthread_self();
	return polled.list[--polled.n];
}

static void
count_polling(int by)
{
	LOCK_SCOPE(&polled.mutex);
	polled.npolling += (unsigned)by;
	assert_in_range(polled.npolling, 0, 1);
	pthread_cond_broadcast(&polled.changed);
}

static void
poll_list(void *arg, const bool *mine)
{
	struct shot *shot;

	assert_ptr_equal(arg, &polled);
	count_polling(1);
	while ((shot = take_shot()) != NULL) {
		bool alone = shot->req->alone;

		/* Within shoot() the next one may begin. */
		if (alone)
			count_polling(-1);
		shoot(polled.router, shot);
		if (!*mine) {
			assert_true(alone);
			return;
		}
		if (alone)
			count_polling(1);
	}
	count_polling(-1);
}

static void
start(unsigned workers)
{
	struct status status = { 0 };

	polled.end = false;
	polled.router = fake_start(&(struct fake_setup){ .nbackends = 2,
							 .backends = both,
							 .default_backend = "east",
							 .router = { .workers = workers } });
	assert_int_equal(router_poll(polled.router, poll_list, &polled, &status), 0);
}

static void
stop(void)
{
	pthread_mutex_lock(&polled.mutex);
	polled.end = true;
	pthread_cond_broadcast(&polled.changed);
	while (polled.npolling > 0)
		pthread_cond_wait(&polled.changed, &polled.mutex);
	pthread_mutex_unlock(&polled.mutex);
	fake_stop(polled.router);
}

static void
submit(struct shot *shot, bool alone)
{
	LOCK_SCOPE(&polled.mutex);

	shot->req->alone = alone;
	polled.list[polled.n++] = shot;
	pthread_cond_broadcast(&polled.changed);
}

static struct shot *
submit_delete(const char *id, bool alone)
{
	struct shot *shot = shot_new(polled.router, REQUEST_DELETE);

	shot->req->id = id;
	submit(shot, alone);
	return shot;
}

static unsigned
count_workers(void)
{
	struct router_status *status = router_status(polled.router);
	unsigned n = status->workers;

	router_status_free(polled.router, status);
	return n;
}

static bool
ran_where_it_was_taken(struct shot *shot)
{
	bool same;

	shot_wait(shot);
	same = pthread_equal(shot->thread, polled.taker) != 0;
	shot_expect(shot, COSI_OK, NULL);
	return same;
}

/* Runs them one after another; how many of them made the polling change hands. */
static unsigned
count_turns(unsigned ncalls, unsigned *out_nwhere_taken)
{
	unsigned before = polled.nturns;

	*out_nwhere_taken = 0;
	for (unsigned i = 0; i < ncalls; i++)
		*out_nwhere_taken += ran_where_it_was_taken(submit_delete("east.photos", true));
	return polled.nturns - before;
}

static void
test_poll__alone_runs_where_it_was_taken(void **state)
{
	enum { MANY = 100, MOST_TRIES = 1000 };
	unsigned ntries = 0, nwhere_taken;

	(void)state;
	start(3);
	while (count_turns(2, &nwhere_taken) < 2) /* until workers sleep */
		assert_true(++ntries < MOST_TRIES);
	/* All but those that come while a worker is on its way, or that a busy one is quicker at.
	 */
	assert_in_range(count_turns(MANY, &nwhere_taken), MANY / 4, MANY);
	assert_in_range(nwhere_taken, 1, MANY);
	assert_int_equal(count_workers(), 3);
	stop();
}

static void
test_poll__with_others_runs_on_a_worker(void **state)
{
	pthread_t taker;

	(void)state;
	start(3);
	for (unsigned i = 0; i < 20; i++) {
		assert_false(ran_where_it_was_taken(submit_delete("east.photos", false)));
		if (i > 0)
			assert_true(pthread_equal(taker, polled.taker));
		taker = polled.taker;
	}
	stop();
}

/* However long it takes, and whether it waits for the others or not: calls are taken in. */
static void
test_poll__goes_on_while_handlers_hang(void **state)
{
	struct shot *hang[2], *waits, *other;

	(void)state;
	start(3);
	fake_shut("east");
	for (unsigned i = 0; i < 2; i++) {
		hang[i] = submit_delete(i == 0 ? "east.one" : "east.two", true);
		fake_wait_inside("east", i + 1);
	}
	waits = submit_delete("east.one", true); /* for its lock and for a slot */
	other = submit_delete("west.photos", true);
	shot_expect(other, COSI_OK, NULL);
	assert_false(shot_is_replied(waits));
	assert_int_equal(count_workers(), 3);
	fake_open("east");
	shot_expect(hang[0], COSI_OK, NULL);
	shot_expect(hang[1], COSI_OK, NULL);
	shot_expect(waits, COSI_OK, NULL);
	stop();
}

/* Nobody is asleep who could take over: the call waits, and whoever polls goes on. */
static void
test_poll__stays_where_all_work(void **state)
{
	static const char *const ids[] = { "east.one", "east.two", "west.three" };
	struct shot *hang[COUNT(ids)], *waits, *refused;

	(void)state;
	start(COUNT(ids));
	fake_shut("east");
	fake_shut("west");
	for (unsigned i = 0; i < COUNT(ids); i++) {
		hang[i] = submit_delete(ids[i], true);
		fake_wait_inside(i < 2 ? "east" : "west", i < 2 ? i + 1 : 1);
	}
	waits = submit_delete("west.four", true);
	refused = shot_new(polled.router, REQUEST_CREATE);
	refused->req->name = "five";
	shot_param(refused, "backend", "south");
	submit(refused, true);
	shot_expect(refused, COSI_INVALID, "south");
	assert_false(shot_is_replied(waits));
	fake_open("east");
	fake_wait_inside("west", 2);
	fake_open("west");
	shot_expect(waits, COSI_OK, NULL);
	for (unsigned i = 0; i < COUNT(ids); i++)
		shot_expect(hang[i], COSI_OK, NULL);
	stop();
}

static void
test_poll__goes_on_while_workers_change(void **state)
{
	struct router_config config = { .call_timeout_ms = FAKE_LONG_MS };
	struct status status = { 0 };

	(void)state;
	start(4);
	for (unsigned i = 0; i < 200; i++) {
		struct shot *shots[3];

		for (size_t j = 0; j < COUNT(shots); j++)
			shots[j] = submit_delete("east.photos", true);
		config.workers = 1 + i * 5 % 9;
		assert_int_equal(router_swap(polled.router, &config,
					     fake_later("east", "http://x", 9), &status),
				 0);
		(void)router_reap(polled.router);
		for (size_t j = 0; j < COUNT(shots); j++)
			shot_expect(shots[j], COSI_OK, NULL);
	}
	config.workers = 1;
	assert_int_equal(
		router_swap(polled.router, &config, fake_later("east", "http://x", 9), &status), 0);
	while (count_workers() > 1)
		(void)router_reap(polled.router);
	for (unsigned i = 0; i < 20; i++)
		shot_expect(submit_delete("east.photos", true), COSI_OK, NULL);
	stop();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_poll__alone_runs_where_it_was_taken),
		cmocka_unit_test(test_poll__with_others_runs_on_a_worker),
		cmocka_unit_test(test_poll__goes_on_while_handlers_hang),
		cmocka_unit_test(test_poll__stays_where_all_work),
		cmocka_unit_test(test_poll__goes_on_while_workers_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
