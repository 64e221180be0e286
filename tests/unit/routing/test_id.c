/* SPDX-License-Identifier: Apache-2.0
 * test_id.c - what is an id, what is none. */
#include "routing/id.h"

#include "rig.h"

#include "banned.h"

/* n times the character, as a static text. */
static const char *
row(char c, size_t n)
{
	static char text[512];

	memset(text, c, n);
	text[n] = '\0';
	return text;
}

static void
test_is_native__limits(void **state)
{
	(void)state;
	assert_true(id_is_native("Photos.2026-x"));
	assert_true(id_is_native(row('x', ID_MAX)));
	assert_false(id_is_native(row('x', ID_MAX + 1)));
	assert_false(id_is_native(""));
	assert_false(id_is_native(".."));
	assert_false(id_is_native("."));
	assert_false(id_is_native("-x"));
	assert_false(id_is_native("a_b"));
	assert_false(id_is_native("a/b"));
	assert_false(id_is_native("a b"));
	assert_false(id_is_native("\303\244"));
}

static struct generation *
generation_of(struct backend *backends)
{
	static struct generation generation;

	generation.backends = backends;
	generation.nbackends = 2;
	return &generation;
}

static void
test_backend__first_dot_splits(void **state)
{
	struct backend backends[] = { { .name = "rgw-east" }, { .name = "a" } };
	const struct generation *generation = generation_of(backends);
	const char *native = "untouched";

	(void)state;
	assert_ptr_equal(id_backend(generation, "a.b.c", &native), &backends[1]);
	assert_string_equal(native, "b.c");
	assert_ptr_equal(id_backend(generation, "rgw-east.", &native), &backends[0]);
	assert_string_equal(native, "");
	native = "untouched";
	assert_null(id_backend(generation, "rgw-east", &native));
	assert_null(id_backend(generation, ".b", &native));
	assert_null(id_backend(generation, "", &native));
	assert_null(id_backend(generation, "A.b", &native));
	assert_null(id_backend(generation, "rgw.b", &native));
	assert_null(id_backend(generation, "aa.b", &native));
	assert_null(id_backend(generation, row('a', 300), &native));
	assert_string_equal(native, "untouched");
}

static void
test_format__limits(void **state)
{
	struct arena arena;
	struct status status = { 0 };

	(void)state;
	arena_init(&arena, 1 << 16);
	assert_string_equal(id_format(&arena, "rgw-east", "photos", &status), "rgw-east.photos");
	assert_int_equal(strlen(id_format(&arena, "a", row('x', ID_MAX - 2), &status)), ID_MAX);
	assert_true(status_ok(&status));
	assert_null(id_format(&arena, "a", row('x', ID_MAX - 1), &status));
	assert_int_equal(status.code, COSI_INVALID);
	assert_non_null(strstr(status.text, "longer than 128 bytes"));
	status = (struct status){ 0 };
	assert_null(id_format(&arena, "a", "..", &status));
	assert_int_equal(status.code, COSI_INVALID);
	arena_done(&arena);
}

static void
test_account_native__limits(void **state)
{
	struct arena arena;
	const char *longest, *hashed, *other;

	(void)state;
	arena_init(&arena, 1 << 16);
	assert_string_equal(id_account_native(&arena, "ba-1"), "cosi-ba-1");
	longest = id_account_native(&arena, row('x', ID_ACCOUNT_MAX - 5));
	assert_int_equal(strlen(longest), ID_ACCOUNT_MAX);
	hashed = id_account_native(&arena, row('x', ID_ACCOUNT_MAX - 4));
	other = id_account_native(&arena, row('x', ID_ACCOUNT_MAX - 3));
	assert_int_equal(strlen(hashed), 32 + 1 + 12);
	assert_int_equal(strncmp(hashed, longest, 32), 0);
	assert_string_not_equal(hashed, other);
	arena_done(&arena);
}

/* printf Team_A | sha256sum */
static void
test_account_native__other_characters(void **state)
{
	struct arena arena;

	(void)state;
	arena_init(&arena, 1 << 16);
	assert_string_equal(id_account_native(&arena, "Team_A"), "cosi--eam---e61a54826759");
	assert_string_equal(id_account_native(&arena, "team-a"), "cosi-team-a");
	arena_done(&arena);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_is_native__limits),
		cmocka_unit_test(test_backend__first_dot_splits),
		cmocka_unit_test(test_format__limits),
		cmocka_unit_test(test_account_native__limits),
		cmocka_unit_test(test_account_native__other_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
