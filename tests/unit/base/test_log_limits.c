/* SPDX-License-Identifier: Apache-2.0
 * test_log_limits.c - hostile text: no forged line, no endless line, no secret. */
#include "base/log.h"

#include <stdint.h>

#include "base/parse.h"
#include "base/secret.h"
#include "capture.h"

#include "banned.h"

static const char forging[] =
	"a\n2024-01-02T03:04:05.678Z error fake\r\t\x1b[2J\x7f\xc2\x85\xe2\x80\xa8"
	"\xe2\x80\xae\xff\xc3\xe2\x82\"\\ \xc3\xa4";

static void
test_forging__text(void **state)
{
	struct log_fields fields = { .bucket = forging, .account = "", .code = "a b=c", .ms = -1 };
	const char *escaped =
		"a\\n2024-01-02T03:04:05.678Z error fake\\r\\t\\u001b[2J\\u007f\\u0085"
		"\\u2028\\u202e\\xff\\xc3\\xe2\\x82";
	char want[512];

	(void)state;
	log_setup(COSI_INFO, false);
	capture_start();
	log_line(COSI_INFO, &fields, "%s", forging);
	capture_end();
	(void)snprintf(
		want, sizeof want,
		"%s\"\\\\ \xc3\xa4 bucket=\"%s\\\"\\\\ \xc3\xa4\" account=\"\" code=\"a b=c\"\n",
		escaped, escaped);
	assert_string_equal(message_of(got), want);
}

static void
test_forging__json(void **state)
{
	struct log_fields fields = { .bucket = forging, .ms = -1 };

	(void)state;
	log_setup(COSI_INFO, true);
	capture_start();
	log_line(COSI_INFO, &fields, "%s", forging);
	capture_end();
	assert_true(is_flat_json(got));
	assert_true(parse_utf8(got, strlen(got)));
	assert_non_null(strstr(got, "\\u202e\\\\xff\\\\xc3\\\\xe2\\\\x82\\\"\\\\ \xc3\xa4\""));
}

/* A message of 6144 escaped bytes is whole; one more is cut. */
static void
check_limit(bool json, size_t len, const char *last, const char *tail)
{
	char *text = test_malloc(len + strlen(last) + 1);
	const char *end;

	memset(text, 'm', len);
	memcpy(text + len, last, strlen(last) + 1);
	log_setup(COSI_INFO, json);
	capture_start();
	log_info("%s", text);
	capture_end();
	test_free(text);
	assert_true(!json || is_flat_json(got));
	end = got + strlen(got) - strlen(tail);
	assert_string_equal(end, tail);
	assert_int_equal(end[-1], 'm');
}

static void
test_limit__message(void **state)
{
	(void)state;
	check_limit(false, 6144, "", "\n");
	check_limit(false, 6145, "", "m...\n");
	check_limit(true, 6144, "", "\"}\n");
	check_limit(true, 6145, "", "m...\"}\n");
	check_limit(false, 6142, "\xc3\xa4", "\xc3\xa4\n");
	check_limit(false, 6143, "\xc3\xa4", "m...\n");
	check_limit(true, 6142, "\"", "\\\"\"}\n");
	check_limit(true, 6143, "\"", "m...\"}\n");
	check_limit(true, 6139, "\xff", "\\\\xff\"}\n");
	check_limit(true, 6140, "\xff", "m...\"}\n");
	check_limit(true, 1 << 20, "", "m...\"}\n");
}

static void
test_limit__field(void **state)
{
	char value[258];
	struct log_fields fields = { .backend = value, .ms = 7 };

	(void)state;
	log_setup(COSI_INFO, false);
	memset(value, 'f', 257);
	value[256] = value[257] = '\0';
	capture_start();
	log_line(COSI_INFO, &fields, "x");
	capture_end();
	assert_int_equal(strlen(message_of(got)), strlen("x backend= ms=7\n") + 256);
	assert_null(strstr(got, "..."));
	value[256] = 'f';
	capture_start();
	log_line(COSI_INFO, &fields, "x");
	capture_end();
	assert_int_equal(strlen(message_of(got)), strlen("x backend= ms=7\n") + 256);
	assert_non_null(strstr(got, "f... ms=7\n"));
}

/* Everything at its largest, every byte at its longest escape. */
static void
test_limit__whole_line(void **state)
{
	char *text = test_malloc(20001);
	struct log_fields fields = { text, text, text, text, text, text, text, INT64_MAX };

	(void)state;
	memset(text, 0xff, 20000);
	text[20000] = '\0';
	for (int json = 0; json <= 1; json++) {
		log_setup(COSI_INFO, json == 1);
		capture_start();
		log_line(COSI_WARNING, &fields, "%s", text);
		capture_end();
		assert_true(strlen(got) <= LINE_MAX_BYTES);
		assert_true(json == 0 || is_flat_json(got));
		assert_ptr_equal(strchr(got, '\n'), got + strlen(got) - 1);
		assert_non_null(strstr(got, "9223372036854775807"));
	}
	test_free(text);
}

static void
test_secrets__masked_before_escape_and_cut(void **state)
{
	static const char value[] = "p\"a\\s\ns\xff word";
	struct secret *secret = secret_new(value, sizeof value - 1);
	struct log_fields fields = { .bucket = value, .account = "x", .ms = -1 };
	char text[6300];

	(void)state;
	memset(text, 'm', sizeof text);
	memcpy(text + 6140, value, sizeof value); /* the cut would fall into it */
	for (int json = 0; json <= 1; json++) {
		log_setup(COSI_INFO, json == 1);
		capture_start();
		log_line(COSI_INFO, &fields, "key %s and %s", value, value);
		capture_end();
		assert_non_null(strstr(got, "key *** and ***"));
		assert_non_null(strstr(got, json == 1 ? "\"bucket\":\"***\"" : " bucket=\"***\""));
		assert_null(strstr(got, "word"));
		capture_start();
		log_info("%s", text);
		capture_end();
		assert_non_null(strstr(got, json == 1 ? "mm***\"}\n" : "mm***\n"));
	}
	secret_free(secret);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forging__text),
		cmocka_unit_test(test_forging__json),
		cmocka_unit_test(test_limit__message),
		cmocka_unit_test(test_limit__field),
		cmocka_unit_test(test_limit__whole_line),
		cmocka_unit_test(test_secrets__masked_before_escape_and_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
