/* SPDX-License-Identifier: Apache-2.0
 * test_limits.c - fields at their limit and one past it (clauses 24, 79), and their forms. */
#include "rig.h"

#include "cosi_v1alpha1.pb-c.h"

#include "banned.h"

static void
test_string__limit(void **state)
{
	struct status status = { 0 };

	(void)state;
	assert_int_equal(limits_string("f", rig_long(128, 'x'), 128, true, &status), 0);
	assert_int_equal(limits_string("f", rig_long(129, 'x'), 128, true, &status), -1);
	assert_int_equal(status.code, COSI_INVALID);
	assert_string_equal(status.text, "field 'f' is 129 bytes long, at most 128 are allowed");
}

/* clauses 9, 29: a missing required field is named. */
static void
test_string__required(void **state)
{
	struct status status = { 0 };

	(void)state;
	assert_int_equal(limits_string("f", "", 128, false, &status), 0);
	assert_int_equal(limits_string("f", NULL, 128, false, &status), 0);
	assert_int_equal(limits_string("f", "", 128, true, &status), -1);
	assert_string_equal(status.text, "field 'f' is required");
	status = (struct status){ 0 };
	assert_int_equal(limits_string("f", NULL, 128, true, &status), -1);
	assert_int_equal(status.code, COSI_INVALID);
}

static void
test_id__form(void **state)
{
	static const char *const bad[] = { "", "a/b", "a_b", "a b", "a\xc3\xa9", "a:b", "a\n" };
	struct status status = { 0 };

	(void)state;
	assert_int_equal(limits_id("f", "Rgw-1.photos.2026", &status), 0);
	assert_int_equal(limits_id("f", rig_long(2048, 'x'), &status), 0);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		status = (struct status){ 0 };
		assert_int_equal(limits_id("f", bad[i], &status), -1);
		assert_int_equal(status.code, COSI_INVALID);
	}
	assert_int_equal(limits_id("f", rig_long(2049, 'x'), &status), -1);
}

/* clause 66: an RFC 1123 subdomain of at most 253 characters. */
static void
test_dns_name__form(void **state)
{
	static const char *const good[] = { "a", "0", "bc-1f", "a.b", "a-b.c-d", "bucket-0a.x" };
	static const char *const bad[] = { "",     "A",   "-a",   "a-",   ".a",  "a.",
					   "a..b", "a_b", "a.-b", "a-.b", "a b", "\xc3\xa9" };
	struct status status = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
		assert_int_equal(limits_dns_name("f", good[i], &status), 0);
	assert_int_equal(limits_dns_name("f", rig_long(253, 'x'), &status), 0);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		status = (struct status){ 0 };
		if (limits_dns_name("f", bad[i], &status) != -1)
			fail_msg("'%s' was taken", bad[i]);
		assert_int_equal(status.code, COSI_INVALID);
	}
	assert_int_equal(limits_dns_name("f", rig_long(254, 'x'), &status), -1);
}

static void
test_answer__internal(void **state)
{
	struct status status = { 0 };
	const char *value = rig_long(128, 'x');
	char *out = NULL;

	(void)state;
	assert_int_equal(api_string("f", value, 128, true, &out, &status), 0);
	assert_ptr_equal(out, value);
	assert_int_equal(api_string("f", rig_long(129, 'x'), 128, true, &out, &status), -1);
	assert_int_equal(status.code, COSI_INTERNAL);
	status = (struct status){ 0 };
	assert_int_equal(api_string("f", NULL, 128, false, &out, &status), 0);
	assert_string_equal(out, "");
	assert_int_equal(api_string("f", NULL, 128, true, &out, &status), -1);
	assert_int_equal(status.code, COSI_INTERNAL);
	assert_string_equal(status.text, "cannot encode the answer: field 'f' is required");
}

/* n entries through the wire; keys and values from the callers. */
static void
send_map(struct rig_call *rig, size_t n, char *const *keys, char *const *values)
{
	Cosi__V1alpha1__DriverCreateBucketRequest message =
		COSI__V1ALPHA1__DRIVER_CREATE_BUCKET_REQUEST__INIT;
	Cosi__V1alpha1__DriverCreateBucketRequest__ParametersEntry entries[8], *list[8];

	assert_true(n <= 8);
	for (size_t i = 0; i < n; i++) {
		entries[i] = (Cosi__V1alpha1__DriverCreateBucketRequest__ParametersEntry)
			COSI__V1ALPHA1__DRIVER_CREATE_BUCKET_REQUEST__PARAMETERS_ENTRY__INIT;
		entries[i].key = keys[i];
		entries[i].value = values[i];
		list[i] = &entries[i];
	}
	message.name = (char *)(uintptr_t) "photos";
	message.n_parameters = n;
	message.parameters = list;
	rig_send(rig, V1 "DriverCreateBucket", &message.base);
}

static char *
text(const char *s)
{
	return (char *)(uintptr_t)s;
}

static void
test_map__sorted_last_wins(void **state)
{
	char *keys[] = { text("region"), text("a"), text("region"), text(""), text("a") };
	char *values[] = { text("one"), text("1"), text("two"), text("x"), text("2") };
	const struct cosi_kv *params;
	struct rig_call rig;

	(void)state;
	send_map(&rig, 5, keys, values);
	RIG_OK(&rig);
	params = rig.call.req.params;
	assert_int_equal(rig.call.req.nparams, 3);
	assert_string_equal(params[0].key, "");
	assert_string_equal(params[0].value, "x");
	assert_string_equal(params[1].key, "a");
	assert_string_equal(params[1].value, "2");
	assert_string_equal(params[2].key, "region");
	assert_string_equal(params[2].value, "two");
	rig_done(&rig);
}

static void
test_map__limit(void **state)
{
	char *keys[] = { text("k"), text("l") }, *values[2];
	struct rig_call rig;

	(void)state;
	values[0] = rig_long(2047, 'v');
	values[1] = rig_long(2047, 'w');
	send_map(&rig, 2, keys, values);
	RIG_OK(&rig);
	rig_done(&rig);
	values[1] = rig_long(2048, 'w');
	send_map(&rig, 2, keys, values);
	rig_refused(&rig, COSI_INVALID, "field 'parameters' holds 4097 bytes, at most 4096");
}

static void
test_map__entries_without_parts(void **state)
{
	struct rig_call rig;

	(void)state;
	rig_decode(&rig, V1 "DriverCreateBucket", "\x0a\x01n\x12\x00\x12\x00\x12\x03\x0a\x01k", 12);
	RIG_OK(&rig);
	assert_int_equal(rig.call.req.nparams, 2);
	assert_string_equal(rig.call.req.params[1].key, "k");
	assert_string_equal(rig.call.req.params[1].value, "");
	rig_done(&rig);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_string__limit),
		cmocka_unit_test(test_string__required),
		cmocka_unit_test(test_id__form),
		cmocka_unit_test(test_dns_name__form),
		cmocka_unit_test(test_answer__internal),
		cmocka_unit_test(test_map__sorted_last_wins),
		cmocka_unit_test(test_map__limit),
		cmocka_unit_test(test_map__entries_without_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
