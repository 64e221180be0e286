/* SPDX-License-Identifier: Apache-2.0
 * test_token_threads.c - one fetch for all who wait, its failure for all of them. */
#include "module/token.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "base/clock.h"
#include "rig.h"

#include "banned.h"

enum { NTHREADS = 8, NOW = 1000000 };

/* What the fetch functions do and saw. */
static atomic_uint nfetches;
static atomic_bool failing;

static int
fetch(void *instance, struct cosi_call *call, struct cosi_token *out)
{
	unsigned number = atomic_fetch_add(&nfetches, 1) + 1;

	(void)instance;
	if (atomic_load(&failing))
		return cosi_fail(call, COSI_UNAVAILABLE, "cannot fetch token %u: no answer",
				 number);
	out->value = cosi_printf(call, "token-%u", number);
	out->expires = NOW + 3600;
	return 0;
}

static int
setup(void **state)
{
	struct rig_call *rig = malloc(sizeof *rig);

	assert_non_null(rig);
	rig_call_init(rig);
	atomic_store(&nfetches, 0);
	atomic_store(&failing, false);
	*state = rig;
	return 0;
}

static int
teardown(void **state)
{
	rig_call_done(*state);
	free(*state);
	return 0;
}

static const char *
get(struct rig_call *rig, const char *name, int64_t now)
{
	return token_get(&instance_of(&rig->backend)->tokens, &rig->call, name, fetch, now);
}

/* A fetch that ends only when the test says so. */
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;
static bool released;

static void
release(bool yes)
{
	pthread_mutex_lock(&gate);
	released = yes;
	pthread_cond_broadcast(&opened);
	pthread_mutex_unlock(&gate);
}

static int
fetch_slowly(void *instance, struct cosi_call *call, struct cosi_token *out)
{
	pthread_mutex_lock(&gate);
	while (!released)
		pthread_cond_wait(&opened, &gate);
	pthread_mutex_unlock(&gate);
	return fetch(instance, call, out);
}

struct caller {
	struct rig_call rig;
	const char *value;
	pthread_t thread;
};

static void *
ask(void *arg)
{
	struct caller *caller = arg;

	caller->value = token_get(&instance_of(&caller->rig.backend)->tokens, &caller->rig.call,
				  "a", fetch_slowly, NOW);
	return NULL;
}

/* Until one caller fetches and all others wait for it. */
static void
wait_until_all_are_in(struct tokens *tokens)
{
	bool ready = false;

	while (!ready) {
		(void)sched_yield();
		pthread_mutex_lock(&tokens->mutex);
		ready = tokens->slots[0].fetching && tokens->slots[0].nwaiting == NTHREADS - 1;
		pthread_mutex_unlock(&tokens->mutex);
	}
}

static struct caller *
start_callers(struct rig_call *owner)
{
	struct caller *callers = calloc(NTHREADS, sizeof *callers);

	assert_non_null(callers);
	release(false);
	for (size_t i = 0; i < NTHREADS; i++) {
		rig_call_share(&callers[i].rig, owner);
		assert_int_equal(pthread_create(&callers[i].thread, NULL, ask, &callers[i]), 0);
	}
	wait_until_all_are_in(&owner->instance.tokens);
	return callers;
}

static void
join_callers(struct caller *callers)
{
	release(true);
	for (size_t i = 0; i < NTHREADS; i++)
		assert_int_equal(pthread_join(callers[i].thread, NULL), 0);
}

static void
free_callers(struct caller *callers)
{
	for (size_t i = 0; i < NTHREADS; i++)
		rig_call_done(&callers[i].rig);
	free(callers);
}

static void
test_get__many_threads_one_fetch(void **state)
{
	struct caller *callers = start_callers(*state);

	join_callers(callers);
	for (size_t i = 0; i < NTHREADS; i++)
		assert_string_equal(callers[i].value, "token-1");
	assert_int_equal(nfetches, 1);
	free_callers(callers);
}

static void
test_get__many_threads_one_failure(void **state)
{
	struct caller *callers;

	atomic_store(&failing, true);
	callers = start_callers(*state);
	join_callers(callers);
	for (size_t i = 0; i < NTHREADS; i++) {
		assert_null(callers[i].value);
		assert_int_equal(callers[i].rig.status.code, COSI_UNAVAILABLE);
		assert_string_equal(callers[i].rig.status.text, "cannot fetch token 1: no answer");
	}
	assert_int_equal(nfetches, 1);
	free_callers(callers);
}

/* A waiter has its own deadline. */
static void
test_get__deadline_while_another_fetches(void **state)
{
	struct rig_call *rig = *state;
	struct caller *callers = start_callers(rig);

	rig->call.deadline_ms = clock_mono_ms();
	assert_null(get(rig, "a", NOW));
	assert_int_equal(rig->status.code, COSI_TIMEOUT);
	rig_assert_has(rig->status.text, "while another call fetched the token 'a'");
	join_callers(callers);
	free_callers(callers);
}

/* Whoever has a token that still works does not wait for its renewal. */
static void
test_get__old_token_during_renewal(void **state)
{
	struct rig_call *rig = *state;
	struct caller caller;

	assert_string_equal(get(rig, "a", NOW), "token-1");
	rig->instance.tokens.slots[0].renew_at = NOW;
	release(false);
	rig_call_share(&caller.rig, rig);
	assert_int_equal(pthread_create(&caller.thread, NULL, ask, &caller), 0);
	for (bool fetching = false; !fetching; (void)sched_yield()) {
		pthread_mutex_lock(&rig->instance.tokens.mutex);
		fetching = rig->instance.tokens.slots[0].fetching;
		pthread_mutex_unlock(&rig->instance.tokens.mutex);
	}
	assert_string_equal(get(rig, "a", NOW), "token-1");
	release(true);
	assert_int_equal(pthread_join(caller.thread, NULL), 0);
	assert_string_equal(caller.value, "token-2");
	assert_string_equal(get(rig, "a", NOW), "token-2");
	rig_call_done(&caller.rig);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_get__many_threads_one_fetch, setup, teardown),
		cmocka_unit_test_setup_teardown(test_get__many_threads_one_failure, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_get__deadline_while_another_fetches, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_get__old_token_during_renewal, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
