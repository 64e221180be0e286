/* SPDX-License-Identifier: Apache-2.0
 * test_secret.c - secrets: copies of their own, out of core files, masked wherever they show. */
#include "base/secret.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cleanup.h"

#include "banned.h"

static void
check_mask(const char *before, const char *after)
{
	char text[256];
	size_t len = strlen(before);

	memcpy(text, before, len + 1);
	len = secret_mask(text, len);
	text[len] = '\0';
	assert_string_equal(text, after);
}

static void
test_secret__text_is_a_copy(void **state)
{
	char source[] = "sesame-open-1";
	struct secret *secret = secret_new(source, strlen(source));

	(void)state;
	assert_non_null(secret);
	memset(source, 'x', strlen(source));
	assert_string_equal(secret_text(secret), "sesame-open-1");
	assert_int_equal(secret_len(secret), 13);
	secret_free(secret);
	secret_free(NULL);
}

static void
test_secret__longer_than_a_page(void **state)
{
	char *big = test_malloc(65536);
	struct secret *secret;

	(void)state;
	memset(big, 'k', 65536);
	secret = secret_new(big, 65536);
	assert_non_null(secret);
	assert_int_equal(strlen(secret_text(secret)), 65536);
	secret_free(secret);
	test_free(big);
}

static void
test_secret__no_memory(void **state)
{
	(void)state;
	assert_null(secret_new("", SIZE_MAX));
	assert_null(secret_new("", SIZE_MAX / 2));
}

/* "dd" among VmFlags is the kernel's word for MADV_DONTDUMP (proc(5)). */
static void
test_secret__stays_out_of_core_files(void **state)
{
	struct secret *secret = secret_new("sesame-open-2", 13);
	CLEANUP_FILE FILE *maps = fopen("/proc/self/smaps", "re");
	unsigned long from, to, at = (unsigned long)(uintptr_t)secret_text(secret);
	bool inside = false, found = false;
	char line[512];

	(void)state;
	assert_non_null(maps);
	while (fgets(line, sizeof line, maps) != NULL) {
		if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
			inside = at >= from && at < to;
		if (inside && strncmp(line, "VmFlags:", 8) == 0)
			found = strstr(line, " dd") != NULL;
	}
	assert_true(found);
	secret_free(secret);
}

static void
test_mask__everywhere_in_a_text(void **state)
{
	struct secret *secret = secret_new("hunter2hunter2", 14);

	(void)state;
	check_mask("", "");
	check_mask("nothing here", "nothing here");
	check_mask("hunter2hunter2", "***");
	check_mask("key=hunter2hunter2, again hunter2hunter2.", "key=***, again ***.");
	check_mask("hunter2hunter2hunter2hunter2", "***");
	check_mask("hunter2hunter", "hunter2hunter");
	secret_free(secret);
	check_mask("key=hunter2hunter2", "key=hunter2hunter2");
}

static void
test_mask__from_eight_bytes(void **state)
{
	struct secret *seven = secret_new("1234567", 7), *eight = secret_new("abcdefgh", 8);

	(void)state;
	check_mask("1234567 abcdefgh", "1234567 ***");
	secret_free(seven);
	secret_free(eight);
}

static void
test_mask__overlap_and_prefix(void **state)
{
	struct secret *a = secret_new("abcdefgh", 8), *b = secret_new("efghijkl", 8);
	struct secret *c = secret_new("abcdefghXYZ", 11), *d = secret_new("abcdefgh", 8);

	(void)state;
	check_mask("<abcdefghijkl>", "<***>");
	check_mask("<abcdefghXYZ>", "<***>");
	check_mask("<abcdefghabcdefgh>", "<******>");
	secret_free(a);
	check_mask("<abcdefgh>", "<***>"); /* d has the same value */
	secret_free(d);
	check_mask("<abcdefgh>", "<abcdefgh>");
	check_mask("<abcdefghXYZ efghijkl>", "<*** ***>");
	secret_free(c);
	secret_free(b);
}

static void
check_cut(const char *before, const char *after)
{
	char text[256];
	size_t len = strlen(before);

	memcpy(text, before, len + 1);
	len = secret_mask_cut(text, len);
	text[len] = '\0';
	assert_string_equal(text, after);
}

/* The beginning of a secret at a cut; too short for stars, it goes without. */
static void
test_mask__cut(void **state)
{
	struct secret *a = secret_new("abcdefgh", 8), *b = secret_new("efghijkl", 8);

	(void)state;
	check_cut("", "");
	check_cut("key=x", "key=x");
	check_cut("key=a", "key=");
	check_cut("key=ab", "key=");
	check_cut("key=abc", "key=***");
	check_cut("key=abcdefg", "key=***");
	check_cut("key=abcdefgh", "key=***");
	check_cut("key=abcdefgh e", "key=*** ***");
	check_cut("abc abcdefghi", "abc ***"); /* "efghi" may be the other's */
	check_cut("<abcdefg>", "<abcdefg>");
	secret_free(a);
	secret_free(b);
	check_cut("key=abc", "key=abc");
}

