/* SPDX-License-Identifier: Apache-2.0
 * test_odd.c - changes by others at the gateway, missing rights of the module's user, and wrong
 * clocks and keys. */
#include "rgw.h"

#include <stdio.h>
#include <time.h>

#include "banned.h"

#define LIST(...) ((const char *const[]){ __VA_ARGS__, NULL })

static const struct s3_client bob = { "default", "BOBSBOBSBOBSBOBSBOBS", "bob-secret-of-the-tests",
				      NULL };

static int
admin_call(struct rgw_test *t, const char *method, const struct cosi_kv *query, size_t nquery)
{
	const struct cosi_http_reply *reply;

	host_reset(&t->direct);
	reply = s3_call(&t->direct.call, &t->admin, .method = method, .path = "/admin/user",
			.query = query, .nquery = nquery);
	assert_non_null(reply);
	return reply->status;
}
#define admin(t, method, ...)                                                                      \
	admin_call((t), (method), (const struct cosi_kv[]){ __VA_ARGS__ },                         \
		   sizeof((const struct cosi_kv[]){ __VA_ARGS__ }) / sizeof(struct cosi_kv))

/* Brownfield: a policy of the account opens a bucket that another user owns. */
static void
test_bucket_of_another_user(void **state)
{
	struct rgw_test *t = *state;
	struct rgw_granted key = { "", "" };
	const struct s3_client client = { "default", key.key_id, key.key_secret, NULL };
	struct cosi_bucket out;

	rgw_make_user(t, "bob", bob.access_key, bob.secret_key, "");
	assert_int_equal(ask(t, .client = &bob, .method = "PUT", .path = "/bobs"), 200);
	assert_int_equal(
		ask(t, .client = &bob, .method = "PUT", .path = "/bobs/object", .body = "x"), 200);
	assert_ok(t, rgw_get(t, "bobs", &out));
	assert_false(out.ours);
	assert_int_equal(rgw_create(t, "bobs", RGW_PARAMS_A, NULL), COSI_EXISTS);
	assert_int_equal(rgw_delete(t, "bobs", true), COSI_PRECONDITION);
	assert_ok(t, rgw_grant(t, "cosi-brown", LIST("bobs:ro"), &key));
	assert_int_equal(ask(t, .client = &client, .method = "GET", .path = "/bobs/object"), 200);
	assert_int_equal(ask(t, .client = &client, .method = "PUT", .path = "/bobs/object"), 403);
	assert_ok(t, rgw_revoke(t, "cosi-brown", NULL));
	assert_int_equal(ask(t, .client = &client, .method = "GET", .path = "/bobs/object"), 403);
	assert_int_equal(ask(t, .client = &bob, .method = "GET", .path = "/bobs/object"), 200);
}

static void
test_account__suspended_by_somebody(void **state)
{
	struct rgw_test *t = *state;
	struct rgw_granted key = { "", "" };

	assert_ok(t, rgw_create(t, "odd-bucket", RGW_PARAMS_A, NULL));
	assert_ok(t, rgw_grant(t, "cosi-suspended", LIST("odd-bucket:rw"), &key));
	assert_int_equal(admin(t, "POST", { "uid", "cosi-suspended" }, { "suspended", "true" }),
			 200);
	assert_int_equal(rgw_grant(t, "cosi-suspended", LIST("odd-bucket:rw"), &key),
			 COSI_PRECONDITION);
	assert_ok(t, rgw_revoke(t, "cosi-suspended", NULL));
}

/* Adding a key makes the gateway forget the policy; the repeat brings it back, and answers a key
 * that works. */
static void
test_account__keys_changed_by_somebody(void **state)
{
	struct rgw_test *t = *state;
	struct rgw_granted first = { "", "" }, again = { "", "" };
	const struct s3_client client = { "default", again.key_id, again.key_secret, NULL };

	assert_ok(t, rgw_grant(t, "cosi-keys", LIST("odd-bucket:rw"), &first));
	assert_int_equal(admin(t, "PUT", { "key", "" }, { "uid", "cosi-keys" },
			       { "access-key", "0SECONDKEYSECONDKEY0" },
			       { "secret-key", "second-secret-of-the-tests" }),
			 200);
	rgw_reopen(t, NULL);
	assert_ok(t, rgw_grant(t, "cosi-keys", LIST("odd-bucket:rw"), &again));
	assert_int_equal(ask(t, .client = &client, .method = "GET", .path = "/odd-bucket"), 200);

	assert_int_equal(
		admin(t, "DELETE", { "key", "" }, { "access-key", "0SECONDKEYSECONDKEY0" }), 200);
	assert_int_equal(admin(t, "DELETE", { "key", "" }, { "access-key", first.key_id }), 200);
	assert_ok(t, rgw_grant(t, "cosi-keys", LIST("odd-bucket:rw"), &again));
	assert_string_not_equal(again.key_secret, first.key_secret);
	assert_int_equal(ask(t, .client = &client, .method = "GET", .path = "/odd-bucket"), 200);
	assert_ok(t, rgw_revoke(t, "cosi-keys", NULL));
}

