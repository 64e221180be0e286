/* SPDX-License-Identifier: Apache-2.0
 * test_queue.c - permits, shares of the workers, waiting, and the limits of each. */
#include "sched/queue.h"

#include "fakes.h"

#include "banned.h"

enum { CALLS_MAX = 128 };

static struct queues queues;
static struct call calls[CALLS_MAX];
static size_t ncalls;

static int
setup(void **state)
{
	(void)state;
	memset(calls, 0, sizeof calls);
	ncalls = 0;
	return 0;
}

static struct queue *
add(const char *name)
{
	struct queue *queue = queues_add(&queues, name);

	assert_non_null(queue);
	return queue;
}

/* A call that has its locks and waits. */
static struct call *
waits(struct queue *queue)
{
	struct call *call = &calls[ncalls++];

	assert_true(ncalls <= CALLS_MAX);
	queue_join(queue, call);
	queue_got_locks(call);
	return call;
}

static void
leaves(struct call *call)
{
	queue_leave(&queues, call);
	call_set_phase(call, CALL_DONE);
}

/* Starts what may run; returns how many. */
static unsigned
start_all(void)
{
	unsigned n = 0;

	while (queues_take(&queues) != NULL)
		n++;
	return n;
}

static void
finish_all(void)
{
	for (size_t i = 0; i < ncalls; i++)
		if (calls[i].queue != NULL)
			leaves(&calls[i]);
	ncalls = 0;
	memset(calls, 0, sizeof calls);
}

static void
test_add__finds_what_is_there(void **state)
{
	struct queue *east = add("east"), *west = add("west");

	(void)state;
	assert_ptr_equal(queues_find(&queues, "east"), east);
	assert_ptr_equal(queues_find(&queues, "west"), west);
	assert_null(queues_find(&queues, "north"));
	assert_ptr_equal(add("east"), east);
	queues_done(&queues);
}

static void
test_next__in_order_and_within_max_calls(void **state)
{
	struct queue *queue = add("east");
	struct call *a = &calls[0], *b = &calls[1], *c = &calls[2], *d = &calls[3];

	(void)state;
	queues_configure(&queues, 8);
	queue_configure(&queues, queue, 2, 1);
	for (size_t i = 0; i < 4; i++)
		queue_join(queue, &calls[i]);
	assert_null(queues_take(&queues)); /* none has its locks */
	queue_got_locks(c);
	queue_got_locks(a);
	queue_got_locks(b);
	assert_ptr_equal(queues_take(&queues), c);
	assert_ptr_equal(queues_take(&queues), a);
	assert_null(queues_take(&queues)); /* max_calls */
	assert_int_equal(queue->running, 2);
	assert_int_equal(queue->waiting, 2);
	leaves(b); /* gives up in the queue */
	leaves(c);
	assert_null(queues_take(&queues)); /* none is ready */
	queue_got_locks(d);
	assert_ptr_equal(queues_take(&queues), d);
	leaves(a);
	leaves(d);
	queues_done(&queues);
}

/* How many of that many calls run when one of n backends alone is busy. */
static unsigned
busy_alone(unsigned workers, size_t nbackends, int64_t max_calls)
{
	static const char *const names[] = { "a", "b", "c", "d", "e", "f", "g", "h" };
	unsigned n;

	assert_true(nbackends <= COUNT(names));
	for (size_t i = 0; i < nbackends; i++)
		(void)add(names[i]);
	queues_configure(&queues, workers);
	for (size_t i = 0; i < nbackends; i++)
		queue_configure(&queues, queues_find(&queues, names[i]), i == 0 ? max_calls : 0,
				nbackends);
	for (unsigned i = 0; i < workers + 1; i++)
		(void)waits(queues_find(&queues, "a"));
	n = start_all();
	/* What is kept for the others is there for them, too. */
	for (size_t i = 1; i < nbackends && i < workers / 2; i++) {
		(void)waits(queues_find(&queues, names[i]));
		assert_int_equal(start_all(), 1);
	}
	finish_all();
	queues_done(&queues);
	return n;
}

static void
test_next__all_workers_but_the_shares_of_others(void **state)
{
	(void)state;
	assert_int_equal(busy_alone(64, 1, 0), 64);
	assert_int_equal(busy_alone(64, 1, 16), 16);
	assert_int_equal(busy_alone(64, 1, 1000), 64);
	assert_int_equal(busy_alone(64, 2, 0), 56);
	assert_int_equal(busy_alone(64, 4, 0), 52);
	assert_int_equal(busy_alone(64, 4, 10), 10);
	assert_int_equal(busy_alone(4, 2, 0), 3);
	/* More backends than half the workers: the shares give way. */
	assert_int_equal(busy_alone(4, 8, 0), 2);
	assert_int_equal(busy_alone(1, 2, 0), 1);
}

/* A store that hangs has all it may have; the free share of the others is kept from it, also when
 * it was taken and comes back. */
static void
test_next__a_share_comes_back(void **state)
{
	struct queue *east = add("east"), *west = add("west");
	struct call *first;

	(void)state;
	queues_configure(&queues, 8);
	queue_configure(&queues, east, 0, 2);
	queue_configure(&queues, west, 0, 2);
	for (unsigned i = 0; i < 10; i++)
		(void)waits(east);
	assert_int_equal(start_all(), 7);
	first = waits(west);
	assert_ptr_equal(queues_take(&queues), first);
	leaves(first);
	assert_null(queues_take(&queues));
	assert_int_equal(east->running, 7);
	finish_all();
	queues_done(&queues);
}

