/* SPDX-License-Identifier: Apache-2.0
 * test_access.c - grant and revoke: the record, the keys, and who may change what. */
#include <string.h>

#include "rig.h"

#include "banned.h"

/* printf 'id\none.example.org\ncosi-app' | openssl dgst -sha256 -mac HMAC -macopt key:$RIG_KEY
 * -binary | base32 | cut -c1-20, and the same with 'secret' and 40. */
#define APP_ID     "HOOSDYAFCNP6SBL625H7"
#define APP_SECRET "POUXTUVFVNXWKKN6UYEFICA4N6YSPWDQ2FLVFX5N"
#define RECORD     ".cosid/accounts/cosi-app.json"

static const struct cosi_mark other_owner = { "two.example.org", "cosi-app", PARAMS_A };
static const struct cosi_mark other_name = { RIG_OWNER, "application", PARAMS_A };
static const struct cosi_mark other_params = { RIG_OWNER, "cosi-app", PARAMS_B };

static int
setup(void **state)
{
	struct rig *rig;

	rig_setup(state);
	rig = *state;
	rig_mkdir(rig, "photos");
	rig_mkdir(rig, "films");
	rig_mkdir(rig, "songs");
	return 0;
}

static void
test_grant__keys_are_derived(void **state)
{
	static struct rig_access access;

	assert_int_equal(rig_grant(*state, "cosi-app", "films:2 photos:1", NULL, &access), COSI_OK);
	assert_string_equal(access.answer.key_id, APP_ID);
	assert_string_equal(access.answer.key_secret, APP_SECRET);
	assert_int_equal(access.buckets[1].protocols, COSI_S3);
	assert_string_equal(access.buckets[1].region, "us-east-1");
}

static void
test_grant__record_holds_all_but_the_secret(void **state)
{
	assert_int_equal(rig_grant(*state, "cosi-app", "films:2 photos:1 songs:3", NULL, NULL),
			 COSI_OK);
	assert_string_equal(rig_read(*state, RECORD), "{\n"
						      "  \"accessKeyId\": \"" APP_ID "\",\n"
						      "  \"buckets\": [\n"
						      "    {\n"
						      "      \"mode\": \"readOnly\",\n"
						      "      \"name\": \"films\"\n"
						      "    },\n"
						      "    {\n"
						      "      \"mode\": \"readWrite\",\n"
						      "      \"name\": \"photos\"\n"
						      "    },\n"
						      "    {\n"
						      "      \"mode\": \"writeOnly\",\n"
						      "      \"name\": \"songs\"\n"
						      "    }\n"
						      "  ],\n"
						      "  \"created\": 1700000000,\n"
						      "  \"name\": \"cosi-app\",\n"
						      "  \"owner\": \"" RIG_OWNER "\",\n"
						      "  \"params\": \"" PARAMS_A "\",\n"
						      "  \"version\": 1\n"
						      "}");
}

static void
test_grant__again_gives_the_same_keys(void **state)
{
	static struct rig_access access;
	const char *before;

	assert_int_equal(rig_grant(*state, "cosi-app", "photos:1", NULL, NULL), COSI_OK);
	before = rig_listing(*state);
	assert_int_equal(rig_grant(*state, "cosi-app", "photos:1", NULL, &access), COSI_OK);
	assert_string_equal(access.answer.key_id, APP_ID);
	assert_string_equal(access.answer.key_secret, APP_SECRET);
	assert_string_equal(rig_listing(*state), before);
}

static void
test_grant__other_account_or_owner_has_other_keys(void **state)
{
	static struct rig_access access;

	assert_int_equal(rig_grant(*state, "cosi-b", "photos:1", NULL, &access), COSI_OK);
	assert_string_not_equal(access.answer.key_id, APP_ID);
	assert_string_not_equal(access.answer.key_secret, APP_SECRET);
	assert_int_equal(rig_grant(*state, "cosi-app", "photos:1", &other_owner, &access), COSI_OK);
	assert_string_not_equal(access.answer.key_id, APP_ID);
	assert_string_not_equal(access.answer.key_secret, APP_SECRET);
}

static void
test_grant__same_account_otherwise_is_refused(void **state)
{
	const char *before;

	assert_int_equal(rig_grant(*state, "cosi-app", "films:2 photos:1", NULL, NULL), COSI_OK);
	before = rig_listing(*state);
	assert_int_equal(rig_grant(*state, "cosi-app", "films:2 photos:2", NULL, NULL),
			 COSI_EXISTS);
	assert_int_equal(rig_grant(*state, "cosi-app", "photos:1", NULL, NULL), COSI_EXISTS);
	assert_int_equal(rig_grant(*state, "cosi-app", "films:2 photos:1 songs:1", NULL, NULL),
			 COSI_EXISTS);
	assert_int_equal(rig_grant(*state, "cosi-app", "films:2 photos:1", &other_params, NULL),
			 COSI_EXISTS);
	assert_string_equal(rig_listing(*state), before);
}

