/* SPDX-License-Identifier: Apache-2.0
 * test_settings.c - what the bucket parameters do, seen by clients of a real RADOS Gateway. */
#include "rgw.h"

#include <stdio.h>

#include "banned.h"

#define LIST(...) ((const char *const[]){ __VA_ARGS__, NULL })

static const struct cosi_bucket_params locked = { .set = COSI_P_OBJECT_LOCK, .object_lock = true };

static void
test_region__names_of_the_gateway(void **state)
{
	static const char *const good[] = { "default", ":default-placement",
					    "default:default-placement" };
	static const char *const bad[] = { "us-east-1", ":nowhere", "a<b&c" };
	struct rgw_test *t = *state;
	struct cosi_bucket_params params = { .set = COSI_P_REGION };

	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		params.region = good[i];
		assert_ok(t, rgw_create(t, "region", RGW_PARAMS_A, &params));
		assert_int_equal(t->host.nrequests, 3);
		assert_ok(t, rgw_delete(t, "region", false));
	}
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		params.region = bad[i];
		assert_int_equal(rgw_create(t, "region", RGW_PARAMS_A, &params), COSI_OUT_OF_RANGE);
	}
	assert_int_equal(ask(t, .method = "GET", .path = "/region"), 404);
}

static void
test_object_lock__on_from_the_start(void **state)
{
	struct rgw_test *t = *state;
	const struct cosi_bucket_params contradiction = {
		.set = COSI_P_OBJECT_LOCK | COSI_P_VERSIONING, .object_lock = true
	};
	const char *body;

	assert_ok(t, rgw_create(t, "locked", RGW_PARAMS_A, &locked));
	assert_int_equal(t->host.nrequests, 3);
	assert_int_equal(
		ask_body(t, &body, .method = "GET", .path = "/locked", .query = "object-lock"),
		200);
	assert_non_null(strstr(body, "<ObjectLockEnabled>Enabled</ObjectLockEnabled>"));
	assert_ok(t, rgw_delete(t, "locked", false));
	assert_int_equal(rgw_create(t, "locked", RGW_PARAMS_A, &contradiction), COSI_INVALID);
}

/* A create that was given up half-way, and asked for again with other parameters: a late request
 * may have put these tags on a bucket that is in use, so the bucket stays until it is deleted. */
static void
test_create__begun_with_other_parameters(void **state)
{
	const struct cosi_bucket_params versioned = { .set = COSI_P_VERSIONING,
						      .versioning = true };
	struct rgw_test *t = *state;
	const char *body;

	t->host.kill_before = 5;
	assert_int_equal(rgw_create(t, "begun", RGW_PARAMS_A, &versioned), COSI_TIMEOUT);
	t->host.kill_before = 0;
	assert_int_equal(rgw_create(t, "begun", RGW_PARAMS_B, &locked), COSI_EXISTS);
	assert_ok(t, rgw_delete(t, "begun", false));
	assert_ok(t, rgw_create(t, "begun", RGW_PARAMS_B, &locked));
	assert_int_equal(
		ask_body(t, &body, .method = "GET", .path = "/begun", .query = "object-lock"), 200);
	assert_ok(t, rgw_delete(t, "begun", false));

	t->host.kill_before = 5;
	assert_int_equal(rgw_create(t, "begun", RGW_PARAMS_A, &versioned), COSI_TIMEOUT);
	t->host.kill_before = 0;
	assert_int_equal(ask(t, .method = "PUT", .path = "/begun/object", .body = "x"), 200);
	assert_int_equal(rgw_create(t, "begun", RGW_PARAMS_B, NULL), COSI_EXISTS);
	assert_ok(t, rgw_create(t, "begun", RGW_PARAMS_A, &versioned));
	assert_ok(t, rgw_delete(t, "begun", true));
}

static int
put_size(struct rgw_test *t, const char *path, const char *body)
{
	return ask(t, .method = "PUT", .path = path, .body = body);
}

static void
test_quota__objects_alone_and_size_alone(void **state)
{
	const struct cosi_bucket_params objects = { .set = COSI_P_QUOTA_OBJECTS,
						    .quota_objects = 2 };
	const struct cosi_bucket_params size = { .set = COSI_P_QUOTA_SIZE, .quota_size = 8192 };
	struct rgw_test *t = *state;
	char big[10001];

	memset(big, 'x', sizeof big - 1);
	big[sizeof big - 1] = '\0';
	assert_ok(t, rgw_create(t, "quota", RGW_PARAMS_A, &objects));
	assert_int_equal(put_size(t, "/quota/1", big), 200);
	assert_int_equal(put_size(t, "/quota/2", big), 200);
	assert_int_equal(put_size(t, "/quota/3", "x"), 403);
	assert_ok(t, rgw_delete(t, "quota", true));

	assert_ok(t, rgw_create(t, "quota", RGW_PARAMS_A, &size));
	assert_int_equal(put_size(t, "/quota/1", "x"), 200);
	assert_int_equal(put_size(t, "/quota/2", big), 403);
	assert_ok(t, rgw_delete(t, "quota", true));
}

