/* SPDX-License-Identifier: Apache-2.0
 * test_grant.c - accounts, buckets, modes, what is refused. */
#include "sched/sched.h"

#include "fakes.h"

#include "banned.h"

static const char *shorten(void *, struct cosi_call *, uint32_t, const char *, bool);
static const struct fake_spec specs[] = {
	{ .name = "east" },
	{ .name = "west",
	  .protocols = COSI_S3 | COSI_GCS,
	  .auth = COSI_AUTH_KEY | COSI_AUTH_SERVICE_ACCOUNT,
	  .flags = COSI_GRANT_WRITES_BUCKET,
	  .max_calls = 3 },
	{ .name = "blob", .protocols = COSI_AZURE },
	{ .name = "short", .map_name = shorten },
};
static const struct fake_setup setup = { .nbackends = 4, .backends = specs };

/* A store whose account names hold 12 bytes, and a name that loses its prefix. */
static const char *
shorten(void *instance, struct cosi_call *call, uint32_t kind, const char *asked, bool exact)
{
	static char name[13];

	(void)instance, (void)call, (void)exact;
	if (kind == COSI_BUCKET)
		return asked;
	(void)snprintf(name, sizeof name, "%s", strcmp(asked, "cosi-bad") == 0 ? "bad" : asked);
	return name;
}

static struct shot *
grant(const char *name)
{
	struct shot *shot = shot_new(REQUEST_GRANT);

	shot->req->name = name;
	return shot;
}

static void
test_grant__request_for_the_module(void **state)
{
	struct sched *sched = fake_start(&setup);
	struct shot *shot = grant("ba-1");

	(void)state;
	shot_bucket(shot, "east.b", COSI_READ_ONLY);
	shot_bucket(shot, "east.a", COSI_READ_WRITE);
	shot_bucket(shot, "east.b", COSI_READ_ONLY); /* twice the same */
	shot_param(shot, "shape", "square");
	shoot(sched, shot);
	shot_wait(shot);
	assert_string_equal(shot->buckets, "b a b");
	assert_int_equal(shot->protocol, COSI_S3);
	shot_expect_id(shot, "east.cosi-ba-1");
	/* printf 'p\0shape\0square\0b\0readWrite\0a\0b\0readOnly\0b\0' | sha256sum */
	assert_string_equal(
		fake_asked("east"),
		"grant cosi-ba-1 name=ba-1 "
		"params=1:ca5ba15ba8f0c41f7380ad615e99844014927835acac9393d8bdb6e9b2ef4e47 a:1 b:2 "
		"protocol=1 auth=1 "
		"shape=square");
	fake_stop(sched);
}

/* The same access in both API versions is the same to the store. */
static void
test_grant__mode_as_parameter(void **state)
{
	struct sched *sched = fake_start(&setup);
	struct shot *shot = grant("ba-1");
	char first[512];

	(void)state;
	shot_bucket(shot, "east.a", COSI_READ_ONLY);
	shoot(sched, shot);
	shot_expect(shot, COSI_OK, NULL);
	(void)snprintf(first, sizeof first, "%s", fake_asked("east"));
	shot = grant("ba-1");
	shot_bucket(shot, "east.a", 0);
	shot->req->mode_is_param = true;
	shot_param(shot, "accessMode", "readOnly");
	shoot(sched, shot);
	shot_expect(shot, COSI_OK, NULL);
	assert_string_equal(fake_asked("east"), first);
	fake_stop(sched);
}

static void
test_grant__modes_refused(void **state)
{
	struct sched *sched = fake_start(&setup);
	struct shot *shot = grant("ba-1");

	(void)state;
	shot_bucket(shot, "east.a", 0);
	shoot(sched, shot);
	shot_expect(shot, COSI_INVALID, "access mode for bucket 'east.a' is missing");
	shot = grant("ba-1");
	shot_bucket(shot, "east.a", COSI_WRITE_ONLY + 1);
	shoot(sched, shot);
	shot_expect(shot, COSI_INVALID, "access mode");
	shot = grant("ba-1");
	shot_bucket(shot, "east.a", COSI_READ_ONLY);
	shot_bucket(shot, "east.a", COSI_READ_WRITE);
	shoot(sched, shot);
	shot_expect(shot, COSI_INVALID, "the request names bucket 'a' with two access modes");
	assert_int_equal(FAKE_GET("east", calls[REQUEST_GRANT]), 0);
	fake_stop(sched);
}

static void
test_grant__several_backends(void **state)
{
	struct sched *sched = fake_start(&setup);
	struct shot *shot = grant("ba-1");

	(void)state;
	shot_bucket(shot, "east.a", COSI_READ_ONLY);
	shot_bucket(shot, "west.a", COSI_READ_ONLY);
	shoot(sched, shot);
	shot_expect(shot, COSI_OUT_OF_RANGE,
		    "cannot grant access for 'ba-1': one access cannot span backends 'east' and "
		    "'west'");
	fake_stop(sched);
}