static void
test_account__derived_key_lost(void **state)
{
	struct rgw_test *t = *state;
	struct rgw_granted first = { "", "" }, again = { "", "" };

	rgw_reopen(t, "a-credential-key-of-thirty-two-bytes");
	assert_ok(t, rgw_grant(t, "cosi-lost", LIST("odd-bucket:rw"), &first));
	assert_int_equal(admin(t, "DELETE", { "key", "" }, { "access-key", first.key_id }), 200);
	assert_ok(t, rgw_grant(t, "cosi-lost", LIST("odd-bucket:rw"), &again));
	assert_string_equal(first.key_id, again.key_id);
	assert_string_equal(first.key_secret, again.key_secret);
	assert_ok(t, rgw_revoke(t, "cosi-lost", NULL));
	rgw_reopen(t, NULL);
}

/* Another user has the derived access key: no user is made, none is changed. */
static void
test_account__derived_key_taken(void **state)
{
	struct rgw_test *t = *state;
	struct rgw_granted key = { "", "" };

	rgw_reopen(t, "a-credential-key-of-thirty-two-bytes");
	assert_ok(t, rgw_grant(t, "cosi-taken", LIST("odd-bucket:rw"), &key));
	assert_ok(t, rgw_revoke(t, "cosi-taken", NULL));
	rgw_make_user(t, "thief", key.key_id, "thief-secret-of-the-tests", "");
	assert_int_equal(rgw_grant(t, "cosi-taken", LIST("odd-bucket:rw"), &key),
			 COSI_PRECONDITION);
	assert_int_equal(admin(t, "GET", { "uid", "cosi-taken" }), 404);
	rgw_reopen(t, NULL);
}

static void
test_revoke__account_that_owns_a_bucket(void **state)
{
	struct rgw_test *t = *state;
	struct rgw_granted key = { "", "" };
	const struct s3_client client = { "default", key.key_id, key.key_secret, NULL };

	assert_ok(t, rgw_grant(t, "cosi-owner", LIST("odd-bucket:rw"), &key));
	assert_int_equal(admin(t, "POST", { "uid", "cosi-owner" }, { "max-buckets", "5" }), 200);
	assert_int_equal(ask(t, .client = &client, .method = "PUT", .path = "/its-own"), 200);
	assert_int_equal(rgw_revoke(t, "cosi-owner", NULL), COSI_PRECONDITION);
	assert_non_null(strstr(t->host.text, "owns buckets"));
	assert_int_equal(ask(t, .client = &client, .method = "DELETE", .path = "/its-own"), 204);
	assert_ok(t, rgw_revoke(t, "cosi-owner", NULL));
}

/* The module's own user is never deleted, although its name and tags are those of an account. */
static void
test_revoke__the_user_that_we_work_as(void **state)
{
	struct rgw_test *t = *state;

	rgw_make_user(t, "cosi-self", "SELFSELFSELFSELFSELF", "self-secret-of-the-tests",
		      "users=*;user-policy=*");
	assert_int_equal(admin(t, "POST", { "uid", "cosi-self" },
			       { "display-name", "cosid:" RGW_OWNER ":self" }),
			 200);
	rgw_reopen_as(t, "SELFSELFSELFSELFSELF", "self-secret-of-the-tests");
	assert_int_equal(rgw_revoke(t, "cosi-self", NULL), COSI_PRECONDITION);
	assert_int_equal(admin(t, "GET", { "uid", "cosi-self" }), 200);
	rgw_reopen(t, NULL);
	assert_ok(t, rgw_revoke(t, "cosi-self", NULL));
}

