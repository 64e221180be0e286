/* SPDX-License-Identifier: Apache-2.0
 * test_bucket.c - a create against answers and neighbours that no server can be made to have. */
#include <stdio.h>

#include "bucket_script.h"

#include "banned.h"

static const struct cosi_bucket_params versioned = { .set = COSI_P_VERSIONING, .versioning = true };

static void
test_create__tags_in_one_request(void **state)
{
	struct script script;

	(void)state;
	script_init(&script);
	PLAY(&script, OK(PUT_BUCKET), OK(PUT_TAGS));
	script_create(&script, &plain);
	script_ended(&script, COSI_OK, "");
	assert_string_equal(script.sent[1].body, FINISHED);
	assert_string_equal(script_sent(&script, 0, "x-amz-bucket-object-lock-enabled"), "");
	script_done(&script);
}

static void
test_create__settings_between_the_tags(void **state)
{
	const struct cosi_bucket_params all = {
		.set = COSI_P_VERSIONING | COSI_P_QUOTA_SIZE | COSI_P_ANONYMOUS,
		.versioning = true,
		.quota_size = 1048576,
		.anonymous = COSI_ANON_READ,
	};
	struct script script;

	(void)state;
	script_init(&script);
	PLAY(&script, OK(PUT_BUCKET), OK(PUT_TAGS), OK("PUT /photos?versioning="),
	     OK("PUT " ADMIN "set-bucket-quota?bucket=photos"), OK("PUT /photos?policy="),
	     OK(PUT_TAGS));
	script_create(&script, &all);
	script_ended(&script, COSI_OK, "");
	assert_string_equal(script.sent[1].body, MAKING);
	assert_string_equal(script.sent[3].body,
			    "{\"quota\":1048576,\"size\":1048576,\"quotatype\":\"hard\"}");
	assert_string_equal(script.sent[5].body, FINISHED);
	script_done(&script);
}

static void
test_create__object_lock(void **state)
{
	struct cosi_bucket_params lock = { .set = COSI_P_OBJECT_LOCK, .object_lock = true };
	struct script script;

	(void)state;
	script_init(&script);
	PLAY(&script, OK(PUT_BUCKET), OK(PUT_TAGS));
	script_create(&script, &lock);
	script_ended(&script, COSI_OK, "");
	assert_string_equal(script_sent(&script, 0, "x-amz-bucket-object-lock-enabled"), "true");
	PLAY(&script, FAILS(PUT_BUCKET, 403, "AccessDenied"));
	script_create(&script, &lock);
	script_ended(&script, COSI_DENIED, "s3:PutBucketObjectLockConfiguration");
	lock.set |= COSI_P_VERSIONING; /* = false */
	script_play(&script, NULL, 0);
	script_create(&script, &lock);
	script_ended(&script, COSI_INVALID, "objectLock needs versioning");
	script_done(&script);
}

static void
test_create__exists(void **state)
{
	struct script script;

	(void)state;
	script_init(&script);
	PLAY(&script, THERE, SAYS(GET_TAGS, FINISHED));
	script_create(&script, &plain);
	script_ended(&script, COSI_OK, "");
	PLAY(&script, THERE, SAYS(GET_TAGS, TAGS(OURS TAG("cosi-params", "1:other"))));
	script_create(&script, &plain);
	script_ended(&script, COSI_EXISTS, "created with other parameters");
	PLAY(&script, THERE,
	     SAYS(GET_TAGS, TAGS(TAG("cosi-driver", "b.example.org") TAG("cosi-name", "my photos")
					 TAG("cosi-params", PARAMS))));
	script_create(&script, &plain);
	script_ended(&script, COSI_EXISTS, "another owner");
	PLAY(&script, THERE, FAILS(GET_TAGS, 403, "AccessDenied"));
	script_create(&script, &plain);
	script_ended(&script, COSI_DENIED, "lacks the right 's3:GetBucketTagging'");
	script_done(&script);
}

/* ---- unfinished buckets ---- */

