/* SPDX-License-Identifier: Apache-2.0
 * test_sched.c - start, the way through and the end. */
#include "sched/sched.h"

#include <poll.h>

#include "base/secret.h"
#include "fakes.h"

#include "banned.h"

/* One slot each, so that four may wait. */
static const struct fake_spec narrow[] = {
	{ .name = "east", .max_calls = 1 },
	{ .name = "west", .max_calls = 1 },
};
static const struct fake_setup setup = { .nbackends = 2, .backends = narrow };

static void
test_life__of_a_bucket_and_an_account(void **state)
{
	struct sched *sched = fake_start(&setup);

	(void)state;
	shot_expect_id(shot_create(sched, "photos", "east"), "east.photos");
	assert_true(fake_has_bucket("east", "photos"));
	shot_expect_id(shot_create(sched, "photos", "east"), "east.photos");
	shot_expect_id(shot_by_id(sched, REQUEST_GET, "east.photos"), "east.photos");
	shot_expect_id(shot_grant(sched, "ba-1", "east.photos"), "east.cosi-ba-1");
	shot_expect_id(shot_grant(sched, "ba-1", "east.photos"), "east.cosi-ba-1");
	shot_expect(shot_revoke(sched, "east.cosi-ba-1"), COSI_OK, NULL);
	shot_expect(shot_by_id(sched, REQUEST_DELETE, "east.photos"), COSI_OK, NULL);
	assert_false(fake_has_bucket("east", "photos"));
	shot_expect(shot_by_id(sched, REQUEST_DELETE, "east.photos"), COSI_OK, NULL);
	fake_stop(sched);
}

static void *
opens_later(void *unused)
{
	(void)unused;
	fake_open("east");
	return NULL;
}

static void
test_free__answers_what_waits(void **state)
{
	struct sched *sched = fake_start(&setup);
	struct shot *runs, *waits;
	pthread_t thread;

	(void)state;
	fake_shut("east");
	runs = shot_create(sched, "a", "east");
	fake_wait_inside("east", 1);
	waits = shot_create(sched, "b", "east");
	assert_int_equal(pthread_create(&thread, NULL, opens_later, NULL), 0);
	fake_stop(sched);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(shot_is_replied(runs), true);
	shot_free(runs);
	assert_true(shot_is_replied(waits));
	shot_free(waits);
}

static void (*next_reply)(struct call *call, const struct status *status);

static void
reply_once_it_has_ended(struct call *call, const struct status *status)
{
	fake_open("east");
	fake_wait_inside("east", 0);
	(void)poll(NULL, 0, 50); /* its worker could begin the next one now */
	assert_int_equal(FAKE_GET("east", calls[REQUEST_CREATE]), 1);
	next_reply(call, status);
}

/* A call that ends during the stop makes room for one that is about to be replied to. */
static void
test_free__begins_nothing_more(void **state)
{
	struct sched *sched = fake_start(&setup);
	struct shot *runs = shot_new(REQUEST_CREATE), *waits;

	(void)state;
	fake_shut("east");
	runs->req->name = "a";
	shot_param(runs, "backend", "east");
	next_reply = runs->call->reply;
	runs->call->reply = reply_once_it_has_ended;
	shoot(sched, runs);
	fake_wait_inside("east", 1);
	waits = shot_create(sched, "b", "east");
	fake_stop(sched);
	shot_expect(runs, COSI_UNAVAILABLE, "cosid is stopping");
	shot_expect(waits, COSI_UNAVAILABLE, "cosid is stopping");
}

static void *
stops(void *sched)
{
	fake_stop(sched);
	return NULL;
}

static void
test_free__takes_no_more_calls(void **state)
{
	struct sched *sched = fake_start(&setup);
	struct shot *runs;
	pthread_t thread;

	(void)state;
	fake_shut("east");
	runs = shot_create(sched, "a", "east");
	fake_wait_inside("east", 1);
	assert_int_equal(pthread_create(&thread, NULL, stops, sched), 0);
	shot_wait(runs);
	shot_expect(shot_create(sched, "b", "west"), COSI_UNAVAILABLE, "cosid is stopping");
	fake_open("east");
	assert_int_equal(pthread_join(thread, NULL), 0);
	shot_expect(runs, COSI_UNAVAILABLE, "cosid is stopping");
}