static void
test_caps__each_one_missing(void **state)
{
	static const struct {
		const char *caps, *lacks;
	} cases[] = {
		{ "user-policy=*", "users=read" },
		{ "users=read;user-policy=*", "users=write" },
		{ "users=*", "user-policy=read" },
		{ "users=*;user-policy=read", "user-policy=write" },
		{ "users=read, write;user-policy=read, write", NULL },
	};
	struct rgw_test *t = *state;
	char uid[32], access[32];

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		(void)snprintf(uid, sizeof uid, "caps-%zu", i);
		(void)snprintf(access, sizeof access, "CAPSCAPSCAPSCAPSCAP%zu", i);
		rgw_make_user(t, uid, access, "caps-secret-of-the-tests", cases[i].caps);
		rgw_reopen_as(t, access, "caps-secret-of-the-tests");
		if (cases[i].lacks == NULL) {
			assert_ok(t, rgw_probe(t));
			continue;
		}
		assert_int_equal(rgw_probe(t), COSI_DENIED);
		assert_non_null(strstr(t->host.text, cases[i].lacks));
	}
	rgw_reopen(t, NULL);
}

/* The documented minimum does everything but quotas, and says what a quota would need. */
static void
test_caps__minimum_is_enough(void **state)
{
	const struct cosi_bucket_params quota = { .set = COSI_P_QUOTA_SIZE, .quota_size = 1048576 };
	struct rgw_test *t = *state;
	struct rgw_granted key = { "", "" };

	rgw_make_user(t, "minimum", "MINIMUMMINIMUMMINIMU", "minimum-secret-of-the-tests",
		      "users=read, write;user-policy=read, write");
	rgw_reopen_as(t, "MINIMUMMINIMUMMINIMU", "minimum-secret-of-the-tests");
	assert_ok(t, rgw_create(t, "minimum", RGW_PARAMS_A, NULL));
	assert_ok(t, rgw_grant(t, "cosi-minimum", LIST("minimum:rw"), &key));
	assert_ok(t, rgw_grant(t, "cosi-minimum", LIST("minimum:rw"), &key));
	assert_ok(t, rgw_revoke(t, "cosi-minimum", NULL));
	assert_ok(t, rgw_delete(t, "minimum", true));
	assert_int_equal(rgw_create(t, "minimum-quota", RGW_PARAMS_A, &quota), COSI_DENIED);
	assert_non_null(strstr(t->host.text, "buckets=write"));
	assert_ok(t, rgw_delete(t, "minimum-quota", false));
	rgw_reopen(t, NULL);
}

static void
expect_all(struct rgw_test *t, uint32_t code)
{
	struct rgw_granted key = { "", "" };
	struct cosi_bucket out;

	assert_int_equal(rgw_create(t, "nothing", RGW_PARAMS_A, NULL), code);
	assert_int_equal(rgw_get(t, "nothing", &out), code);
	assert_int_equal(rgw_delete(t, "nothing", false), code);
	assert_int_equal(rgw_grant(t, "cosi-nothing", LIST("nothing:rw"), &key), code);
	assert_int_equal(rgw_revoke(t, "cosi-nothing", NULL), code);
	assert_int_equal(rgw_probe(t), code);
}

static void
test_keys_and_clocks__wrong(void **state)
{
	struct rgw_test *t = *state;

	rgw_reopen_as(t, t->admin.access_key, "not-the-secret-of-this-user");
	expect_all(t, COSI_UNAUTHENTICATED);
	rgw_reopen_as(t, "NOSUCHKEYNOSUCHKEYNO", "not-the-secret-of-this-user");
	expect_all(t, COSI_UNAUTHENTICATED);
	rgw_reopen(t, NULL);
	t->host.now = (int64_t)time(NULL) + 3600;
	expect_all(t, COSI_UNAVAILABLE);
	assert_non_null(strstr(t->host.text, "the clocks differ: here it is "));
	assert_non_null(strstr(t->host.text, ", at the store "));
	t->host.now = 0;
}

static const struct cosi_http_reply *
say(struct host *host, const struct cosi_http *request)
{
	(void)request;
	return host_reply(host, 200, host->arg);
}

