/* SPDX-License-Identifier: Apache-2.0
 * test_reload_queue.c - who asks for a reload is told of one that began after it. */
#include "admin/reload_queue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <semaphore.h>

#include "fakes/memory.h"

#include "banned.h"

static sem_t woken;

static void
wake(void *arg)
{
	assert_ptr_equal(arg, &woken);
	(void)sem_post(&woken);
}

static void
wait_woken(void)
{
	while (sem_wait(&woken) != 0)
		;
}

static int
setup(void **state)
{
	struct reload_queue *queue = malloc(sizeof *queue);

	assert_non_null(queue);
	(void)sem_init(&woken, 0, 0);
	reload_queue_init(queue, wake, &woken);
	*state = queue;
	return 0;
}

static int
teardown(void **state)
{
	reload_queue_done(*state);
	free(*state);
	(void)sem_destroy(&woken);
	return 0;
}

struct asker {
	struct reload_queue *queue;
	pthread_t thread;
	int result;
	struct status status;
	struct reload_report report;
};

static void *
ask(void *arg)
{
	struct asker *asker = arg;

	asker->result = reload_queue_request(asker->queue, &asker->report, &asker->status);
	return NULL;
}

static void
start(struct asker *asker, struct reload_queue *queue)
{
	*asker = (struct asker){ .queue = queue };
	assert_int_equal(pthread_create(&asker->thread, NULL, ask, asker), 0);
	wait_woken();
}

static void
end(struct reload_queue *queue, unsigned generation, const char *line)
{
	const struct reload_report report = { .ok = line == NULL, .generation = generation };
	struct diag diag = { 0 };

	if (line != NULL)
		diag_error(&diag, "cosid.conf", 7, "%s", line);
	reload_queue_end(queue, &report, &diag);
	diag_done(&diag);
}

static void
test_ask__gets_the_report(void **state)
{
	struct reload_queue *queue = *state;
	struct asker asker;

	assert_false(reload_queue_is_waiting(queue));
	start(&asker, queue);
	assert_true(reload_queue_is_waiting(queue));
	reload_queue_begin(queue);
	assert_false(reload_queue_is_waiting(queue));
	end(queue, 7, "no");
	assert_int_equal(pthread_join(asker.thread, NULL), 0);
	assert_int_equal(asker.result, 0);
	assert_int_equal(asker.report.number, 1);
	assert_int_equal(asker.report.generation, 7);
	assert_false(asker.report.ok);
	assert_int_equal(asker.report.nlines, 1);
	assert_string_equal(asker.report.lines[0], "cosid.conf:7: no");
	reload_report_done(&asker.report);
}

/* The one that runs may have read the file before it was changed. */
static void
test_ask__during_a_reload_waits_for_the_next(void **state)
{
	struct reload_queue *queue = *state;
	struct asker asker;

	reload_queue_begin(queue);
	start(&asker, queue);
	end(queue, 2, NULL);
	assert_true(reload_queue_is_waiting(queue));
	reload_queue_begin(queue);
	end(queue, 3, NULL);
	assert_int_equal(pthread_join(asker.thread, NULL), 0);
	assert_int_equal(asker.result, 0);
	assert_int_equal(asker.report.generation, 3);
	assert_int_equal(asker.report.number, 2);
}

static void
test_ask__many_share_one(void **state)
{
	struct reload_queue *queue = *state;
	struct asker askers[8];

	for (size_t i = 0; i < 8; i++)
		start(&askers[i], queue);
	reload_queue_begin(queue);
	end(queue, 2, NULL);
	assert_false(reload_queue_is_waiting(queue));
	for (size_t i = 0; i < 8; i++) {
		assert_int_equal(pthread_join(askers[i].thread, NULL), 0);
		assert_int_equal(askers[i].result, 0);
		assert_int_equal(askers[i].report.number, 1);
	}
}

static void
test_close__tells_who_waits_and_who_comes(void **state)
{
	struct reload_queue *queue = *state;
	struct status status = { 0 };
	struct reload_report report;
	struct asker asker;

	start(&asker, queue);
	reload_queue_close(queue);
	assert_int_equal(pthread_join(asker.thread, NULL), 0);
	assert_int_equal(asker.result, -1);
	assert_int_equal(asker.status.code, COSI_UNAVAILABLE);
	assert_int_equal(reload_queue_request(queue, &report, &status), -1);
	assert_string_equal(status.text, "cosid is stopping");
}

/* The reload has been: the daemon is not stopping. */
static void
test_ask__no_memory_for_the_report(void **state)
{
	struct reload_queue *queue = *state;
	struct asker asker;

	start(&asker, queue);
	reload_queue_begin(queue);
	memory_spare(true);
	memory_fail_after(0);
	end(queue, 7, "no");
	assert_int_equal(pthread_join(asker.thread, NULL), 0);
	memory_spare(false);
	assert_true(memory_has_failed());
	assert_int_equal(asker.result, -1);
	assert_int_equal(asker.status.code, COSI_EXHAUSTED);
	assert_string_equal(asker.status.text, "out of memory");
}

static void
test_last__none_then_the_latest(void **state)
{
	struct reload_queue *queue = *state;
	struct reload_report report;

	assert_int_equal(reload_queue_last(queue, &report), 0);
	assert_int_equal(report.number, 0);
	reload_queue_begin(queue);
	end(queue, 1, "first");
	reload_queue_begin(queue);
	end(queue, 1, "second");
	assert_int_equal(reload_queue_last(queue, &report), 0);
	assert_int_equal(report.number, 2);
	assert_int_equal(report.nlines, 1);
	assert_string_equal(report.lines[0], "cosid.conf:7: second");
	reload_report_done(&report);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_ask__gets_the_report, setup, teardown),
		cmocka_unit_test_setup_teardown(test_ask__during_a_reload_waits_for_the_next, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_ask__many_share_one, setup, teardown),
		cmocka_unit_test_setup_teardown(test_close__tells_who_waits_and_who_comes, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_ask__no_memory_for_the_report, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_last__none_then_the_latest, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
