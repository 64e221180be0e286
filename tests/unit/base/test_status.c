/* SPDX-License-Identifier: Apache-2.0
 * test_status.c - the first code stays, texts grow to the front, and are cut between characters. */
#include "base/status.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/parse.h"
#include "base/secret.h"

#include "banned.h"

static void
test_fail__first_code_and_widest_text_first(void **state)
{
	struct status status = { 0 };

	(void)state;
	assert_true(status_ok(&status));
	assert_int_equal(status_fail(&status, COSI_TIMEOUT, "timed out after %d s", 5), -1);
	assert_int_equal(status_fail(&status, COSI_INTERNAL, "cannot create user"), -1);
	assert_int_equal(status_fail(&status, 0, "cannot grant '%s'", "ba-1"), -1);
	assert_int_equal(status.code, COSI_TIMEOUT);
	assert_string_equal(status.text,
			    "cannot grant 'ba-1': cannot create user: timed out after 5 s");
	assert_false(status_ok(&status));
}

static void
test_fail__context_alone_is_internal(void **state)
{
	struct status status = { 0 };

	(void)state;
	(void)status_fail(&status, 0, "something");
	assert_int_equal(status.code, COSI_INTERNAL);
	assert_string_equal(status.text, "something");
}

static void
test_no_memory__one_code_and_text(void **state)
{
	struct status status = { 0 };

	(void)state;
	assert_int_equal(status_no_memory(&status), -1);
	assert_int_equal(status.code, COSI_EXHAUSTED);
	assert_string_equal(status.text, "out of memory");
}

static void
test_text__limit(void **state)
{
	char text[STATUS_TEXT_MAX + 1];
	struct status status = { 0 };

	(void)state;
	memset(text, 't', sizeof text);
	text[STATUS_TEXT_MAX - 1] = '\0';
	(void)status_fail(&status, COSI_INVALID, "%s", text);
	assert_string_equal(status.text, text);
	text[STATUS_TEXT_MAX - 1] = 't';
	text[STATUS_TEXT_MAX] = '\0';
	status = (struct status){ 0 };
	(void)status_fail(&status, COSI_INVALID, "%s", text);
	assert_int_equal(strlen(status.text), STATUS_TEXT_MAX - 1);
}

/* The cut falls into a character of three bytes at each of its bytes. */
static void
test_text__cut_between_characters(void **state)
{
	(void)state;
	for (size_t lead = STATUS_TEXT_MAX - 5; lead < STATUS_TEXT_MAX + 1; lead++) {
		char text[STATUS_TEXT_MAX + 8];
		struct status status = { 0 };

		memset(text, 't', lead);
		memcpy(text + lead, "\xe2\x82\xac", 4);
		(void)status_fail(&status, COSI_INVALID, "%s", text);
		assert_true(parse_utf8(status.text, strlen(status.text)));
		assert_true(strlen(status.text) >= STATUS_TEXT_MAX - 4);
		(void)status_fail(&status, 0, "in front");
		assert_true(parse_utf8(status.text, strlen(status.text)));
		assert_memory_equal(status.text, "in front: ttt", 13);
	}
}

/* A secret across the cut, at each of its bytes: by itself, and when the text grew to the front. */
static void
test_text__cut_within_a_secret(void **state)
{
	struct secret *secret = secret_new("hunter2hunter2", 14);
	char front[STATUS_TEXT_MAX] = { 0 };

	(void)state;
	for (size_t lead = STATUS_TEXT_MAX - 16; lead < STATUS_TEXT_MAX; lead++) {
		struct status status = { 0 }, grown = { 0 };

		(void)status_fail(&status, COSI_INVALID, "%*s%s", (int)lead, "", "hunter2hunter2");
		status.text[secret_mask(status.text, strlen(status.text))] = '\0';
		assert_null(strchr(status.text, 'h'));
		memset(front, ' ', lead - 2);
		(void)status_fail(&grown, COSI_INVALID, "hunter2hunter2");
		(void)status_fail(&grown, 0, "%s", front);
		grown.text[secret_mask(grown.text, strlen(grown.text))] = '\0';
		assert_null(strchr(grown.text, 'h'));
	}
	secret_free(secret);
}

static void
test_code__names(void **state)
{
	(void)state;
	assert_string_equal(status_code_name(COSI_OK), "OK");
	assert_string_equal(status_code_name(COSI_INVALID), "INVALID_ARGUMENT");
	assert_string_equal(status_code_name(COSI_OUT_OF_RANGE), "OUT_OF_RANGE");
	assert_string_equal(status_code_name(COSI_EXISTS), "ALREADY_EXISTS");
	assert_string_equal(status_code_name(COSI_NOT_FOUND), "NOT_FOUND");
	assert_string_equal(status_code_name(COSI_PRECONDITION), "FAILED_PRECONDITION");
	assert_string_equal(status_code_name(COSI_DENIED), "PERMISSION_DENIED");
	assert_string_equal(status_code_name(COSI_UNAUTHENTICATED), "UNAUTHENTICATED");
	assert_string_equal(status_code_name(COSI_BUSY), "ABORTED");
	assert_string_equal(status_code_name(COSI_UNAVAILABLE), "UNAVAILABLE");
	assert_string_equal(status_code_name(COSI_TIMEOUT), "DEADLINE_EXCEEDED");
	assert_string_equal(status_code_name(COSI_EXHAUSTED), "RESOURCE_EXHAUSTED");
	assert_string_equal(status_code_name(COSI_UNSUPPORTED), "UNIMPLEMENTED");
	assert_string_equal(status_code_name(COSI_INTERNAL), "INTERNAL");
	assert_string_equal(status_code_name(COSI_INTERNAL + 1), "UNKNOWN");
	assert_string_equal(status_code_name(UINT32_MAX), "UNKNOWN");
	assert_string_equal(status_grpc_name(0), "OK");
	assert_string_equal(status_grpc_name(1), "CANCELLED");
	assert_string_equal(status_grpc_name(16), "UNAUTHENTICATED");
	assert_string_equal(status_grpc_name(17), "UNKNOWN");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fail__first_code_and_widest_text_first),
		cmocka_unit_test(test_fail__context_alone_is_internal),
		cmocka_unit_test(test_no_memory__one_code_and_text),
		cmocka_unit_test(test_text__limit),
		cmocka_unit_test(test_text__cut_between_characters),
		cmocka_unit_test(test_text__cut_within_a_secret),
		cmocka_unit_test(test_code__names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