static void
test_fields__for_the_log(void **state)
{
	struct sched *sched = fake_start(&setup);
	struct shot *shot = shot_grant(sched, "ba-1", "east.a");
	const struct log_fields *fields = call_fields(shot->call);

	(void)state;
	shot_wait(shot);
	assert_string_equal(fields->api, "v1alpha2");
	assert_string_equal(fields->backend, "east");
	assert_string_equal(fields->bucket, "east.a");
	assert_string_equal(fields->name, "ba-1");
	assert_string_equal(fields->account, "east.cosi-ba-1");
	shot_expect(shot, COSI_OK, NULL);
	fake_stop(sched);
}

/* Texts show 160 bytes of an id: a known secret that is cut there could not be masked any more. */
static void
test_texts__no_part_of_a_secret(void **state)
{
	static const char value[] = "0123456789abcdef";
	struct secret *secret = secret_new(value, sizeof value - 1);
	struct sched *sched = fake_start(&setup);
	char id[201];

	(void)state;
	for (size_t at = 160 - (sizeof value - 2); at < 160; at++) {
		struct shot *deletes, *revokes;

		memset(id, 'x', sizeof id);
		memcpy(id + at, value, sizeof value - 1);
		id[sizeof id - 1] = '\0';
		deletes = shot_by_id(sched, REQUEST_DELETE, id);
		revokes = shot_revoke(sched, id);
		shot_wait(deletes);
		shot_wait(revokes);
		assert_null(strchr(deletes->status.text, '0'));
		assert_null(strchr(revokes->status.text, '0'));
		shot_expect(deletes, COSI_PRECONDITION, "cannot delete bucket 'xxx");
		shot_expect(revokes, COSI_PRECONDITION, "cannot revoke 'xxx");
	}
	fake_stop(sched);
	secret_free(secret);
}

static void
test_info__of_the_generation(void **state)
{
	struct sched *sched = fake_start(&setup);

	(void)state;
	assert_int_equal(sched_protocols(sched), COSI_S3);
	assert_string_equal(sched_driver_name(sched), "cosid.example.org");
	fake_stop(sched);
}

static void
test_no_backend__unavailable(void **state)
{
	const struct fake_setup none = { 0 };
	struct sched *sched = fake_start(&none);

	(void)state;
	assert_int_equal(sched_protocols(sched), 0);
	shot_expect(shot_create(sched, "a", NULL), COSI_UNAVAILABLE, "no backend is configured");
	shot_expect(shot_revoke(sched, "east.cosi-a"), COSI_UNAVAILABLE, NULL);
	fake_stop(sched);
}

/* clauses 14, 22, 73, 75: gone is what they want, and a module says it by 0, when it is certain;
 * NOT_FOUND would be taken for it. */
static void
test_not_found__never_on_delete_and_revoke(void **state)
{
	struct sched *sched = fake_start(&setup);

	(void)state;
	FAKE_SET("east", fails[REQUEST_DELETE], COSI_NOT_FOUND);
	FAKE_SET("east", fails[REQUEST_REVOKE], COSI_NOT_FOUND);
	shot_expect(shot_by_id(sched, REQUEST_DELETE, "east.a"), COSI_INTERNAL,
		    "module 'east' answered NOT_FOUND: the store says no");
	shot_expect(shot_revoke(sched, "east.cosi-a"), COSI_INTERNAL, "NOT_FOUND");
	fake_stop(sched);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_life__of_a_bucket_and_an_account),
		cmocka_unit_test(test_free__answers_what_waits),
		cmocka_unit_test(test_free__begins_nothing_more),
		cmocka_unit_test(test_free__takes_no_more_calls),
		cmocka_unit_test(test_fields__for_the_log),
		cmocka_unit_test(test_texts__no_part_of_a_secret),
		cmocka_unit_test(test_info__of_the_generation),
		cmocka_unit_test(test_no_backend__unavailable),
		cmocka_unit_test(test_not_found__never_on_delete_and_revoke),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
