/* SPDX-License-Identifier: Apache-2.0
 * test_revoke.c - whose account it is, which buckets go, and the locks of both. */
#include "sched/sched.h"

#include "routing/id.h"

#include "fakes.h"

#include "banned.h"

static const struct fake_spec specs[] = {
	{ .name = "east" },
	{ .name = "west", .flags = COSI_GRANT_WRITES_BUCKET, .max_calls = 3 },
};
static const struct fake_setup setup = { .nbackends = 2, .backends = specs };

static void
test_revoke__foreign_accounts(void **state)
{
	static const char *const foreign[] = {
		"cosi-ba-1", "ba-1", "gone.cosi-ba-1", ".", "x y", ""
	};
	struct sched *sched = fake_start(&setup);

	(void)state;
	for (size_t i = 0; i < COUNT(foreign); i++)
		shot_expect(shot_revoke(sched, foreign[i]), COSI_PRECONDITION,
			    "names no configured backend");
	shot_expect(shot_revoke(sched, "east.admin"), COSI_PRECONDITION,
		    "does not begin with 'cosi-'");
	shot_expect(shot_revoke(sched, "east."), COSI_INVALID, "malformed");
	shot_expect(shot_revoke(sched, "east.cosi-a_b"), COSI_INVALID, "malformed");
	assert_int_equal(FAKE_GET("east", calls[REQUEST_REVOKE]), 0);
	fake_stop(sched);
}

static void
test_revoke__length_of_the_id(void **state)
{
	struct sched *sched = fake_start(&setup);
	char id[ID_MAX + 2];

	(void)state;
	memset(id, 'x', sizeof id);
	memcpy(id, "east.cosi-", 10);
	id[ID_MAX + 1] = '\0';
	shot_expect(shot_revoke(sched, id), COSI_INVALID, "malformed");
	id[ID_MAX] = '\0';
	shot_expect(shot_revoke(sched, id), COSI_OK, NULL);
	fake_stop(sched);
}

static void
revoke_naming(struct sched *sched, const char *bucket, bool whole_account)
{
	struct shot *shot = shot_new(REQUEST_REVOKE);

	shot->req->mode_is_param = shot->req->whole_account = whole_account;
	shot->req->id = "west.cosi-ba-1";
	shot_bucket(shot, bucket, 0);
	shoot(sched, shot);
	shot_expect(shot, COSI_OK, NULL);
}

/* Its locks are named by its id: a native name that makes no id is no bucket of the account. */
static void
test_revoke__length_of_a_native_name(void **state)
{
	struct sched *sched = fake_start(&setup);
	char native[ID_MAX + 1], asked[256];

	(void)state;
	for (size_t len = ID_MAX - 5; len <= ID_MAX; len++) {
		bool fits = len == ID_MAX - 5;

		memset(native, 'x', len);
		native[len] = '\0';
		revoke_naming(sched, native, true);
		(void)snprintf(asked, sizeof asked,
			       "revoke cosi-ba-1 name=- params=- %s%sprotocol=0 auth=0 shape=round",
			       fits ? native : "", fits ? ":0 " : "");
		assert_string_equal(fake_asked("west"), asked);
	}
	/* The only bucket that is named cannot be meant: nothing is to be done. */
	revoke_naming(sched, native, false);
	assert_int_equal(FAKE_GET("west", calls[REQUEST_REVOKE]), 6);
	fake_stop(sched);
}

/* v1alpha1 names one bucket, and the account goes as a whole. */
static void
test_revoke__whole_account(void **state)
{
	static const char *const named[] = { "east.a", "a", "gone.a", "a_b", "" };
	struct sched *sched = fake_start(&setup);

	(void)state;
	for (size_t i = 0; i < COUNT(named); i++) {
		struct shot *shot = shot_new(REQUEST_REVOKE);

		shot->req->mode_is_param = shot->req->whole_account = true;
		shot->req->id = "east.cosi-ba-1";
		shot_bucket(shot, named[i], 0);
		shoot(sched, shot);
		shot_expect(shot, COSI_OK, NULL);
		assert_string_equal(fake_asked("east"), "revoke cosi-ba-1 name=- params=- "
							"protocol=0 auth=0 shape=round");
	}
	assert_int_equal(FAKE_GET("east", calls[REQUEST_REVOKE]), COUNT(named));
	fake_stop(sched);
}