/* A native name next to an id is on the id's backend. */
static void
test_grant__native_beside_ours(void **state)
{
	struct sched *sched = fake_start(&setup);
	struct shot *shot = grant("ba-1");

	(void)state;
	fake_has("west", "brought", NULL, NULL);
	shot_bucket(shot, "brought", COSI_READ_ONLY);
	shot_bucket(shot, "east.a", COSI_READ_ONLY);
	shoot(sched, shot);
	shot_wait(shot);
	assert_string_equal(shot->buckets, "brought a");
	shot_expect_id(shot, "east.cosi-ba-1");
	/* All native: where the first one is. */
	shot = grant("ba-2");
	shot_bucket(shot, "brought", COSI_READ_ONLY);
	shot_bucket(shot, "other", COSI_READ_ONLY);
	shoot(sched, shot);
	shot_expect_id(shot, "west.cosi-ba-2");
	assert_non_null(strstr(fake_asked("west"), "brought:2 other:2"));
	fake_stop(sched);
}

static void
test_grant__number_of_buckets(void **state)
{
	struct sched *sched = fake_start(&setup);
	struct shot *most = grant("ba-1");
	char id[32];

	(void)state;
	for (int i = 0; i < REQUEST_BUCKETS_MAX; i++) {
		(void)snprintf(id, sizeof id, "east.b%d", i);
		shot_bucket(most, id, COSI_READ_ONLY);
	}
	shoot(sched, most);
	shot_expect(most, COSI_OK, NULL);
	fake_stop(sched);
}

static void
test_grant__bad_ids(void **state)
{
	static const char *const bad[] = { "",    "east.", "east...", "east.a_b",
					   "a_b", "a/b",   "-",       "." };
	struct sched *sched = fake_start(&setup);

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++)
		shot_expect(shot_grant(sched, "ba-1", bad[i]), COSI_INVALID, NULL);
	fake_stop(sched);
}

static void
test_grant__authentication(void **state)
{
	struct sched *sched = fake_start(&setup);
	struct shot *shot = grant("ba-1");

	(void)state;
	shot_bucket(shot, "east.a", COSI_READ_ONLY);
	shot->req->auth = COSI_AUTH_SERVICE_ACCOUNT;
	shoot(sched, shot);
	shot_expect(shot, COSI_INVALID,
		    "backend 'east' does not support authentication by service account");
	shot = grant("ba-1");
	shot_bucket(shot, "west.a", COSI_READ_ONLY);
	shot->req->auth = COSI_AUTH_SERVICE_ACCOUNT;
	shoot(sched, shot);
	shot_expect_id(shot, "west.cosi-ba-1");
	fake_stop(sched);
}

static void
test_grant__protocol(void **state)
{
	struct sched *sched = fake_start(&setup);
	struct shot *shot = grant("ba-1");

	(void)state;
	shot_bucket(shot, "west.a", COSI_READ_ONLY);
	shot->req->protocols = COSI_AZURE;
	shoot(sched, shot);
	shot_expect(shot, COSI_INVALID, "backend 'west' supports s3, gcs, requested: azure");
	shot = grant("ba-1");
	shot_bucket(shot, "west.a", COSI_READ_ONLY);
	shot->req->protocols = COSI_GCS;
	shoot(sched, shot);
	shot_wait(shot);
	assert_int_equal(shot->protocol, COSI_GCS);
	shot_expect(shot, COSI_OK, NULL);
	/* Not said: the module's first. */
	shot = shot_grant(sched, "ba-1", "blob.a");
	shot_wait(shot);
	assert_int_equal(shot->protocol, COSI_AZURE);
	shot_expect(shot, COSI_OK, NULL);
	fake_stop(sched);
}

static void
test_grant__account_names(void **state)
{
	struct sched *sched = fake_start(&setup);

	(void)state;
	/* What a module makes of the name still says whose it is. */
	shot_expect_id(shot_grant(sched, "ba-12345678", "short.a"), "short.cosi-ba-1234");
	shot_expect(shot_grant(sched, "bad", "short.a"), COSI_INTERNAL,
		    "module 'short' names an account 'bad'");
	shot_expect_id(shot_grant(sched, "Team_A", "east.a"), "east.cosi--eam---e61a54826759");
	fake_stop(sched);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_grant__request_for_the_module),
		cmocka_unit_test(test_grant__mode_as_parameter),
		cmocka_unit_test(test_grant__modes_refused),
		cmocka_unit_test(test_grant__several_backends),
		cmocka_unit_test(test_grant__native_beside_ours),
		cmocka_unit_test(test_grant__number_of_buckets),
		cmocka_unit_test(test_grant__bad_ids),
		cmocka_unit_test(test_grant__authentication),
		cmocka_unit_test(test_grant__protocol),
		cmocka_unit_test(test_grant__account_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