/* Statuses for a client without a key: list, get, put, delete; and get of an object that another
 * such client wrote with a public ACL. */
static const struct {
	uint32_t anonymous;
	int list, get, put, delete, get_published;
} anonymous[] = {
	{ COSI_ANON_NONE, 403, 403, 403, 403, 403 },
	{ COSI_ANON_READ, 200, 200, 403, 403, 404 },
	{ COSI_ANON_WRITE, 403, 403, 200, 403, 403 },
	{ COSI_ANON_READ_WRITE, 200, 200, 200, 403, 200 },
};

static void
test_anonymous__exactly_that(void **state)
{
	const struct cosi_kv published = { "x-amz-acl", "public-read" };
	struct rgw_test *t = *state;

	for (size_t i = 0; i < sizeof anonymous / sizeof anonymous[0]; i++) {
		const struct cosi_bucket_params params = { .set = COSI_P_ANONYMOUS,
							   .anonymous = anonymous[i].anonymous };

		assert_ok(t, rgw_create(t, "anonymous", RGW_PARAMS_A, &params));
		assert_int_equal(put_size(t, "/anonymous/object", "x"), 200);
		assert_int_equal(
			ask(t, .unsigned_request = true, .method = "GET", .path = "/anonymous"),
			anonymous[i].list);
		assert_int_equal(ask(t, .unsigned_request = true, .method = "GET",
				     .path = "/anonymous/object"),
				 anonymous[i].get);
		assert_int_equal(ask(t, .unsigned_request = true, .method = "PUT",
				     .path = "/anonymous/mine", .body = "y"),
				 anonymous[i].put);
		assert_int_equal(ask(t, .unsigned_request = true, .method = "DELETE",
				     .path = "/anonymous/object"),
				 anonymous[i].delete);
		assert_int_equal(ask(t, .unsigned_request = true, .method = "PUT",
				     .path = "/anonymous/published", .body = "y",
				     .header = published),
				 anonymous[i].put);
		assert_int_equal(ask(t, .unsigned_request = true, .method = "GET",
				     .path = "/anonymous/published"),
				 anonymous[i].get_published);
		assert_int_equal(ask(t, .unsigned_request = true, .method = "GET",
				     .path = "/anonymous", .query = "policy"),
				 403);
		assert_int_equal(ask(t, .unsigned_request = true, .method = "PUT",
				     .path = "/anonymous", .query = "policy", .body = "{}"),
				 403);
		assert_int_equal(
			ask(t, .unsigned_request = true, .method = "DELETE", .path = "/anonymous"),
			403);
		assert_ok(t, rgw_delete(t, "anonymous", true));
	}
}

/* "private", said explicitly, also keeps a granted key from publishing what it writes. */
static void
test_anonymous__private_against_acls(void **state)
{
	const struct cosi_bucket_params params = { .set = COSI_P_ANONYMOUS };
	const struct cosi_kv published = { "x-amz-acl", "public-read" };
	struct rgw_test *t = *state;
	struct rgw_granted key = { "", "" };
	const struct s3_client client = { "default", key.key_id, key.key_secret, NULL };

	assert_ok(t, rgw_create(t, "private", RGW_PARAMS_A, &params));
	assert_ok(t, rgw_grant(t, "cosi-private", LIST("private:rw"), &key));
	assert_int_equal(ask(t, .client = &client, .method = "PUT", .path = "/private/object",
			     .body = "x", .header = published),
			 200);
	assert_int_equal(
		ask(t, .unsigned_request = true, .method = "GET", .path = "/private/object"), 403);
	assert_ok(t, rgw_revoke(t, "cosi-private", NULL));
	assert_ok(t, rgw_delete(t, "private", true));
}

