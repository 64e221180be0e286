/* SPDX-License-Identifier: Apache-2.0
 * test_converge.c - cut off at every request of every operation, and tried again: before the
 * request went out, and after the gateway acted on it and before anybody heard of it. */
#include "rgw.h"

#include <stdio.h>

#include "banned.h"

#define LIST(...) ((const char *const[]){ __VA_ARGS__, NULL })

static const struct cosi_bucket_params everything = {
	.set = COSI_P_VERSIONING | COSI_P_QUOTA_SIZE | COSI_P_QUOTA_OBJECTS | COSI_P_ANONYMOUS,
	.versioning = true,
	.quota_size = 1048576,
	.quota_objects = 100,
	.anonymous = COSI_ANON_READ,
};

struct operation {
	const char *name;
	const struct cosi_bucket_params *params;
	const char *credential_key;
	const char *const *buckets;
	uint32_t (*prepare)(struct rgw_test *, const struct operation *);
	uint32_t (*run)(struct rgw_test *, const struct operation *);
	void (*check)(struct rgw_test *, const struct operation *);
};

static uint32_t
create(struct rgw_test *t, const struct operation *op)
{
	return rgw_create(t, "sweep", RGW_PARAMS_A, op->params);
}

static void
check_created(struct rgw_test *t, const struct operation *op)
{
	struct cosi_bucket out;
	const char *body;

	assert_ok(t, rgw_get(t, "sweep", &out));
	assert_true(out.ours && !out.unfinished);
	assert_ok(t, rgw_create(t, "sweep", RGW_PARAMS_A, op->params));
	assert_int_equal(t->host.nrequests, 1);
	if (op->params != NULL) {
		assert_int_equal(ask_body(t, &body, .method = "GET", .path = "/sweep",
					  .query = "versioning"),
				 200);
		assert_non_null(strstr(body, "<Status>Enabled</Status>"));
		assert_int_equal(
			ask(t, .unsigned_request = true, .method = "GET", .path = "/sweep"), 200);
		assert_int_equal(ask_body(t, &body, .method = "GET", .path = "/admin/bucket",
					  .query = "bucket", .query_value = "sweep"),
				 200);
		assert_non_null(strstr(body, "\"enabled\":true"));
		assert_non_null(strstr(body, "\"max_size\":1048576"));
		assert_non_null(strstr(body, "\"max_objects\":100"));
	}
	assert_ok(t, rgw_delete(t, "sweep", false));
}

static uint32_t delete (struct rgw_test *t, const struct operation *op)
{
	(void)op;
	return rgw_delete(t, "sweep", true);
}

static uint32_t
create_with_objects(struct rgw_test *t, const struct operation *op)
{
	uint32_t code = create(t, op);

	assert_int_equal(ask(t, .method = "PUT", .path = "/sweep/object", .body = "x"), 200);
	return code;
}

static void
check_deleted(struct rgw_test *t, const struct operation *op)
{
	(void)op;
	assert_int_equal(ask(t, .method = "GET", .path = "/sweep"), 404);
}

static struct rgw_granted granted;

static uint32_t
prepare_grant(struct rgw_test *t, const struct operation *op)
{
	(void)op;
	assert_ok(t, rgw_create(t, "sweep-2", RGW_PARAMS_A, NULL));
	return create(t, &(struct operation){ .params = NULL });
}

static uint32_t
grant(struct rgw_test *t, const struct operation *op)
{
	(void)op;
	return rgw_grant(t, "cosi-sweep", LIST("sweep:rw", "sweep-2:ro"), &granted);
}

static void
clean_buckets(struct rgw_test *t)
{
	assert_ok(t, rgw_delete(t, "sweep", true));
	assert_ok(t, rgw_delete(t, "sweep-2", true));
}

static void
check_granted(struct rgw_test *t, const struct operation *op)
{
	const struct s3_client client = { "default", granted.key_id, granted.key_secret, NULL };
	const char *first;
	char key[128];

	assert_int_equal(ask(t, .client = &client, .method = "PUT", .path = "/sweep/o"), 200);
	assert_int_equal(ask(t, .client = &client, .method = "GET", .path = "/sweep-2"), 200);
	assert_int_equal(ask(t, .client = &client, .method = "PUT", .path = "/sweep-2/o"), 403);
	/* One key, and the same at the next repeat. */
	(void)snprintf(key, sizeof key, "%s", granted.key_secret);
	assert_ok(t, grant(t, op));
	assert_string_equal(key, granted.key_secret);
	assert_int_equal(ask_body(t, &first, .method = "GET", .path = "/admin/user", .query = "uid",
				  .query_value = "cosi-sweep"),
			 200);
	first = strstr(first, "\"access_key\"");
	assert_non_null(first);
	assert_null(strstr(first + 1, "\"access_key\""));
	assert_ok(t, rgw_revoke(t, "cosi-sweep", NULL));
	clean_buckets(t);
}

static uint32_t
prepare_revoke(struct rgw_test *t, const struct operation *op)
{
	assert_ok(t, prepare_grant(t, op));
	return grant(t, op);
}

static uint32_t
revoke(struct rgw_test *t, const struct operation *op)
{
	return rgw_revoke(t, "cosi-sweep", op->buckets);
}

