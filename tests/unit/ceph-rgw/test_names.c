/* SPDX-License-Identifier: Apache-2.0
 * test_names.c - the module's idea of a bucket's name is the gateway's. */
#include "rgw.h"

#include <stdio.h>

#include "banned.h"

static const char *
map(struct rgw_test *t, uint32_t kind, const char *asked, bool exact)
{
	host_reset(&t->host);
	return t->module->map_name(t->instance, &t->host.call, kind, asked, exact);
}

static void
expect_same(struct rgw_test *t, const char *name)
{
	char path[512];
	const char *native = map(t, COSI_BUCKET, name, true);
	int status;

	if (native == NULL)
		assert_int_equal(t->host.code, COSI_INVALID);
	else
		assert_string_equal(native, name);
	(void)snprintf(path, sizeof path, "/%s", name);
	status = ask(t, .method = "PUT", .path = path);
	if ((status == 200) != (native != NULL))
		fail_msg("'%s': the gateway says %d, the module '%s'", name, status, t->host.text);
	if (status == 200)
		assert_int_equal(ask(t, .method = "DELETE", .path = path), 204);
}

static void
test_exact__as_the_gateway_has_it(void **state)
{
	static const char *const names[] = {
		"abc",        "a-b.c-d",     "ab",        "a",
		"a--b",       "1.2.3.4",     "1.2.3",     "1.2.3.4.5",
		"256.1.1.1",  "1.2.3.a",     "a..b",      ".abc",
		"abc.",       "-abc",        "abc-",      "a.-b",
		"a-.b",       "ABC",         "aBc",       "a_b",
		"a b",        "xn--abc",     "sts",       "admin",
		"swift",      "auth",        "admin1",    "\xc3\xbc\xc3\xbc",
		"a+b",        "a*b",         "a%b",       "123",
		"1234567890", "abc-s3alias", "a\x01z",    "abc:d",
		"1234.5.6.7", "01.02.03.04", "1.2.3.4444"
	};
	struct rgw_test *t = *state;
	char name[72];

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		expect_same(t, names[i]);
	for (int len = 62; len <= 65; len++) {
		memset(name, 'n', sizeof name);
		name[len] = '\0';
		expect_same(t, name);
	}
}

static void
test_hashed__holds_and_stays(void **state)
{
	static const char *const names[] = { "",          "A",          "Photos Of 2026", "admin",
					     "a_b_c",     "-----",      "\xc3\xbc",       "1.2.3.4",
					     "UPPERCASE", "with/slash", "x\x01y" };
	struct rgw_test *t = *state;
	char longer[201], first[80], path[128];
	const char *native;

	memset(longer, 'L', sizeof longer);
	longer[200] = '\0';
	for (size_t i = 0; i <= sizeof names / sizeof names[0]; i++) {
		const char *asked = i < sizeof names / sizeof names[0] ? names[i] : longer;

		native = map(t, COSI_BUCKET, asked, false);
		assert_non_null(native);
		(void)snprintf(first, sizeof first, "%s", native);
		assert_true(strlen(first) <= 63);
		assert_string_equal(map(t, COSI_BUCKET, asked, false), first);
		assert_string_equal(map(t, COSI_BUCKET, first, false), first);
		assert_string_equal(map(t, COSI_BUCKET, first, true), first);
		(void)snprintf(path, sizeof path, "/%s", first);
		assert_int_equal(ask(t, .method = "PUT", .path = path), 200);
		assert_int_equal(ask(t, .method = "DELETE", .path = path), 204);
	}
	/* The same first characters, another name. */
	(void)snprintf(first, sizeof first, "%s", map(t, COSI_BUCKET, "a_b", false));
	assert_string_not_equal(map(t, COSI_BUCKET, "a b", false), first);
	assert_string_equal(map(t, COSI_BUCKET, "photos", false), "photos");
	assert_string_equal(map(t, COSI_ACCOUNT, "cosi-a", true), "cosi-a");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact__as_the_gateway_has_it),
		cmocka_unit_test(test_hashed__holds_and_stays),
	};

	return cmocka_run_group_tests(tests, rgw_setup, rgw_teardown);
}