static void
test_printf__no_part_of_a_secret_at_the_cut(void **state)
{
	struct secret *secret = secret_new("hunter2hunter2", 14);
	char text[16];

	(void)state;
	secret_printf(text, sizeof text, "%s", "fifteen letters");
	assert_string_equal(text, "fifteen letters");
	secret_printf(text, sizeof text, "%s", "sixteen letters.");
	assert_string_equal(text, "sixteen letters");
	for (int lead = 2; lead < 15; lead++) { /* from where it does not fit */
		secret_printf(text, sizeof text, "%.*s%s", lead, "..............",
			      "hunter2hunter2");
		assert_null(strchr(text, 'h'));
		assert_true(strlen(text) >= (size_t)lead);
	}
	secret_free(secret);
}

/* 160 bytes are shown whole; what is longer is cut there. */
static void
test_shown__no_part_of_a_secret_at_the_cut(void **state)
{
	static const char value[] = "hunter2hunter2";
	struct secret *secret = secret_new(value, sizeof value - 1);
	char text[200];

	(void)state;
	memset(text, 'x', sizeof text);
	text[161] = '\0';
	assert_int_equal(strlen(secret_shown(text).text), 160);
	text[160] = '\0';
	assert_string_equal(secret_shown(text).text, text);
	assert_string_equal(secret_shown(NULL).text, "");
	memset(text, 'x', sizeof text);
	text[sizeof text - 1] = '\0';
	for (size_t at = 160 - (sizeof value - 2); at < 160; at++) {
		memset(text, 'x', at);
		memcpy(text + at, value, sizeof value - 1);
		assert_null(strchr(secret_shown(text).text, 'h'));
	}
	secret_free(secret);
}

static void
test_mask__bytes_that_are_not_text(void **state)
{
	static const char value[] = "\xff\xfe\x01\n\"\\\x80=";
	struct secret *secret = secret_new(value, 8);

	(void)state;
	check_mask("a\xff\xfe\x01\n\"\\\x80=b", "a***b");
	secret_free(secret);
}

static void *
come_and_go(void *arg)
{
	(void)arg;
	for (int i = 0; i < 300; i++) {
		struct secret *secret = secret_new("ephemeral-secret", 16);

		secret_free(secret);
	}
	return NULL;
}

static void
test_mask__while_others_come_and_go(void **state)
{
	struct secret *lasting = secret_new("hunter2hunter2", 14);
	pthread_t threads[2];

	(void)state;
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, come_and_go, NULL), 0);
	for (int i = 0; i < 300; i++)
		check_mask("key=hunter2hunter2", "key=***");
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	check_mask("ephemeral-secret", "ephemeral-secret");
	secret_free(lasting);
}

static void
test_wiped__realloc_keeps_what_fits(void **state)
{
	char *p = wiped_realloc(NULL, 4);

	(void)state;
	assert_non_null(p);
	memcpy(p, "abc", 4);
	p = wiped_realloc(p, 100000);
	assert_string_equal(p, "abc");
	p = wiped_realloc(p, 2);
	assert_memory_equal(p, "ab", 2);
	p = wiped_realloc(p, 0);
	assert_non_null(p);
	wiped_free(p);
	wiped_free(NULL);
}

/* A sanitizer ends the program on a size like the one below unless it is told not to. */
#define SANITIZER_ASKS __attribute__((visibility("default")))
SANITIZER_ASKS const char *__asan_default_options(void);
SANITIZER_ASKS const char *__tsan_default_options(void);
const char *
__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

const char *
__tsan_default_options(void)
{
	return "allocator_may_return_null=1";
}

static void
test_wiped__failure_leaves_the_old(void **state)
{
	volatile size_t huge = SIZE_MAX / 2;
	char *p = wiped_strdup("kept"), *bigger;

	(void)state;
	bigger = wiped_calloc(huge, 4);
	assert_null(bigger);
	assert_string_equal(p, "kept");
	wiped_free(p);
	p = wiped_calloc(3, 5);
	for (size_t i = 0; i < 15; i++)
		assert_int_equal(p[i], 0);
	wiped_free(p);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_secret__text_is_a_copy),
		cmocka_unit_test(test_secret__longer_than_a_page),
		cmocka_unit_test(test_secret__no_memory),
		cmocka_unit_test(test_secret__stays_out_of_core_files),
		cmocka_unit_test(test_mask__everywhere_in_a_text),
		cmocka_unit_test(test_mask__from_eight_bytes),
		cmocka_unit_test(test_mask__overlap_and_prefix),
		cmocka_unit_test(test_mask__cut),
		cmocka_unit_test(test_printf__no_part_of_a_secret_at_the_cut),
		cmocka_unit_test(test_shown__no_part_of_a_secret_at_the_cut),
		cmocka_unit_test(test_mask__bytes_that_are_not_text),
		cmocka_unit_test(test_mask__while_others_come_and_go),
		cmocka_unit_test(test_wiped__realloc_keeps_what_fits),
		cmocka_unit_test(test_wiped__failure_leaves_the_old),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