/* Names that XML cannot say, that URLs change, and as long as S3 lets them be. */
static void
test_purge__every_sort_of_key(void **state)
{
	static const char *const keys[] = { "plain",       "a b+c%2f",   "\xc3\xbc/\xe2\x82\xac",
					    "line\nbreak", "tab\there",  "<&>\"'",
					    "control\x01", "bell\x07/x", "carriage\rreturn",
					    "dir/",        "trailing ",  "?query=1",
					    "#hash",       "..",         "a//b" };
	const struct cosi_bucket_params versioned = { .set = COSI_P_VERSIONING,
						      .versioning = true };
	struct rgw_test *t = *state;
	char path[1100];

	for (int round = 0; round < 2; round++) {
		assert_ok(t, rgw_create(t, "keys", RGW_PARAMS_A, round > 0 ? &versioned : NULL));
		for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
			(void)snprintf(path, sizeof path, "/keys/%s", keys[i]);
			assert_int_equal(put_size(t, path, "1"), 200);
			assert_int_equal(put_size(t, path, "2"), 200);
			if (round > 0 && i % 2 == 0)
				assert_int_equal(ask(t, .method = "DELETE", .path = path), 204);
		}
		memset(path, 'k', sizeof path);
		memcpy(path, "/keys/", 6);
		path[6 + 1024] = '\0';
		assert_int_equal(put_size(t, path, "x"), 200);
		assert_int_equal(
			ask(t, .method = "POST", .path = "/keys/unfinished", .query = "uploads"),
			200);
		assert_int_equal(rgw_delete(t, "keys", false), COSI_PRECONDITION);
		assert_ok(t, rgw_delete(t, "keys", true));
		assert_int_equal(ask(t, .method = "GET", .path = "/keys"), 404);
	}
}

static void
test_purge__object_lock_is_respected(void **state)
{
	static const char retention[] =
		"<Retention><Mode>COMPLIANCE</Mode>"
		"<RetainUntilDate>2199-01-01T00:00:00Z</RetainUntilDate></Retention>";
	struct rgw_test *t = *state;

	assert_ok(t, rgw_create(t, "retained", RGW_PARAMS_A, &locked));
	assert_int_equal(put_size(t, "/retained/kept", "x"), 200);
	assert_int_equal(ask(t, .method = "PUT", .path = "/retained/kept", .query = "retention",
			     .body = retention),
			 200);
	assert_int_equal(rgw_delete(t, "retained", true), COSI_PRECONDITION);
	assert_non_null(strstr(t->host.text, "object lock"));
	assert_int_equal(ask(t, .method = "GET", .path = "/retained/kept"), 200);
	assert_int_equal(rgw_delete(t, "retained", false), COSI_PRECONDITION);
}

static void
put_many(struct rgw_test *t, int n, int odd)
{
	char path[64];

	for (int i = 0; i < n; i++) {
		(void)snprintf(path, sizeof path, i == odd ? "/many/%03d\x01" : "/many/%03d", i);
		assert_int_equal(put_size(t, path, ""), 200);
	}
}

/* More than a page, whose last key XML cannot say, and a call whose time runs out on the way. */
static void
test_purge__goes_on_at_the_retry(void **state)
{
	struct rgw_test *t = *state;

	assert_ok(t, rgw_create(t, "many", RGW_PARAMS_A, NULL));
	put_many(t, 501, 499);
	t->host.kill_after = 5; /* look, delete, list, one object, multi-delete */
	assert_int_equal(rgw_delete(t, "many", true), COSI_TIMEOUT);
	t->host.kill_after = 0;
	assert_ok(t, rgw_delete(t, "many", true));
	assert_int_equal(t->host.nrequests, 6); /* one page was left */
}

/* However short its calls are, a caller that comes again gets there. */
static void
test_purge__little_time(void **state)
{
	struct rgw_test *t = *state;

	assert_ok(t, rgw_create(t, "many", RGW_PARAMS_A, NULL));
	put_many(t, 201, -1);
	t->host.time_left_ms = 999;
	assert_int_equal(rgw_delete(t, "many", true), COSI_BUSY);
	assert_non_null(strstr(t->host.text, ": 100 object versions are deleted"));
	t->host.time_left_ms = 1;
	assert_int_equal(rgw_delete(t, "many", true), COSI_BUSY);
	assert_non_null(strstr(t->host.text, ": 100 object versions are deleted"));
	assert_int_equal(rgw_delete(t, "many", true), COSI_BUSY);
	assert_non_null(strstr(t->host.text, ": 1 object versions are deleted"));
	assert_ok(t, rgw_delete(t, "many", true));
	assert_int_equal(t->host.nrequests, 2);

	assert_ok(t, rgw_create(t, "many", RGW_PARAMS_A, NULL));
	put_many(t, 201, -1);
	t->host.time_left_ms = 1000;
	assert_ok(t, rgw_delete(t, "many", true));
	t->host.time_left_ms = 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_region__names_of_the_gateway),
		cmocka_unit_test(test_object_lock__on_from_the_start),
		cmocka_unit_test(test_create__begun_with_other_parameters),
		cmocka_unit_test(test_quota__objects_alone_and_size_alone),
		cmocka_unit_test(test_anonymous__exactly_that),
		cmocka_unit_test(test_anonymous__private_against_acls),
		cmocka_unit_test(test_purge__every_sort_of_key),
		cmocka_unit_test(test_purge__object_lock_is_respected),
		cmocka_unit_test(test_purge__goes_on_at_the_retry),
		cmocka_unit_test(test_purge__little_time),
	};

	return cmocka_run_group_tests(tests, rgw_setup, rgw_teardown);
}