static void
test_grant__account_of_others_is_refused(void **state)
{
	const char *before;

	assert_int_equal(rig_grant(*state, "cosi-app", "photos:1", NULL, NULL), COSI_OK);
	before = rig_listing(*state);
	assert_int_equal(rig_grant(*state, "cosi-app", "photos:1", &other_owner, NULL),
			 COSI_PRECONDITION);
	assert_int_equal(rig_grant(*state, "cosi-app", "photos:1", &other_name, NULL),
			 COSI_PRECONDITION);
	assert_string_equal(rig_listing(*state), before);
}

static void
test_grant__changed_credential_key_is_refused(void **state)
{
	struct rig *rig = *state;

	assert_int_equal(rig_grant(rig, "cosi-app", "photos:1", NULL, NULL), COSI_OK);
	rig_close(rig);
	rig->config.credential_key = "another key of the same sufficient length";
	assert_int_equal(rig_open(rig), 0);
	assert_int_equal(rig_grant(rig, "cosi-app", "photos:1", NULL, NULL), COSI_PRECONDITION);
	assert_string_equal(
		rig->status.text,
		"cannot grant 'cosi-app': the account was created with another credential_key");
}

static void
test_grant__absent_bucket_leaves_no_account(void **state)
{
	struct rig *rig = *state;

	assert_int_equal(rig_grant(rig, "cosi-app", "books:1 photos:1", NULL, NULL),
			 COSI_NOT_FOUND);
	assert_string_equal(rig->status.text, "bucket 'books' does not exist");
	assert_false(rig_exists(rig, RECORD));
	rig_write(rig, "books", "a file");
	assert_int_equal(rig_grant(rig, "cosi-app", "books:1", NULL, NULL), COSI_NOT_FOUND);
	assert_int_equal(rig_grant(rig, "cosi-app", "..:1", NULL, NULL), COSI_INVALID);
	assert_false(rig_exists(rig, RECORD));
}

static void
test_revoke__all(void **state)
{
	assert_int_equal(rig_grant(*state, "cosi-app", "films:2 photos:1", NULL, NULL), COSI_OK);
	assert_int_equal(rig_revoke(*state, "cosi-app", ""), COSI_OK);
	assert_false(rig_exists(*state, RECORD));
	assert_int_equal(rig_revoke(*state, "cosi-app", ""), COSI_OK);
	assert_true(rig_exists(*state, "photos"));
}

static void
test_revoke__some_then_the_rest(void **state)
{
	struct rig *rig = *state;

	assert_int_equal(rig_grant(rig, "cosi-app", "films:2 photos:1 songs:1", NULL, NULL),
			 COSI_OK);
	assert_int_equal(rig_revoke(rig, "cosi-app", "films songs"), COSI_OK);
	assert_null(strstr(rig_read(rig, RECORD), "films"));
	assert_null(strstr(rig_read(rig, RECORD), "songs"));
	assert_non_null(strstr(rig_read(rig, RECORD), "photos"));
	assert_int_equal(rig_revoke(rig, "cosi-app", "films"), COSI_OK);
	assert_true(rig_exists(rig, RECORD));
	assert_int_equal(rig_revoke(rig, "cosi-app", "photos"), COSI_OK);
	assert_false(rig_exists(rig, RECORD));
}

static void
test_revoke__bucket_that_is_gone(void **state)
{
	assert_int_equal(rig_create(*state, "books", NULL, NULL), COSI_OK);
	assert_int_equal(rig_grant(*state, "cosi-app", "books:1", NULL, NULL), COSI_OK);
	assert_int_equal(rig_delete(*state, "books", false), COSI_OK);
	assert_int_equal(rig_grant(*state, "cosi-app", "books:1", NULL, NULL), COSI_NOT_FOUND);
	assert_int_equal(rig_revoke(*state, "cosi-app", "books"), COSI_OK);
	assert_false(rig_exists(*state, RECORD));
}

static void
test_revoke__of_others_is_refused(void **state)
{
	const char *before;

	assert_int_equal(rig_grant(*state, "cosi-app", "photos:1", NULL, NULL), COSI_OK);
	before = rig_listing(*state);
	assert_int_equal(rig_revoke_of(*state, "cosi-app", "two.example.org"), COSI_PRECONDITION);
	assert_string_equal(rig_listing(*state), before);
	assert_int_equal(rig_revoke(*state, "../cosi-app", ""), COSI_INVALID);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST_AFTER(setup, test_grant__keys_are_derived),
		TEST_AFTER(setup, test_grant__record_holds_all_but_the_secret),
		TEST_AFTER(setup, test_grant__again_gives_the_same_keys),
		TEST_AFTER(setup, test_grant__other_account_or_owner_has_other_keys),
		TEST_AFTER(setup, test_grant__same_account_otherwise_is_refused),
		TEST_AFTER(setup, test_grant__account_of_others_is_refused),
		TEST_AFTER(setup, test_grant__changed_credential_key_is_refused),
		TEST_AFTER(setup, test_grant__absent_bucket_leaves_no_account),
		TEST_AFTER(setup, test_revoke__all),
		TEST_AFTER(setup, test_revoke__some_then_the_rest),
		TEST_AFTER(setup, test_revoke__bucket_that_is_gone),
		TEST_AFTER(setup, test_revoke__of_others_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
