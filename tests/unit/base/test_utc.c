/* SPDX-License-Identifier: Apache-2.0
 * test_utc.c - dates before, at and after the epoch, and those that do not fit. */
#include "base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "banned.h"

static void
test_text__is_rfc_3339(void **state)
{
	char text[UTC_MAX];

	(void)state;
	assert_string_equal(utc_text(text, 0), "1970-01-01T00:00:00Z");
	assert_string_equal(utc_text(text, -1), "1969-12-31T23:59:59Z");
	assert_string_equal(utc_text(text, INT64_C(1795273200)), "2026-11-21T15:00:00Z");
	assert_string_equal(utc_text(text, INT64_C(253402300799)), "9999-12-31T23:59:59Z");
	assert_string_equal(utc_text(text, INT64_MAX), "");
}

static void
test_text_ms__keeps_thousandths(void **state)
{
	char text[UTC_MAX];

	(void)state;
	assert_string_equal(utc_text_ms(text, INT64_C(1795273200007999)),
			    "2026-11-21T15:00:00.007Z");
	assert_string_equal(utc_text_ms(text, INT64_C(1795273200999999)),
			    "2026-11-21T15:00:00.999Z");
}

static void
test_format__go_and_one_that_does_not_fit(void **state)
{
	char text[UTC_MAX];

	(void)state;
	assert_int_equal(utc_format(text, UTC_GO, 86399), 0);
	assert_string_equal(text, "1970-01-01 23:59:59 +0000 UTC");
	assert_int_equal(utc_format(text, UTC_RFC3339, INT64_MAX), -1);
	assert_string_equal(text, "");
	assert_int_equal(utc_format(text, UTC_GO, INT64_C(31556889864403199)), -1); /* year 10^9 */
	assert_string_equal(text, "");
}

static void
test_text__no_time_zone(void **state)
{
	char text[UTC_MAX];

	(void)state;
	assert_int_equal(setenv("TZ", "Asia/Tokyo", 1), 0);
	tzset();
	assert_string_equal(utc_text(text, 0), "1970-01-01T00:00:00Z");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text__is_rfc_3339),
		cmocka_unit_test(test_text_ms__keeps_thousandths),
		cmocka_unit_test(test_format__go_and_one_that_does_not_fit),
		cmocka_unit_test(test_text__no_time_zone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