/* Another daemon may be at it for as long as its call and this one's last. */
static void
test_resume__waits_for_another_daemon(void **state)
{
	struct script script;

	(void)state;
	script_init(&script);
	PLAY(&script, THERE, SAYS(GET_TAGS, MAKING), CREATED(TOO_SOON));
	script_create(&script, &versioned);
	script_ended(&script, COSI_BUSY, "for another 2 s");
	PLAY(&script, THERE, SAYS(GET_TAGS, MAKING), CREATED(SETTLED),
	     OK("PUT /photos?versioning="), OK(PUT_TAGS));
	script_create(&script, &versioned);
	script_ended(&script, COSI_OK, "");
	assert_string_equal(script.sent[4].body, FINISHED);
	PLAY(&script, THERE, SAYS(GET_TAGS, MAKING), CREATED("never"));
	script_create(&script, &versioned);
	script_ended(&script, COSI_BUSY, "does not say what time it is");
	script_done(&script);
}

static void
test_resume__of_ones_own_at_once(void **state)
{
	struct script script;

	(void)state;
	script_init(&script);
	PLAY(&script, OK(PUT_BUCKET), OK(PUT_TAGS), { .expect = "PUT /photos?versioning=" });
	script_create(&script, &versioned);
	script_ended(&script, COSI_UNAVAILABLE, "cannot enable versioning");
	PLAY(&script, THERE, SAYS(GET_TAGS, MAKING), OK("PUT /photos?versioning="), OK(PUT_TAGS));
	script_create(&script, &versioned);
	script_ended(&script, COSI_OK, "");
	/* Finished, it is not this daemon's any more. */
	PLAY(&script, THERE, SAYS(GET_TAGS, MAKING), CREATED(TOO_SOON));
	script_create(&script, &versioned);
	script_ended(&script, COSI_BUSY, "unfinished");
	script_done(&script);
}

/* It may be finished, and in use: a late request can set its tags back. */
static void
test_resume__with_other_parameters(void **state)
{
	struct script script;

	(void)state;
	script_init(&script);
	PLAY(&script, THERE, SAYS(GET_TAGS, OTHER));
	script_create(&script, &plain);
	script_ended(&script, COSI_EXISTS, "begun with other parameters: delete it first");
	script_done(&script);
}

static void
test_adopt__by_its_age(void **state)
{
	struct script script;

	(void)state;
	script_init(&script);
	PLAY(&script, THERE, NO_TAGS, CREATED(TOO_SOON), AS_NEW);
	script_create(&script, &plain);
	script_ended(&script, COSI_BUSY, "unfinished");
	PLAY(&script, THERE, NO_TAGS, CREATED(SETTLED), AS_NEW, OK(PUT_TAGS));
	script_create(&script, &plain);
	script_ended(&script, COSI_OK, "");
	PLAY(&script, THERE, NO_TAGS, CREATED("Sat, 21 Nov 2026 12:00:00 GMT"), AS_NEW,
	     OK(PUT_TAGS));
	script_create(&script, &plain);
	script_ended(&script, COSI_OK, "");
	PLAY(&script, THERE, NO_TAGS, CREATED("Sat, 21 Nov 2026 12:00:01 GMT"), AS_NEW);
	script_create(&script, &plain);
	script_ended(&script, COSI_EXISTS, "older than adopt_window");
	script_done(&script);
}

/* A call that is cut off leaves a bucket without tags, which its maker goes on with. */
static void
test_adopt__ones_own_at_once(void **state)
{
	struct script script;

	(void)state;
	script_init(&script);
	PLAY(&script, OK(PUT_BUCKET), { .expect = PUT_TAGS });
	script_create(&script, &plain);
	script_ended(&script, COSI_UNAVAILABLE, "cannot create bucket 'photos'");
	PLAY(&script, THERE, NO_TAGS, CREATED(TOO_SOON), AS_NEW, OK(PUT_TAGS));
	script_create(&script, &plain);
	script_ended(&script, COSI_OK, "");
	script_done(&script);
}

/* However little time its caller gave: no other daemon is creating it. */
static void
test_adopt__ones_own_of_a_short_call(void **state)
{
	struct script script;

	(void)state;
	script_init(&script);
	script.host.time_left_ms = -1;
	PLAY(&script, OK(PUT_BUCKET), { .expect = PUT_TAGS });
	script_create(&script, &plain);
	script.host.time_left_ms = 0;
	PLAY(&script, THERE, NO_TAGS, CREATED(TOO_SOON), AS_NEW, OK(PUT_TAGS));
	script_create(&script, &plain);
	script_ended(&script, COSI_OK, "");
	script_done(&script);
}

