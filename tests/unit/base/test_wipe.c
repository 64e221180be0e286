/* SPDX-License-Identifier: Apache-2.0
 * test_wipe.c - what base frees holds no secret any more. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/log.h"
#include "base/secret.h"
#include "fakes/wipe.h"

#include "banned.h"

/* Without this the others would pass whatever happened. */
static void
test_search__finds_what_was_freed(void **state)
{
	char *copy = strdup(wipe_secret()), *large = malloc(3 << 20);

	(void)state;
	assert_non_null(copy);
	assert_non_null(large);
	assert_int_equal(wipe_count(), 1);
	memset(large, 'x', 3 << 20);
	memcpy(large + (1 << 20) - WIPE_LEN / 2, wipe_secret(), WIPE_LEN);
	assert_int_equal(wipe_count(), 2);
	explicit_bzero(large, 3 << 20);
	free(large);
#ifdef COSID_SANITIZED /* whose allocators may keep what was freed, or overwrite it */
	explicit_bzero(copy, WIPE_LEN);
	free(copy);
#else
	free(copy);
	assert_int_equal(wipe_count(), 1);
	/* The block comes back from the allocator's list, for the tests that follow. */
	copy = malloc(WIPE_LEN + 1);
	assert_non_null(copy);
	explicit_bzero(copy, WIPE_LEN + 1);
	free(copy);
#endif
	assert_int_equal(wipe_count(), 0);
}

static size_t before;

static int
setup(void **state)
{
	(void)state;
	before = wipe_count();
	return 0;
}

static void
test_arena__done(void **state)
{
	struct arena arena;

	(void)state;
	arena_init(&arena, 1 << 20);
	for (int i = 0; i < 100; i++)
		(void)arena_strdup(&arena, wipe_secret());
	assert_int_equal(wipe_count(), before + 100);
	arena_done(&arena);
	assert_int_equal(wipe_count(), before);
}

/* It is printed twice: where there is too little room, and then where there is enough. */
static void
test_arena__text_that_did_not_fit(void **state)
{
	struct arena arena;

	(void)state;
	arena_init(&arena, 1 << 20);
	(void)arena_strdup(&arena, "the first block");
	(void)arena_printf(&arena, "%s%5000s", wipe_secret(), "");
	assert_int_equal(wipe_count(), before + 1);
	arena_done(&arena);
	assert_int_equal(wipe_count(), before);
}

static void
test_secret__freed(void **state)
{
	struct secret *secret = secret_new(wipe_secret(), WIPE_LEN);

	(void)state;
	assert_non_null(secret);
	assert_int_equal(wipe_count(), before + 1);
	secret_free(secret);
	assert_int_equal(wipe_count(), before);
}

static void
test_wiped__free_realloc_strdup(void **state)
{
	char *text = wiped_strdup(wipe_secret()), *behind = malloc(64);

	(void)state;
	assert_non_null(text);
	assert_non_null(behind); /* so that the text has to move */
	assert_int_equal(wipe_count(), before + 1);
	text = wiped_realloc(text, 1 << 16);
	assert_int_equal(wipe_count(), before + 1);
	text = wiped_realloc(text, WIPE_LEN);
	assert_int_equal(wipe_count(), before + 1);
	wiped_free(text);
	assert_int_equal(wipe_count(), before);
	text = charged_malloc(WIPE_LEN);
	assert_non_null(text);
	memcpy(text, wipe_secret(), WIPE_LEN);
	charged_free(text);
	assert_int_equal(wipe_count(), before);
	free(behind);
}

static void
test_log__copies(void **state)
{
	const struct log_fields fields = { .bucket = wipe_secret(), .ms = -1 };
	struct secret *secret = secret_new(wipe_secret(), WIPE_LEN);
	int saved = dup(STDERR_FILENO), null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	(void)state;
	assert_non_null(secret);
	assert_int_equal(dup2(null, STDERR_FILENO), STDERR_FILENO);
	log_line(COSI_ERROR, &fields, "%s", wipe_secret());
	assert_int_equal(dup2(saved, STDERR_FILENO), STDERR_FILENO);
	(void)close(saved);
	(void)close(null);
	secret_free(secret);
	assert_int_equal(wipe_count(), before);
}

/* One that the log does not know, so that no stars overwrite it. */
static void
test_log__message(void **state)
{
	int saved = dup(STDERR_FILENO), null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	(void)state;
	assert_int_equal(dup2(null, STDERR_FILENO), STDERR_FILENO);
	log_error("%s", wipe_secret());
	assert_int_equal(dup2(saved, STDERR_FILENO), STDERR_FILENO);
	(void)close(saved);
	(void)close(null);
	assert_int_equal(wipe_count(), before);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_search__finds_what_was_freed),
		cmocka_unit_test_setup(test_arena__done, setup),
		cmocka_unit_test_setup(test_arena__text_that_did_not_fit, setup),
		cmocka_unit_test_setup(test_secret__freed, setup),
		cmocka_unit_test_setup(test_wiped__free_realloc_strdup, setup),
		cmocka_unit_test_setup(test_log__copies, setup),
		cmocka_unit_test_setup(test_log__message, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
