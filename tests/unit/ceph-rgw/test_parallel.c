/* SPDX-License-Identifier: Apache-2.0
 * test_parallel.c - many at once: what the daemon's locks allow, and two daemons on one
 * gateway. */
#include "rgw.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "banned.h"

#define LIST(...)      ((const char *const[]){ __VA_ARGS__, NULL })
#define CREDENTIAL_KEY "a-credential-key-of-thirty-two-bytes"

enum { NGRANTS = 20, NROUNDS = 10 };

/* One daemon: an instance and a connection of its own. */
struct worker {
	struct rgw_test t;
	pthread_t thread;
	char account[64];
	struct rgw_granted key;
	uint32_t code;
};

static struct rgw_test *
like(const struct rgw_test *t, struct rgw_test *out, const char *credential_key)
{
	*out = *t;
	host_init(&out->host, t->host.endpoint);
	host_init(&out->direct, t->host.endpoint);
	out->config = malloc(t->module->config.size);
	assert_non_null(out->config);
	memcpy(out->config, t->config, t->module->config.size);
	out->instance = NULL;
	rgw_reopen(out, credential_key);
	return out;
}

static void
done(struct rgw_test *t)
{
	t->module->close(t->instance);
	host_done(&t->host);
	host_done(&t->direct);
	free(t->config);
}

static void *
run_grant(void *arg)
{
	struct worker *worker = arg;

	worker->code = rgw_grant(&worker->t, worker->account, LIST("parallel:rw"), &worker->key);
	return NULL;
}

static void
run_all(struct worker *workers, size_t n, void *(*run)(void *))
{
	for (size_t i = 0; i < n; i++)
		assert_int_equal(pthread_create(&workers[i].thread, NULL, run, &workers[i]), 0);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
}

static int
use_key(struct rgw_test *t, const struct rgw_granted *key)
{
	const struct s3_client client = { "default", key->key_id, key->key_secret, NULL };

	return ask(t, .client = &client, .method = "GET", .path = "/parallel");
}

static void
test_grants__twenty_on_one_bucket(void **state)
{
	static struct worker workers[NGRANTS];
	struct rgw_test *t = *state;

	assert_ok(t, rgw_create(t, "parallel", RGW_PARAMS_A, NULL));
	for (size_t i = 0; i < NGRANTS; i++) {
		(void)like(t, &workers[i].t, NULL);
		(void)snprintf(workers[i].account, sizeof workers[i].account, "cosi-many-%zu", i);
	}
	run_all(workers, NGRANTS, run_grant);
	for (size_t i = 0; i < NGRANTS; i++) {
		assert_ok(&workers[i].t, workers[i].code);
		assert_int_equal(use_key(t, &workers[i].key), 200);
	}
	assert_ok(t, rgw_revoke(t, workers[0].account, NULL));
	assert_int_equal(use_key(t, &workers[0].key), 403);
	for (size_t i = 1; i < NGRANTS; i++) {
		assert_int_equal(use_key(t, &workers[i].key), 200);
		assert_ok(t, rgw_revoke(t, workers[i].account, NULL));
	}
	for (size_t i = 0; i < NGRANTS; i++)
		done(&workers[i].t);
	assert_ok(t, rgw_delete(t, "parallel", false));
}

static void *
run_lifecycle(void *arg)
{
	struct worker *worker = arg;
	struct rgw_test *t = &worker->t;

	/* The other one may be half-way: then the word is to try again. */
	do
		worker->code = rgw_create(t, "parallel", RGW_PARAMS_A, NULL);
	while (worker->code == COSI_BUSY);
	if (worker->code == COSI_OK)
		worker->code = rgw_grant(t, "cosi-both", LIST("parallel:rw"), &worker->key);
	return NULL;
}

static void *
run_end(void *arg)
{
	struct worker *worker = arg;
	struct rgw_test *t = &worker->t;

	do
		worker->code = rgw_revoke(t, "cosi-both", NULL);
	while (worker->code == COSI_BUSY);
	if (worker->code != COSI_OK)
		return NULL;
	do
		worker->code = rgw_delete(t, "parallel", true);
	while (worker->code == COSI_BUSY);
	return NULL;
}

/* No lock is shared between them: what they do to one bucket and one account meets at the gateway.
 */
static void
test_two_daemons__one_lifecycle(void **state)
{
	static struct worker workers[2];
	struct rgw_test *t = *state;

	for (int round = 0; round < NROUNDS; round++) {
		for (size_t i = 0; i < 2; i++)
			(void)like(t, &workers[i].t, CREDENTIAL_KEY);
		run_all(workers, 2, run_lifecycle);
		for (size_t i = 0; i < 2; i++)
			assert_ok(&workers[i].t, workers[i].code);
		assert_string_equal(workers[0].key.key_id, workers[1].key.key_id);
		assert_string_equal(workers[0].key.key_secret, workers[1].key.key_secret);
		assert_int_equal(use_key(t, &workers[0].key), 200);
		run_all(workers, 2, run_end);
		for (size_t i = 0; i < 2; i++)
			assert_ok(&workers[i].t, workers[i].code);
		assert_int_equal(use_key(t, &workers[0].key), 403);
		assert_int_equal(ask(t, .method = "GET", .path = "/parallel"), 404);
		for (size_t i = 0; i < 2; i++)
			done(&workers[i].t);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_grants__twenty_on_one_bucket),
		cmocka_unit_test(test_two_daemons__one_lifecycle),
	};

	return cmocka_run_group_tests(tests, rgw_setup, rgw_teardown);
}