static void
check_revoked(struct rgw_test *t, const struct operation *op)
{
	const struct s3_client client = { "default", granted.key_id, granted.key_secret, NULL };

	(void)op;
	assert_int_equal(ask(t, .client = &client, .method = "GET", .path = "/sweep"), 403);
	assert_int_equal(ask(t, .client = &client, .method = "GET", .path = "/sweep-2"), 403);
	assert_int_equal(ask(t, .method = "GET", .path = "/admin/user", .query = "uid",
			     .query_value = "cosi-sweep"),
			 404);
	clean_buckets(t);
}

/* One bucket of two: the other stays open. */
static void
check_taken_out(struct rgw_test *t, const struct operation *op)
{
	const struct s3_client client = { "default", granted.key_id, granted.key_secret, NULL };

	(void)op;
	assert_int_equal(ask(t, .client = &client, .method = "GET", .path = "/sweep"), 403);
	assert_int_equal(ask(t, .client = &client, .method = "GET", .path = "/sweep-2"), 200);
	assert_ok(t, rgw_revoke(t, "cosi-sweep", NULL));
	clean_buckets(t);
}

/* Returns whether the operation came as far as its n-th request. */
static bool
cut_and_retry(struct rgw_test *t, const struct operation *op, unsigned n, bool after)
{
	uint32_t code;
	bool cut;

	rgw_reopen(t, op->credential_key);
	if (op->prepare != NULL)
		assert_ok(t, op->prepare(t, op));
	rgw_reopen(t, op->credential_key);
	t->host.kill_before = after ? 0 : n;
	t->host.kill_after = after ? n : 0;
	code = op->run(t, op);
	t->host.kill_before = t->host.kill_after = 0;
	cut = code != COSI_OK;
	if (cut) {
		assert_int_equal(code, COSI_TIMEOUT);
		rgw_reopen(t, op->credential_key);
		code = op->run(t, op);
		if (code != COSI_OK)
			fail_msg("%s, cut %s request %u: %s", op->name, after ? "after" : "before",
				 n, t->host.text);
	}
	op->check(t, op);
	return cut;
}

/* nrequests: how many the uncut operation takes, so that the sweep is known to have reached the
 * end. */
static void
sweep(struct rgw_test *t, const struct operation *op, unsigned nrequests)
{
	unsigned n = 1;

	for (; cut_and_retry(t, op, n, false); n++)
		assert_true(cut_and_retry(t, op, n, true));
	assert_int_equal(n - 1, nrequests);
}

static void
test_create__plain(void **state)
{
	const struct operation op = { .name = "create", .run = create, .check = check_created };

	sweep(*state, &op, 3);
}

/* Look, bucket, unfinished marks, versioning, own uid, quota, policy, marks. */
static void
test_create__with_settings(void **state)
{
	const struct operation op = { .name = "create with settings",
				      .params = &everything,
				      .run = create,
				      .check = check_created };

	sweep(*state, &op, 8);
}

/* Look, delete, list, delete objects, list, delete. */
static void
test_delete__purge(void **state)
{
	const struct operation op = { .name = "purge",
				      .prepare = create_with_objects,
				      .run = delete,
				      .check = check_deleted };

	sweep(*state, &op, 6);
}

static void
test_grant__keys_of_the_gateway(void **state)
{
	const struct operation op = {
		.name = "grant", .prepare = prepare_grant, .run = grant, .check = check_granted
	};

	sweep(*state, &op, 5);
}

static void
test_grant__derived_keys(void **state)
{
	const struct operation op = { .name = "grant, derived",
				      .credential_key = "a-credential-key-of-thirty-two-bytes",
				      .prepare = prepare_grant,
				      .run = grant,
				      .check = check_granted };

	sweep(*state, &op, 4);
}

static void
test_revoke__account(void **state)
{
	const struct operation op = {
		.name = "revoke", .prepare = prepare_revoke, .run = revoke, .check = check_revoked
	};

	sweep(*state, &op, 4);
}

static void
test_revoke__all_buckets_named(void **state)
{
	const struct operation op = { .name = "revoke, all named",
				      .buckets = LIST("sweep", "sweep-2"),
				      .prepare = prepare_revoke,
				      .run = revoke,
				      .check = check_revoked };

	sweep(*state, &op, 6);
}

static void
test_revoke__one_of_two(void **state)
{
	const struct operation op = { .name = "revoke, one of two",
				      .buckets = LIST("sweep"),
				      .prepare = prepare_revoke,
				      .run = revoke,
				      .check = check_taken_out };

	sweep(*state, &op, 4);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_create__plain),
		cmocka_unit_test(test_create__with_settings),
		cmocka_unit_test(test_delete__purge),
		cmocka_unit_test(test_grant__keys_of_the_gateway),
		cmocka_unit_test(test_grant__derived_keys),
		cmocka_unit_test(test_revoke__account),
		cmocka_unit_test(test_revoke__all_buckets_named),
		cmocka_unit_test(test_revoke__one_of_two),
	};

	return cmocka_run_group_tests(tests, rgw_setup, rgw_teardown);
}