/* A short call waits as long as others: another daemon's call may be a long one. */
static void
test_adopt__in_a_short_call(void **state)
{
	struct script script;

	(void)state;
	script_init(&script);
	PLAY(&script, THERE, SAYS(GET_TAGS, FINISHED));
	script_create(&script, &plain);
	script.host.time_left_ms = 1;
	PLAY(&script, THERE, NO_TAGS, CREATED(TOO_SOON), AS_NEW);
	script_create(&script, &plain);
	script_ended(&script, COSI_BUSY, "for another 2 s");
	script_done(&script);
}

/* What a server leaves that is killed while it makes a bucket: without object lock, too. */
static void
test_adopt__without_a_date(void **state)
{
	const struct cosi_bucket_params lock = { .set = COSI_P_OBJECT_LOCK, .object_lock = true };
	struct script script;
	struct minio *minio;

	(void)state;
	script_init(&script);
	minio = script.instance;
	PLAY(&script, THERE, NO_TAGS, UNDATED, AS_NEW);
	script_create(&script, &lock);
	script_ended(&script, COSI_BUSY, "for another 121 s");
	assert_int_not_equal(minio_times_get(&minio->undated, "photos"), 0);
	PLAY(&script, THERE, NO_TAGS, UNDATED, AS_NEW);
	script_create(&script, &lock);
	script_ended(&script, COSI_BUSY, "unfinished");
	minio_times_set(&minio->undated, "photos",
			minio_times_get(&minio->undated, "photos") - 120000);
	PLAY(&script, THERE, NO_TAGS, UNDATED, AS_NEW, { .expect = DELETE, .status = 204 },
	     OK(PUT_BUCKET), OK(PUT_TAGS));
	script_create(&script, &lock);
	script_ended(&script, COSI_OK, "");
	assert_string_equal(script.sent[16].body, FINISHED);
	assert_int_equal(minio_times_get(&minio->undated, "photos"), 0);
	script_done(&script);
}

static void
test_adopt__not_what_was_touched(void **state)
{
	static const char item[] = "<ListVersionsResult><Version><Key>k</Key><VersionId>null"
				   "</VersionId></Version></ListVersionsResult>";
	struct script script;

	(void)state;
	script_init(&script);
	PLAY(&script, THERE, NO_TAGS, CREATED(SETTLED), SAYS(VERSIONS, item), NO_TAGS);
	script_create(&script, &plain);
	script_ended(&script, COSI_EXISTS, "the bucket has no tags and is not newly created");
	PLAY(&script, THERE, NO_TAGS, CREATED(SETTLED), SAYS(VERSIONS, NOTHING),
	     SAYS(UPLOADS, NOTHING), SAYS("GET /photos?policy=", "{\"Statement\":[]}"), NO_TAGS);
	script_create(&script, &plain);
	script_ended(&script, COSI_EXISTS, "the bucket has no tags and is not newly created");
	/* Another daemon has given it tags between the two looks. */
	PLAY(&script, THERE, NO_TAGS, CREATED(SETTLED), SAYS(VERSIONS, item),
	     SAYS(GET_TAGS, FINISHED));
	script_create(&script, &plain);
	script_ended(&script, COSI_OK, "");
	script_done(&script);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_create__tags_in_one_request),
		cmocka_unit_test(test_create__settings_between_the_tags),
		cmocka_unit_test(test_create__object_lock),
		cmocka_unit_test(test_create__exists),
		cmocka_unit_test(test_resume__waits_for_another_daemon),
		cmocka_unit_test(test_resume__of_ones_own_at_once),
		cmocka_unit_test(test_resume__with_other_parameters),
		cmocka_unit_test(test_adopt__by_its_age),
		cmocka_unit_test(test_adopt__ones_own_at_once),
		cmocka_unit_test(test_adopt__ones_own_of_a_short_call),
		cmocka_unit_test(test_adopt__in_a_short_call),
		cmocka_unit_test(test_adopt__without_a_date),
		cmocka_unit_test(test_adopt__not_what_was_touched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