static void
test_answers__that_are_none(void **state)
{
	static char html[] = "<html><body>Welcome to nginx!</body></html>", json[] = "{\"a\":[",
		    xml[] = "<Tagging><TagSet><Tag><Key>", other[] = "{}", nothing[] = "";
	char *const answers[] = { html, json, xml, other, nothing };
	struct rgw_test *t = *state;
	struct rgw_granted key = { "", "" };
	struct cosi_bucket out;

	t->host.script = say;
	for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
		t->host.arg = answers[i];
		assert_int_equal(rgw_create(t, "nothing", RGW_PARAMS_A, NULL), COSI_UNAVAILABLE);
		assert_int_equal(rgw_get(t, "nothing", &out), COSI_UNAVAILABLE);
		assert_int_equal(rgw_delete(t, "nothing", true), COSI_UNAVAILABLE);
		assert_int_equal(rgw_grant(t, "cosi-nothing", LIST("nothing:rw"), &key),
				 COSI_UNAVAILABLE);
		assert_int_equal(rgw_revoke(t, "cosi-nothing", NULL), COSI_UNAVAILABLE);
		assert_int_equal(rgw_probe(t), COSI_UNAVAILABLE);
	}
	t->host.script = NULL;
}

static char listed[512];

static int
on_found(struct cosi_call *call, const struct cosi_found *found)
{
	size_t len = strlen(listed);

	(void)call;
	/* Accounts of the programs that run beside this one. */
	if (found->kind == COSI_ACCOUNT && strcmp(found->native, "cosi-listed") != 0 &&
	    strcmp(found->native, "cosi-look-alike") != 0)
		return 0;
	assert_string_equal(found->mark.owner, RGW_OWNER);
	if (found->kind == COSI_BUCKET)
		assert_true(found->created > (int64_t)time(NULL) - 3600);
	(void)snprintf(listed + len, sizeof listed - len, "%u %s %s %s\n", found->kind,
		       found->native, found->mark.name, found->mark.params);
	return strcmp(found->native, "stop-here") == 0;
}

static void
test_list__ours_alone(void **state)
{
	struct rgw_test *t = *state;
	struct rgw_granted key = { "", "" };

	rgw_make_user(t, "listing", "LISTINGLISTINGLISTIN", "listing-secret-of-the-tests",
		      "users=*;user-policy=*");
	rgw_make_user(t, "cosi-look-alike", "LOOKALIKELOOKALIKELO",
		      "look-alike-secret-of-the-tests", "");
	rgw_reopen_as(t, "LISTINGLISTINGLISTIN", "listing-secret-of-the-tests");
	assert_ok(t, rgw_create(t, "listed-1", RGW_PARAMS_A, NULL));
	assert_ok(t, rgw_create(t, "listed-2", RGW_PARAMS_B, NULL));
	assert_ok(t, rgw_grant(t, "cosi-listed", LIST("listed-1:rw"), &key));
	host_reset(&t->host);
	listed[0] = '\0';
	assert_int_equal(t->module->list(t->instance, &t->host.call, RGW_OWNER, on_found), 0);
	assert_string_equal(listed, "1 listed-1 listed-1 " RGW_PARAMS_A "\n"
				    "1 listed-2 listed-2 " RGW_PARAMS_B "\n"
				    "2 cosi-listed listed (null)\n");
	assert_ok(t, rgw_revoke(t, "cosi-listed", NULL));
	assert_ok(t, rgw_create(t, "stop-here", RGW_PARAMS_A, NULL));
	assert_ok(t, rgw_delete(t, "listed-1", false));
	assert_ok(t, rgw_delete(t, "listed-2", false));
	assert_ok(t, rgw_create(t, "then-this", RGW_PARAMS_A, NULL));
	host_reset(&t->host);
	listed[0] = '\0';
	assert_int_equal(t->module->list(t->instance, &t->host.call, RGW_OWNER, on_found), 0);
	assert_string_equal(listed, "1 stop-here stop-here " RGW_PARAMS_A "\n");
	assert_ok(t, rgw_delete(t, "stop-here", false));
	assert_ok(t, rgw_delete(t, "then-this", false));
	rgw_reopen(t, NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bucket_of_another_user),
		cmocka_unit_test(test_account__suspended_by_somebody),
		cmocka_unit_test(test_account__keys_changed_by_somebody),
		cmocka_unit_test(test_account__derived_key_lost),
		cmocka_unit_test(test_account__derived_key_taken),
		cmocka_unit_test(test_revoke__account_that_owns_a_bucket),
		cmocka_unit_test(test_revoke__the_user_that_we_work_as),
		cmocka_unit_test(test_caps__each_one_missing),
		cmocka_unit_test(test_caps__minimum_is_enough),
		cmocka_unit_test(test_list__ours_alone),
		cmocka_unit_test(test_keys_and_clocks__wrong),
		cmocka_unit_test(test_answers__that_are_none),
	};

	return cmocka_run_group_tests(tests, rgw_setup, rgw_teardown);
}
