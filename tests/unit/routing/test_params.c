/* SPDX-License-Identifier: Apache-2.0
 * test_params.c - who reads which parameter, what is refused, what counts in the hash. */
#include "routing/params.h"

#include "rig.h"

#include "banned.h"

enum { ALL = 0x7f };

struct own {
	const char *color;
	int64_t size;
};
static const struct cosi_key own_keys[] = {
	COSI_STRING(struct own, color, 0, "grey", "a colour"),
	COSI_SIZE(struct own, size, 0, NULL, "a size"),
};
struct own_access {
	const char *shape;
};
static const struct cosi_key access_keys[] = {
	COSI_STRING(struct own_access, shape, 0, NULL, "a shape"),
};

static struct cosi_module module = {
	.name = "shop",
	.bucket_params = COSI_SCHEMA(struct own, own_keys),
	.access_params = COSI_SCHEMA(struct own_access, access_keys),
};

static struct arena arena;
static struct status status;
static struct params params;

static int
setup(void **state)
{
	(void)state;
	arena_init(&arena, 1 << 20);
	status = (struct status){ 0 };
	module.common_params = ALL;
	return 0;
}

static int
teardown(void **state)
{
	(void)state;
	arena_done(&arena);
	return 0;
}

static int
read_n(enum request_op op, bool mode_is_param, const struct cosi_kv *kv, size_t n)
{
	const struct request req = {
		.op = op, .mode_is_param = mode_is_param, .nparams = n, .params = kv
	};

	status = (struct status){ 0 };
	return params_read(&params, &req, &module, &arena, &status);
}

#define KV(...) ((const struct cosi_kv[]){ __VA_ARGS__ })
#define READ(op, ...)                                                                              \
	read_n((op), true, KV(__VA_ARGS__), sizeof KV(__VA_ARGS__) / sizeof(struct cosi_kv))

static void
assert_refused(int rc, const char *part)
{
	assert_int_equal(rc, -1);
	assert_int_equal(status.code, COSI_INVALID);
	if (strstr(status.text, part) == NULL)
		fail_msg("no '%s' in '%s'", part, status.text);
}

static void
test_value__of_a_key(void **state)
{
	const struct cosi_kv kv[] = { { "a", "1" }, { "backend", "east" } };
	const struct request req = { .nparams = 2, .params = kv };

	(void)state;
	assert_string_equal(params_value(&req, "backend"), "east");
	assert_null(params_value(&req, "b"));
}

static void
test_common__all_words(void **state)
{
	const struct cosi_bucket_params *common;

	(void)state;
	assert_int_equal(READ(REQUEST_CREATE, { "region", "here" }, { "versioning", "true" },
			      { "objectLock", "true" }, { "quotaMaxSize", "10Gi" },
			      { "quotaMaxObjects", "7" }, { "anonymousAccess", "readOnly" },
			      { "whenNotEmpty", "purge" }),
			 0);
	common = params.common;
	assert_int_equal(common->set, ALL);
	assert_string_equal(common->region, "here");
	assert_true(common->versioning && common->object_lock && common->purge);
	assert_int_equal(common->quota_size, (int64_t)10 << 30);
	assert_int_equal(common->quota_objects, 7);
	assert_int_equal(common->anonymous, COSI_ANON_READ);
}

static void
test_common__absent(void **state)
{
	(void)state;
	assert_int_equal(read_n(REQUEST_CREATE, true, NULL, 0), 0);
	assert_int_equal(params.common->set, 0);
	assert_null(params.common->region);
	assert_false(params.common->purge);
	assert_string_equal(((const struct own *)params.own)->color, "grey");
	assert_int_equal(params.ngiven, 0);
}

static void
test_common__anonymous_words(void **state)
{
	static const struct {
		const char *word;
		uint32_t value;
	} words[] = {
		{ "private", COSI_ANON_NONE },
		{ "readOnly", COSI_ANON_READ },
		{ "writeOnly", COSI_ANON_WRITE },
		{ "readWrite", COSI_ANON_READ_WRITE },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(words); i++) {
		assert_int_equal(READ(REQUEST_CREATE, { "anonymousAccess", words[i].word }), 0);
		assert_int_equal(params.common->anonymous, words[i].value);
		assert_int_equal(params.common->set, COSI_P_ANONYMOUS);
	}
}

