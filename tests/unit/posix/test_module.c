/* SPDX-License-Identifier: Apache-2.0
 * test_module.c - what opens and what does not; names. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "faults.h"
#include "rig.h"

#include "banned.h"

static int
setup(void **state)
{
	static struct rig rig;

	rig_init(&rig);
	*state = &rig;
	return 0;
}

static int
teardown(void **state)
{
	rig_done(*state);
	return 0;
}

/* Opens once more with what the caller has changed. */
static uint32_t
open_again(struct rig *rig)
{
	rig_close(rig);
	return rig_open(rig) == 0 ? COSI_OK : rig->status.code;
}

static void
test_open__key_of_31_and_32_bytes(void **state)
{
	struct rig *rig = *state;

	rig->config.credential_key = "0123456789abcdef0123456789abcde";
	assert_int_equal(open_again(rig), COSI_INVALID);
	assert_non_null(strstr(rig->status.text, "shorter than 32 bytes"));
	assert_null(strstr(rig->status.text, "0123456789"));
	rig->config.credential_key = "0123456789abcdef0123456789abcdef";
	assert_int_equal(rig_open(rig), 0);
}

static void
test_open__without_public_endpoint(void **state)
{
	struct rig *rig = *state;

	rig->public_url = "";
	assert_int_equal(open_again(rig), COSI_INVALID);
	assert_string_equal(rig->status.text, "key 'public_endpoint' is missing");
	rig->public_url = "http://files.example.org";
	assert_int_equal(rig_open(rig), 0);
}

/* A root that hangs, or is away, stops neither a start nor a reload. */
static void
test_open__leaves_the_root_alone(void **state)
{
	struct rig *rig = *state;

	rig_close(rig);
	fault_arm(FAULT_ERROR, 0, 0);
	assert_int_equal(rig_open(rig), 0);
	assert_int_equal(fault_disarm(), 0);
	assert_string_equal(rig_listing(rig), "");
}

static void
assert_unusable(struct rig *rig, const char *root, uint32_t code, const char *text)
{
	rig->config.root = root;
	assert_int_equal(open_again(rig), COSI_OK);
	assert_int_equal(cosi_module.probe(rig->instance, &rig->call), -1);
	assert_int_equal(rig->status.code, code);
	assert_string_equal(rig->status.text, text);
	rig->config.root = rig->root;
	assert_int_equal(open_again(rig), COSI_OK);
}

static void
test_probe__names_a_root_that_is_none(void **state)
{
	assert_unusable(*state, "/nowhere/at/all", COSI_UNAVAILABLE,
			"cannot use '/nowhere/at/all': No such file or directory: is key 'root' "
			"right, and the file system mounted?");
	assert_unusable(*state, "/dev/null", COSI_UNAVAILABLE,
			"cannot use '/dev/null': Not a directory: is key 'root' right, and the "
			"file system mounted?");
}

/* A root that may not be opened, one that may not be looked into, and one behind a closed folder.
 * root may open all, so it is not asked. */
static void
test_probe__names_a_root_that_is_closed(void **state)
{
	struct rig *rig = *state;
	char root[80], text[256];

	rig_reset(rig);
	for (int i = 0; i < 3; i++) {
		(void)snprintf(root, sizeof root, "%s%s", rig->root, i < 2 ? "" : "/closed");
		(void)snprintf(text, sizeof text,
			       "cannot use '%s': Permission denied: is key 'root' right, and the "
			       "file system mounted?",
			       root);
		assert_int_equal(chmod(rig->root, i == 1 ? 0444 : 0), 0);
		if (geteuid() == 0)
			assert_int_equal(seteuid(65534), 0);
		assert_unusable(rig, root, COSI_DENIED, text);
		assert_int_equal(seteuid(getuid()), 0);
	}
	assert_int_equal(chmod(rig->root, 0700), 0);
}

static void
test_probe__says_whether_root_can_be_used(void **state)
{
	struct rig *rig = *state;

	rig_reset(rig);
	assert_int_equal(cosi_module.probe(rig->instance, &rig->call), 0);
	assert_int_equal(chmod(rig->root, 0500), 0);
	/* root may write anywhere, so it is not asked */
	if (geteuid() == 0)
		assert_int_equal(seteuid(65534), 0);
	assert_int_equal(cosi_module.probe(rig->instance, &rig->call), -1);
	assert_int_equal(rig->status.code, COSI_DENIED);
	assert_int_equal(seteuid(getuid()), 0);
	assert_int_equal(chmod(rig->root, 0700), 0);
}

static const char *const good_names[] = {
	"abc",     "a.b",
	"0-9",     "photos.example.org",
	"12345",   "2024.10",
	"1.2.3",   "1.2.3.4.5",
	"1.2.3.x", "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffggg", /* 63 */
};
static const char *const bad_names[] = {
	"",
	"ab",
	"Photos",
	"photos_1",
	"-abc",
	"abc-",
	".abc",
	"abc.",
	"a..b",
	"a.-b",
	"a-.b",
	"192.168.0.1",
	"../etc",
	"ph\303\266tos",
	"aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggg", /* 64 */
};

static void
test_map_name__good_ones_stay(void **state)
{
	for (size_t i = 0; i < sizeof good_names / sizeof good_names[0]; i++) {
		assert_string_equal(rig_map(*state, COSI_BUCKET, good_names[i], true),
				    good_names[i]);
		assert_string_equal(rig_map(*state, COSI_BUCKET, good_names[i], false),
				    good_names[i]);
	}
}

static void
test_map_name__bad_ones_are_refused_when_exact(void **state)
{
	struct rig *rig = *state;

	for (size_t i = 0; i < sizeof bad_names / sizeof bad_names[0]; i++) {
		assert_null(rig_map(rig, COSI_BUCKET, bad_names[i], true));
		assert_int_equal(rig->status.code, COSI_INVALID);
	}
}

static void
test_map_name__bad_ones_become_good_and_stay_so(void **state)
{
	struct rig *rig = *state;

	for (size_t i = 0; i < sizeof bad_names / sizeof bad_names[0]; i++) {
		const char *once = rig_map(rig, COSI_BUCKET, bad_names[i], false);

		assert_non_null(once);
		assert_true(strlen(once) <= 63);
		assert_string_equal(rig_map(rig, COSI_BUCKET, once, true), once);
	}
}

static void
test_map_name__long_ones_that_differ_at_the_end_differ(void **state)
{
	char a[254], b[254];

	memset(a, 'a', sizeof a - 1);
	a[sizeof a - 1] = '\0';
	memcpy(b, a, sizeof b);
	b[sizeof b - 2] = 'b';
	assert_string_not_equal(rig_map(*state, COSI_BUCKET, a, false),
				arena_strdup(&((struct rig *)*state)->arena,
					     rig_map(*state, COSI_BUCKET, b, false)));
}

static void
test_map_name__accounts_stay(void **state)
{
	assert_string_equal(rig_map(*state, COSI_ACCOUNT, "cosi-ba-1", true), "cosi-ba-1");
}

int
main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_open__key_of_31_and_32_bytes),
		TEST(test_open__without_public_endpoint),
		TEST(test_open__leaves_the_root_alone),
		TEST(test_probe__names_a_root_that_is_none),
		TEST(test_probe__names_a_root_that_is_closed),
		TEST(test_probe__says_whether_root_can_be_used),
		TEST(test_map_name__good_ones_stay),
		TEST(test_map_name__bad_ones_are_refused_when_exact),
		TEST(test_map_name__bad_ones_become_good_and_stay_so),
		TEST(test_map_name__long_ones_that_differ_at_the_end_differ),
		TEST(test_map_name__accounts_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
