/* SPDX-License-Identifier: Apache-2.0
 * test_access.c - grant and revoke on a real RADOS Gateway, and what the keys can do. */
#include "rgw.h"

#include <stdio.h>

#include "banned.h"

#define LIST(...)                                                                                  \
	(const char *const[])                                                                      \
	{                                                                                          \
		__VA_ARGS__, NULL                                                                  \
	}

static struct s3_client
client_of(const struct rgw_granted *granted)
{
	return (struct s3_client){ "default", granted->key_id, granted->key_secret, NULL };
}

/* Statuses of: put object, get object, list, delete object. */
static void
expect_can(struct rgw_test *t, const struct s3_client *client, const char *bucket,
	   const int statuses[4])
{
	char object[128], path[128];

	(void)snprintf(object, sizeof object, "/%s/object", bucket);
	(void)snprintf(path, sizeof path, "/%s", bucket);
	assert_int_equal(ask(t, .method = "PUT", .path = object, .body = "x"), 200);
	assert_int_equal(ask(t, .client = client, .method = "PUT", .path = object, .body = "x"),
			 statuses[0]);
	assert_int_equal(ask(t, .client = client, .method = "GET", .path = object), statuses[1]);
	assert_int_equal(ask(t, .client = client, .method = "GET", .path = path), statuses[2]);
	assert_int_equal(ask(t, .client = client, .method = "DELETE", .path = object), statuses[3]);
	/* No mode allows more than access to the objects. */
	assert_int_equal(ask(t, .client = client, .method = "PUT", .path = path,
			     .query = "versioning", .body = "<VersioningConfiguration/>"),
			 403);
	assert_int_equal(ask(t, .client = client, .method = "GET", .path = path, .query = "policy"),
			 403);
	assert_int_equal(ask(t, .client = client, .method = "DELETE", .path = path), 403);
	assert_int_equal(ask(t, .client = client, .method = "PUT", .path = "/one-of-its-own"), 403);
}

static void
test_grant__modes(void **state)
{
	static const struct {
		const char *bucket;
		int statuses[4];
	} modes[] = {
		{ "modes:rw", { 200, 200, 200, 204 } },
		{ "modes:ro", { 403, 200, 200, 403 } },
		{ "modes:wo", { 200, 403, 403, 403 } },
	};
	struct rgw_test *t = *state;
	struct rgw_granted key = { "", "" };

	assert_ok(t, rgw_create(t, "modes", RGW_PARAMS_A, NULL));
	assert_ok(t, rgw_create(t, "modes-other", RGW_PARAMS_A, NULL));
	for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
		struct s3_client client = client_of(&key);

		assert_ok(t, rgw_grant(t, "cosi-modes", LIST(modes[i].bucket), &key));
		assert_int_equal(t->host.nrequests, 4);
		expect_can(t, &client, "modes", modes[i].statuses);
		expect_can(t, &client, "modes-other", (const int[4]){ 403, 403, 403, 403 });
		assert_ok(t, rgw_revoke(t, "cosi-modes", NULL));
		assert_int_equal(t->host.nrequests, 4);
		assert_int_equal(ask(t, .client = &client, .method = "GET", .path = "/modes"), 403);
	}
	assert_ok(t, rgw_revoke(t, "cosi-modes", NULL));
	assert_int_equal(t->host.nrequests, 3);
	assert_ok(t, rgw_delete(t, "modes", true));
	assert_ok(t, rgw_delete(t, "modes-other", true));
}

/* Writes an object and says which version that made. */
static void
put_version(struct rgw_test *t, const struct s3_client *client, const char *path, char out[64])
{
	const struct cosi_http_reply *reply;

	host_reset(&t->direct);
	reply = s3_call(&t->direct.call, client != NULL ? client : &t->admin, .method = "PUT",
			.path = path, .body = bytes("x"));
	assert_non_null(reply);
	assert_int_equal(reply->status, 200);
	for (size_t i = 0; i < reply->nheaders; i++)
		if (strcmp(reply->headers[i].key, "x-amz-version-id") == 0)
			(void)snprintf(out, 64, "%s", reply->headers[i].value);
	assert_string_not_equal(out, "");
}

static int
version(struct rgw_test *t, const struct s3_client *client, const char *method, const char *path,
	const char *id)
{
	return ask(t, .client = client, .method = method, .path = path, .query = "versionId",
		   .query_value = id);
}

