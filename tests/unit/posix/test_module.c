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

/* The rules are lib_s3's, whose tests have every one of them. */
static void
test_map_name__of_buckets_by_the_rules_of_s3(void **state)
{
	struct rig *rig = *state;
	const char *mapped;

	assert_string_equal(rig_map(rig, COSI_BUCKET, "photos.example.org", true),
			    "photos.example.org");
	assert_null(rig_map(rig, COSI_BUCKET, "../etc", true));
	assert_int_equal(rig->status.code, COSI_INVALID);
	mapped = rig_map(rig, COSI_BUCKET, "../etc", false);
	assert_string_equal(rig_map(rig, COSI_BUCKET, mapped, true), mapped);
	assert_string_equal(rig_map(rig, COSI_ACCOUNT, "cosi-ba-1", true), "cosi-ba-1");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_open__key_of_31_and_32_bytes),
		TEST(test_open__without_public_endpoint),
		TEST(test_open__leaves_the_root_alone),
		TEST(test_probe__names_a_root_that_is_none),
		TEST(test_probe__names_a_root_that_is_closed),
		TEST(test_probe__says_whether_root_can_be_used),
		TEST(test_map_name__of_buckets_by_the_rules_of_s3),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