/* Of two that wait, each is served in turn. */
static void
test_next__takes_turns(void **state)
{
	struct queue *east = add("east"), *west = add("west");
	struct call *first, *second;

	(void)state;
	queues_configure(&queues, 8);
	queue_configure(&queues, east, 0, 2);
	queue_configure(&queues, west, 0, 2);
	for (unsigned i = 0; i < 8; i++) {
		(void)waits(east);
		(void)waits(west);
	}
	first = queues_take(&queues);
	second = queues_take(&queues);
	assert_ptr_not_equal(first->queue, second->queue);
	(void)start_all();
	assert_int_equal(east->running, 4);
	assert_int_equal(west->running, 4);
	finish_all();
	queues_done(&queues);
}

/* What a removed backend has left runs on what no other needs. */
static void
test_configure__a_removed_backend(void **state)
{
	struct queue *east = add("east"), *west = add("west");

	(void)state;
	queues_configure(&queues, 8);
	queue_configure(&queues, east, 0, 1);
	(void)waits(west);
	assert_int_equal(start_all(), 1);
	for (unsigned i = 0; i < 8; i++)
		(void)waits(west);
	assert_int_equal(start_all(), 5); /* 2 are the share of east */
	finish_all();
	queues_done(&queues);
}

static bool
has_room(const struct queue *queue, unsigned more, const char *refusal)
{
	struct status status = { 0 };

	if (queue_check_room(queue, more, &status) == 0)
		return true;
	assert_int_equal(status.code, COSI_EXHAUSTED);
	assert_string_equal(status.text, refusal);
	return false;
}

static void
test_room__to_wait(void **state)
{
	static const char full[] = "too many calls wait for backend 'east'";
	struct queue *queue = add("east");

	(void)state;
	queues_configure(&queues, 8);
	queue_configure(&queues, queue, 3, 1);
	for (size_t i = 0; i < 3 * QUEUE_WAITING_PER_CALL + 1; i++) {
		assert_true(has_room(queue, 0, NULL));
		assert_int_equal(has_room(queue, 1, full), i < 3 * QUEUE_WAITING_PER_CALL);
		(void)waits(queue);
	}
	assert_false(has_room(queue, 0, full));
	finish_all();
	queues_done(&queues);
}

static void
test_room__in_quarantine(void **state)
{
	static const char full[] = "too many calls of backend 'east' have an unknown outcome";
	struct queue *queue = add("east");

	(void)state;
	queues_configure(&queues, 8);
	queue_configure(&queues, queue, 3, 1);
	for (size_t i = 0; i < 3 * QUEUE_QUARANTINED_PER_CALL; i++) {
		struct call *call = waits(queue);

		assert_true(has_room(queue, 1, NULL));
		assert_ptr_equal(queues_take(&queues), call);
		call_set_phase(call, CALL_RUNNING);
		queue_quarantine(&queues, call);
	}
	assert_false(has_room(queue, 0, full));
	assert_false(has_room(queue, 1, full));
	assert_int_equal(queue->running, 0);
	finish_all();
	assert_int_equal(queue->quarantined, 0);
	queues_done(&queues);
}

/* What the administrator is told of a backend: whose fault a failure is. */
static void
test_count__what_says_something_of_the_store(void **state)
{
	static const struct {
		uint32_t code;
		bool told, failing;
	} cases[] = {
		{ COSI_INVALID, false, false },       { COSI_OUT_OF_RANGE, false, false },
		{ COSI_EXISTS, false, false },        { COSI_NOT_FOUND, false, false },
		{ COSI_PRECONDITION, false, false },  { COSI_DENIED, true, true },
		{ COSI_UNAUTHENTICATED, true, true }, { COSI_BUSY, true, false },
		{ COSI_UNAVAILABLE, true, true },     { COSI_TIMEOUT, true, true },
		{ COSI_EXHAUSTED, true, true },       { COSI_UNSUPPORTED, true, false },
		{ COSI_INTERNAL, true, true },
	};
	struct queue *queue = add("east");
	const struct status ok = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct status status = { .code = cases[i].code };

		queue->failure = ok;
		queue_count(queue, &status);
		assert_int_equal(queue->failed, i + 1);
		assert_int_equal(queue->failing, cases[i].failing);
		assert_int_equal(queue->failure.code, cases[i].told ? cases[i].code : COSI_OK);
		queue_count(queue, &ok);
		assert_false(queue->failing);
	}
	queue_count(queue, NULL); /* the client left */
	assert_int_equal(queue->calls, 2 * COUNT(cases) + 1);
	assert_int_equal(queue->failed, COUNT(cases));
	queues_done(&queues);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_add__finds_what_is_there, setup),
		cmocka_unit_test_setup(test_next__in_order_and_within_max_calls, setup),
		cmocka_unit_test_setup(test_next__all_workers_but_the_shares_of_others, setup),
		cmocka_unit_test_setup(test_next__a_share_comes_back, setup),
		cmocka_unit_test_setup(test_next__takes_turns, setup),
		cmocka_unit_test_setup(test_configure__a_removed_backend, setup),
		cmocka_unit_test_setup(test_room__to_wait, setup),
		cmocka_unit_test_setup(test_room__in_quarantine, setup),
		cmocka_unit_test_setup(test_count__what_says_something_of_the_store, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