/* What the account did not write, and what it wrote itself. */
static void
test_grant__versions(void **state)
{
	const struct cosi_bucket_params versioned = { .set = COSI_P_VERSIONING,
						      .versioning = true };
	static const char *const modes[] = { "versions:rw", "versions:ro", "versions:wo" };
	struct rgw_test *t = *state;
	struct rgw_granted key = { "", "" };
	const struct s3_client client = client_of(&key);
	char theirs[64], own[64] = "";

	assert_ok(t, rgw_create(t, "versions", RGW_PARAMS_A, &versioned));
	put_version(t, NULL, "/versions/theirs", theirs);
	for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
		assert_ok(t, rgw_grant(t, "cosi-versions", LIST(modes[i]), &key));
		if (i == 0)
			put_version(t, &client, "/versions/own", own);
		assert_int_equal(version(t, &client, "GET", "/versions/theirs", theirs), 403);
		assert_int_equal(version(t, &client, "DELETE", "/versions/theirs", theirs), 403);
		assert_int_equal(version(t, &client, "DELETE", "/versions/own", own), 403);
		assert_int_equal(ask(t, .client = &client, .method = "GET", .path = "/versions",
				     .query = "versions"),
				 403);
		assert_ok(t, rgw_revoke(t, "cosi-versions", NULL));
	}
	assert_ok(t, rgw_delete(t, "versions", true));
}

static void
test_grant__repeated(void **state)
{
	struct rgw_test *t = *state;
	struct rgw_granted first = { "", "" }, again;

	assert_ok(t, rgw_create(t, "repeated", RGW_PARAMS_A, NULL));
	assert_ok(t, rgw_grant(t, "cosi-repeated", LIST("repeated:rw"), &first));
	assert_ok(t, rgw_grant(t, "cosi-repeated", LIST("repeated:rw"), &again));
	assert_int_equal(t->host.nrequests, 4);
	assert_string_equal(first.key_id, again.key_id);
	assert_string_equal(first.key_secret, again.key_secret);
	/* After a restart nothing is remembered: the user is put first, the policy looked for. */
	rgw_reopen(t, NULL);
	assert_ok(t, rgw_grant(t, "cosi-repeated", LIST("repeated:rw"), &again));
	assert_int_equal(t->host.nrequests, 6);
	assert_string_equal(first.key_secret, again.key_secret);
	assert_int_equal(rgw_grant(t, "cosi-repeated", LIST("repeated:ro"), &again), COSI_EXISTS);
	assert_ok(t, rgw_revoke(t, "cosi-repeated", NULL));
	assert_ok(t, rgw_delete(t, "repeated", false));
}

static void
test_grant__derived_keys(void **state)
{
	struct rgw_test *t = *state;
	struct rgw_granted first = { "", "" }, again;
	struct s3_client client = client_of(&first);

	rgw_reopen(t, "a-credential-key-of-thirty-two-bytes");
	assert_ok(t, rgw_create(t, "derived", RGW_PARAMS_A, NULL));
	assert_ok(t, rgw_grant(t, "cosi-derived", LIST("derived:rw"), &first));
	assert_int_equal(t->host.nrequests, 3);
	assert_int_equal(strlen(first.key_id), 20);
	assert_int_equal(ask(t, .client = &client, .method = "GET", .path = "/derived"), 200);
	assert_ok(t, rgw_grant(t, "cosi-derived", LIST("derived:rw"), &again));
	assert_int_equal(t->host.nrequests, 4);
	assert_string_equal(first.key_secret, again.key_secret);
	/* What the gateway holds is what works, whatever credential_key says by now. */
	rgw_reopen(t, "another-credential-key-of-the-same-sort");
	assert_ok(t, rgw_grant(t, "cosi-derived", LIST("derived:rw"), &again));
	assert_int_equal(t->host.nrequests, 6);
	assert_string_equal(first.key_secret, again.key_secret);
	assert_ok(t, rgw_revoke(t, "cosi-derived", NULL));
	rgw_reopen(t, NULL);
	assert_ok(t, rgw_delete(t, "derived", false));
}