static void
test_common__bad_values(void **state)
{
	static const struct cosi_kv bad[] = {
		{ "versioning", "yes" },
		{ "objectLock", "1" },
		{ "quotaMaxSize", "much" },
		{ "quotaMaxSize", "0" },
		{ "quotaMaxObjects", "-1" },
		{ "quotaMaxObjects", "0" },
		{ "anonymousAccess", "all" },
		{ "whenNotEmpty", "Purge" },
		{ "region", "" },
		{ "size", "big" },
	};
	static const enum request_op ops[] = { REQUEST_CREATE, REQUEST_GET, REQUEST_DELETE };

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		for (size_t j = 0; j < COUNT(ops); j++)
			assert_refused(read_n(ops[j], true, &bad[i], 1), bad[i].key);
	}
}

static void
test_common__not_of_this_module(void **state)
{
	(void)state;
	module.common_params = ALL & ~COSI_P_QUOTA_SIZE;
	assert_refused(READ(REQUEST_CREATE, { "quotaMaxSize", "1Gi" }),
		       "module 'shop' does not support parameter 'quotaMaxSize'");
	assert_int_equal(READ(REQUEST_DELETE, { "quotaMaxSize", "1Gi" }), 0);
	assert_int_equal(params.common->set, 0);
}

static void
test_unknown__refused_or_ignored(void **state)
{
	(void)state;
	assert_refused(READ(REQUEST_CREATE, { "colour", "red" }),
		       "unknown bucket parameter 'colour'");
	assert_refused(READ(REQUEST_GET, { "colour", "red" }), "'colour'");
	assert_refused(READ(REQUEST_GRANT, { "color", "red" }), "unknown access parameter 'color'");
	assert_refused(READ(REQUEST_GRANT, { "backend", "east" }), "'backend'");
	assert_refused(READ(REQUEST_GRANT, { "region", "here" }), "'region'");
	assert_refused(READ(REQUEST_CREATE, { "Backend", "east" }), "'Backend'");
	assert_int_equal(READ(REQUEST_DELETE, { "colour", "red" }, { "color", "red" }), 0);
	assert_string_equal(((const struct own *)params.own)->color, "red");
	assert_int_equal(READ(REQUEST_REVOKE, { "colour", "red" }), 0);
}

static void
test_unknown__secrets_get_advice(void **state)
{
	static const char key[] = "cosi.io/provisioner-secret-name";

	(void)state;
	assert_refused(READ(REQUEST_CREATE, { key, "x" }), "give the class a 'backend'");
	assert_refused(READ(REQUEST_GRANT, { key, "x" }), "give the class a 'backend'");
	assert_int_equal(READ(REQUEST_DELETE, { key, "x" }), 0);
}

static void
test_access__mode(void **state)
{
	(void)state;
	assert_int_equal(read_n(REQUEST_GRANT, true, NULL, 0), 0);
	assert_int_equal(params.mode, COSI_READ_WRITE);
	assert_int_equal(READ(REQUEST_GRANT, { "accessMode", "readOnly" }), 0);
	assert_int_equal(params.mode, COSI_READ_ONLY);
	assert_int_equal(READ(REQUEST_GRANT, { "accessMode", "writeOnly" }), 0);
	assert_int_equal(params.mode, COSI_WRITE_ONLY);
	assert_refused(READ(REQUEST_GRANT, { "accessMode", "readonly" }), "'accessMode'");
	assert_refused(read_n(REQUEST_GRANT, false, KV({ "accessMode", "readOnly" }), 1),
		       "has a mode for each bucket");
	assert_refused(READ(REQUEST_CREATE, { "accessMode", "readOnly" }), "'accessMode'");
}