/* A module that keeps the access in the bucket is told which one it is, if any can be meant. */
static void
test_revoke__whole_account_of_a_bucket(void **state)
{
	static const struct {
		const char *named, *asked;
	} cases[] = {
		{ "west.a", "revoke cosi-ba-1 name=- params=- a:0 protocol=0 auth=0 shape=round" },
		{ "a", "revoke cosi-ba-1 name=- params=- a:0 protocol=0 auth=0 shape=round" },
		{ "east.a", "revoke cosi-ba-1 name=- params=- protocol=0 auth=0 shape=round" },
		{ "a_b", "revoke cosi-ba-1 name=- params=- protocol=0 auth=0 shape=round" },
	};
	struct sched *sched = fake_start(&setup);

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct shot *shot = shot_new(REQUEST_REVOKE);

		shot->req->mode_is_param = shot->req->whole_account = true;
		shot->req->id = "west.cosi-ba-1";
		shot_bucket(shot, cases[i].named, 0);
		shoot(sched, shot);
		shot_expect(shot, COSI_OK, NULL);
		assert_string_equal(fake_asked("west"), cases[i].asked);
	}
	fake_stop(sched);
}

static void
test_revoke__some_buckets(void **state)
{
	struct sched *sched = fake_start(&setup);
	struct shot *shot = shot_new(REQUEST_REVOKE);

	(void)state;
	shot->req->id = "east.cosi-ba-1";
	shot_bucket(shot, "east.b", 0);
	shot_bucket(shot, "west.x", 0); /* another backend's */
	shot_bucket(shot, "a", 0);      /* brought along */
	shot_bucket(shot, "a_b", 0);    /* no bucket's name */
	shot_bucket(shot, "east.b", 0);
	shoot(sched, shot);
	shot_expect(shot, COSI_OK, NULL);
	assert_non_null(strstr(fake_asked("east"), "params=- a:0 b:0 protocol"));
	fake_stop(sched);
}

/* Buckets that the account cannot have access to: that must not become "all of them". */
static void
test_revoke__no_bucket_of_its_own(void **state)
{
	struct sched *sched = fake_start(&setup);
	struct shot *shot = shot_new(REQUEST_REVOKE);

	(void)state;
	shot->req->id = "east.cosi-ba-1";
	shot_bucket(shot, "west.x", 0);
	shot_bucket(shot, "a_b", 0);
	shoot(sched, shot);
	shot_expect(shot, COSI_OK, NULL);
	assert_int_equal(FAKE_GET("east", calls[REQUEST_REVOKE]), 0);
	/* None named at all is all of them. */
	shot_expect(shot_revoke(sched, "east.cosi-ba-1"), COSI_OK, NULL);
	assert_int_equal(FAKE_GET("east", calls[REQUEST_REVOKE]), 1);
	fake_stop(sched);
}

/* Twenty grants on one bucket at once; two of one account never. */
static void
test_locks__shared_buckets(void **state)
{
	struct sched *sched = fake_start(&(struct fake_setup){
		.nbackends = 1, .backends = specs, .sched = { .workers = 8 } });
	struct shot *first, *second, *same, *delete;

	(void)state;
	fake_shut("east");
	first = shot_grant(sched, "ba-1", "east.a");
	second = shot_grant(sched, "ba-2", "east.a");
	fake_wait_inside("east", 2);
	same = shot_grant(sched, "ba-1", "east.b");
	delete = shot_by_id(sched, REQUEST_DELETE, "east.a");
	fake_open("east");
	shot_expect(first, COSI_OK, NULL);
	shot_expect(second, COSI_OK, NULL);
	shot_expect(same, COSI_OK, NULL);
	shot_expect(delete, COSI_OK, NULL);
	fake_stop(sched);
}

/* Where a grant edits the bucket, grants and revokes on one bucket come one by one. */
static void
test_locks__edited_buckets(void **state)
{
	struct sched *sched = fake_start(&setup);
	struct shot *grants[6], *revokes[6];

	(void)state;
	for (size_t i = 0; i < COUNT(grants); i++) {
		char name[16], id[32];

		(void)snprintf(name, sizeof name, "ba-%zu", i);
		grants[i] = shot_grant(sched, name, "west.a");
		(void)snprintf(id, sizeof id, "west.cosi-ba-%zu", i);
		revokes[i] = shot_new(REQUEST_REVOKE);
		revokes[i]->req->id = arena_strdup(&revokes[i]->call->arena, id);
		shot_bucket(revokes[i], "west.a", 0);
		shoot(sched, revokes[i]);
	}
	for (size_t i = 0; i < COUNT(grants); i++) {
		shot_expect(grants[i], COSI_OK, NULL);
		shot_expect(revokes[i], COSI_OK, NULL);
	}
	fake_stop(sched); /* fakes.c has watched */
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_revoke__foreign_accounts),
		cmocka_unit_test(test_revoke__length_of_the_id),
		cmocka_unit_test(test_revoke__length_of_a_native_name),
		cmocka_unit_test(test_revoke__whole_account),
		cmocka_unit_test(test_revoke__whole_account_of_a_bucket),
		cmocka_unit_test(test_revoke__some_buckets),
		cmocka_unit_test(test_revoke__no_bucket_of_its_own),
		cmocka_unit_test(test_locks__shared_buckets),
		cmocka_unit_test(test_locks__edited_buckets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