static void
test_grant__several_buckets(void **state)
{
	struct rgw_test *t = *state;
	struct rgw_granted key = { "", "" };
	struct s3_client client = client_of(&key);

	assert_ok(t, rgw_create(t, "several-1", RGW_PARAMS_A, NULL));
	assert_ok(t, rgw_create(t, "several-2", RGW_PARAMS_A, NULL));
	assert_ok(t, rgw_create(t, "several-3", RGW_PARAMS_A, NULL));
	assert_ok(t, rgw_grant(t, "cosi-several",
			       LIST("several-1:ro", "several-2:rw", "several-3:wo"), &key));
	assert_int_equal(t->host.nrequests, 6);
	expect_can(t, &client, "several-1", (const int[4]){ 403, 200, 200, 403 });
	expect_can(t, &client, "several-2", (const int[4]){ 200, 200, 200, 204 });
	expect_can(t, &client, "several-3", (const int[4]){ 200, 403, 403, 403 });

	assert_ok(t, rgw_revoke(t, "cosi-several", LIST("several-2", "never-granted")));
	expect_can(t, &client, "several-1", (const int[4]){ 403, 200, 200, 403 });
	expect_can(t, &client, "several-2", (const int[4]){ 403, 403, 403, 403 });
	assert_ok(t, rgw_revoke(t, "cosi-several", LIST("several-1", "several-3")));
	assert_int_equal(t->host.nrequests, 5);
	assert_int_equal(ask(t, .method = "GET", .path = "/admin/user", .query = "uid",
			     .query_value = "cosi-several"),
			 404);
	assert_ok(t, rgw_delete(t, "several-1", true));
	assert_ok(t, rgw_delete(t, "several-2", true));
	assert_ok(t, rgw_delete(t, "several-3", true));
}

static void
test_grant__absent_bucket_leaves_no_account(void **state)
{
	struct rgw_test *t = *state;
	struct rgw_granted key = { "", "" };

	assert_ok(t, rgw_create(t, "present", RGW_PARAMS_A, NULL));
	assert_int_equal(rgw_grant(t, "cosi-absent", LIST("absent:rw", "present:rw"), &key),
			 COSI_NOT_FOUND);
	assert_int_equal(rgw_grant(t, "cosi-absent", LIST("admin:rw"), &key), COSI_NOT_FOUND);
	assert_int_equal(rgw_grant(t, "cosi-absent", LIST("present/object:rw"), &key),
			 COSI_NOT_FOUND);
	assert_int_equal(ask(t, .method = "GET", .path = "/admin/user", .query = "uid",
			     .query_value = "cosi-absent"),
			 404);
	assert_ok(t, rgw_delete(t, "present", false));
}

/* A user made by hand with a name like an account's is neither changed nor deleted. */
static void
test_foreign_users__are_not_touched(void **state)
{
	static const struct cosi_kv query[] = { { "uid", "cosi-by-hand" },
						{ "display-name", "By Hand" } };
	struct rgw_test *t = *state;
	struct rgw_granted key = { "", "" };
	const char *answer;
	char before[2048];

	assert_ok(t, rgw_create(t, "foreign-users", RGW_PARAMS_A, NULL));
	host_reset(&t->direct);
	assert_int_equal(s3_call(&t->direct.call, &t->admin, .method = "PUT", .path = "/admin/user",
				 .query = query, .nquery = 2)
				 ->status,
			 200);
	assert_int_equal(ask_body(t, &answer, .method = "GET", .path = "/admin/user",
				  .query = "uid", .query_value = "cosi-by-hand"),
			 200);
	(void)snprintf(before, sizeof before, "%s", answer);
	assert_int_equal(rgw_grant(t, "cosi-by-hand", LIST("foreign-users:rw"), &key),
			 COSI_PRECONDITION);
	assert_int_equal(rgw_revoke(t, "cosi-by-hand", NULL), COSI_PRECONDITION);
	assert_int_equal(rgw_revoke(t, "cosi-by-hand", LIST("foreign-users")), COSI_PRECONDITION);
	assert_int_equal(ask_body(t, &answer, .method = "GET", .path = "/admin/user",
				  .query = "uid", .query_value = "cosi-by-hand"),
			 200);
	assert_string_equal(before, answer);
	/* The one that the module works as, and one that cannot be an account at all. */
	assert_int_equal(rgw_revoke(t, "cosid", NULL), COSI_PRECONDITION);
	assert_int_equal(rgw_revoke(t, "cosi-", NULL), COSI_PRECONDITION);
	assert_int_equal(t->host.nrequests, 0);
	assert_int_equal(rgw_grant(t, "cosi-Upper", LIST("foreign-users:rw"), &key), COSI_INVALID);
	assert_ok(t, rgw_delete(t, "foreign-users", false));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_grant__modes),
		cmocka_unit_test(test_grant__versions),
		cmocka_unit_test(test_grant__repeated),
		cmocka_unit_test(test_grant__derived_keys),
		cmocka_unit_test(test_grant__several_buckets),
		cmocka_unit_test(test_grant__absent_bucket_leaves_no_account),
		cmocka_unit_test(test_foreign_users__are_not_touched),
	};

	return cmocka_run_group_tests(tests, rgw_setup, rgw_teardown);
}