static void
test_given__canonical_and_sorted(void **state)
{
	(void)state;
	assert_int_equal(READ(REQUEST_CREATE, { "size", "2k" }, { "whenNotEmpty", "purge" },
			      { "quotaMaxSize", "10Gi" }, { "backend", "east" }, { "color", "red" },
			      { "quotaMaxObjects", "007" }),
			 0);
	assert_int_equal(params.ngiven, 4);
	assert_string_equal(params.given[0].key, "color");
	assert_string_equal(params.given[0].value, "red");
	assert_string_equal(params.given[1].key, "quotaMaxObjects");
	assert_string_equal(params.given[1].value, "7");
	assert_string_equal(params.given[2].key, "quotaMaxSize");
	assert_string_equal(params.given[2].value, "10737418240");
	assert_string_equal(params.given[3].key, "size");
	assert_string_equal(params.given[3].value, "2000");
	assert_int_equal(READ(REQUEST_GRANT, { "shape", "round" }, { "accessMode", "readOnly" }),
			 0);
	assert_int_equal(params.ngiven, 1);
	assert_string_equal(params.given[0].key, "shape");
}

/* What was made before the module required it can be looked at, and can go. */
static void
test_required__of_create_and_grant(void **state)
{
	static const struct cosi_key tier[] = {
		COSI_STRING(struct own, color, COSI_REQUIRED, NULL, "a colour"),
	};
	static const struct cosi_key lease[] = {
		COSI_STRING(struct own_access, shape, COSI_REQUIRED, NULL, "a shape"),
	};
	const struct cosi_module before = module;

	(void)state;
	module.bucket_params = (struct cosi_schema)COSI_SCHEMA(struct own, tier);
	module.access_params = (struct cosi_schema)COSI_SCHEMA(struct own_access, lease);
	assert_refused(read_n(REQUEST_CREATE, true, NULL, 0), "parameter 'color' is required");
	assert_refused(read_n(REQUEST_GRANT, true, NULL, 0), "parameter 'shape' is required");
	assert_int_equal(READ(REQUEST_CREATE, { "color", "red" }), 0);
	assert_int_equal(READ(REQUEST_GRANT, { "shape", "round" }), 0);
	assert_int_equal(read_n(REQUEST_REVOKE, true, NULL, 0), 0);
	assert_int_equal(read_n(REQUEST_GET, true, NULL, 0), 0);
	assert_int_equal(read_n(REQUEST_DELETE, true, NULL, 0), 0);
	assert_null(((const struct own *)params.own)->color);
	module = before;
}

static void
test_memory__too_little(void **state)
{
	struct arena small;

	(void)state;
	for (size_t cap = 0; cap < 256; cap += 16) {
		const struct request req = { .op = REQUEST_CREATE,
					     .nparams = 1,
					     .params = KV({ "color", "red" }) };

		arena_init(&small, cap);
		status = (struct status){ 0 };
		if (params_read(&params, &req, &module, &small, &status) < 0)
			assert_false(status_ok(&status));
		arena_done(&small);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_value__of_a_key, setup, teardown),
		cmocka_unit_test_setup_teardown(test_common__all_words, setup, teardown),
		cmocka_unit_test_setup_teardown(test_common__absent, setup, teardown),
		cmocka_unit_test_setup_teardown(test_common__anonymous_words, setup, teardown),
		cmocka_unit_test_setup_teardown(test_common__bad_values, setup, teardown),
		cmocka_unit_test_setup_teardown(test_common__not_of_this_module, setup, teardown),
		cmocka_unit_test_setup_teardown(test_unknown__refused_or_ignored, setup, teardown),
		cmocka_unit_test_setup_teardown(test_unknown__secrets_get_advice, setup, teardown),
		cmocka_unit_test_setup_teardown(test_access__mode, setup, teardown),
		cmocka_unit_test_setup_teardown(test_given__canonical_and_sorted, setup, teardown),
		cmocka_unit_test_setup_teardown(test_required__of_create_and_grant, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_memory__too_little, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
