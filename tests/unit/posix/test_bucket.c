/* SPDX-License-Identifier: Apache-2.0
 * test_bucket.c - create, get and delete of own, foreign and unfinished buckets. */
#include <stdio.h>
#include <string.h>

#include "rig.h"

#include "banned.h"

static const struct cosi_mark other_owner = { "two.example.org", "photos", PARAMS_A };
static const struct cosi_mark other_name = { RIG_OWNER, "photographs", PARAMS_A };
static const struct cosi_mark other_params = { RIG_OWNER, "photos", PARAMS_B };

static void
test_create__makes_a_directory_and_a_record(void **state)
{
	struct cosi_bucket bucket = { 0 };

	assert_int_equal(rig_create(*state, "photos", NULL, &bucket), COSI_OK);
	assert_true(bucket.ours);
	assert_int_equal(bucket.protocols, COSI_S3);
	assert_string_equal(bucket.region, "us-east-1");
	assert_string_equal(bucket.params, PARAMS_A);
	assert_string_equal(rig_listing(*state), ".cosid/\n"
						 ".cosid/buckets/\n"
						 ".cosid/buckets/photos.json = {\n"
						 "  \"created\": 1700000000,\n"
						 "  \"name\": \"photos\",\n"
						 "  \"owner\": \"" RIG_OWNER "\",\n"
						 "  \"params\": \"" PARAMS_A "\",\n"
						 "  \"version\": 1\n"
						 "}\n"
						 ".cosid/lock = \n"
						 "photos/\n");
}

static void
test_create__again_changes_nothing(void **state)
{
	const char *before;

	assert_int_equal(rig_create(*state, "photos", NULL, NULL), COSI_OK);
	before = rig_listing(*state);
	assert_int_equal(rig_create(*state, "photos", NULL, NULL), COSI_OK);
	assert_string_equal(rig_listing(*state), before);
}

static void
test_create__other_marks_are_refused(void **state)
{
	const char *before;

	assert_int_equal(rig_create(*state, "photos", NULL, NULL), COSI_OK);
	before = rig_listing(*state);
	assert_int_equal(rig_create(*state, "photos", &other_owner, NULL), COSI_EXISTS);
	assert_int_equal(rig_create(*state, "photos", &other_name, NULL), COSI_EXISTS);
	assert_int_equal(rig_create(*state, "photos", &other_params, NULL), COSI_EXISTS);
	assert_string_equal(rig_listing(*state), before);
}

static void
test_create__foreign_directory_is_refused(void **state)
{
	struct rig *rig = *state;

	rig_mkdir(rig, "photos");
	assert_int_equal(rig_create(rig, "photos", NULL, NULL), COSI_EXISTS);
	assert_string_equal(rig->status.text, "cannot create bucket 'photos': a file or directory "
					      "of that name has no record of cosid's");
	assert_false(rig_exists(rig, ".cosid/buckets/photos.json"));
}

static void
test_create__foreign_file_is_refused(void **state)
{
	rig_write(*state, "photos", "mine");
	assert_int_equal(rig_create(*state, "photos", NULL, NULL), COSI_EXISTS);
	assert_string_equal(rig_read(*state, "photos"), "mine");
}

/* A record without its directory. */
static void
make_half(struct rig *rig)
{
	char path[128];

	assert_int_equal(rig_create(rig, "photos", NULL, NULL), COSI_OK);
	(void)snprintf(path, sizeof path, "%s/photos", rig->root);
	rig_remove_all(path);
}

static void
test_half_made__create_finishes_it(void **state)
{
	make_half(*state);
	assert_int_equal(rig_create(*state, "photos", &other_params, NULL), COSI_EXISTS);
	assert_false(rig_exists(*state, "photos"));
	assert_int_equal(rig_create(*state, "photos", NULL, NULL), COSI_OK);
	assert_true(rig_exists(*state, "photos"));
}

static void
test_half_made__delete_removes_it(void **state)
{
	make_half(*state);
	assert_int_equal(rig_delete(*state, "photos", false), COSI_OK);
	assert_false(rig_exists(*state, ".cosid/buckets/photos.json"));
}

static void
test_half_made__get_says_so_to_its_maker_alone(void **state)
{
	const struct cosi_mark by_id = { .owner = RIG_OWNER };
	struct cosi_bucket bucket;

	make_half(*state);
	assert_int_equal(rig_get(*state, "photos", NULL, &bucket), COSI_OK);
	assert_true(bucket.ours);
	assert_true(bucket.unfinished);
	assert_null(bucket.params);
	assert_int_equal(rig_get(*state, "photos", &other_owner, &bucket), COSI_NOT_FOUND);
	assert_int_equal(rig_get(*state, "photos", &by_id, &bucket), COSI_NOT_FOUND);
}

static void
test_get__ours(void **state)
{
	const struct cosi_mark by_id = { .owner = RIG_OWNER };
	struct cosi_bucket bucket;

	assert_int_equal(rig_create(*state, "photos", NULL, NULL), COSI_OK);
	assert_int_equal(rig_get(*state, "photos", NULL, &bucket), COSI_OK);
	assert_true(bucket.ours);
	assert_false(bucket.unfinished);
	assert_string_equal(bucket.params, PARAMS_A);
	assert_int_equal(rig_get(*state, "photos", &by_id, &bucket), COSI_OK);
	assert_true(bucket.ours);
}

static void
test_get__not_ours(void **state)
{
	struct cosi_bucket bucket;

	assert_int_equal(rig_create(*state, "photos", NULL, NULL), COSI_OK);
	rig_mkdir(*state, "foreign");
	assert_int_equal(rig_get(*state, "photos", &other_owner, &bucket), COSI_OK);
	assert_false(bucket.ours);
	assert_null(bucket.params);
	assert_int_equal(rig_get(*state, "photos", &other_name, &bucket), COSI_OK);
	assert_false(bucket.ours);
	assert_int_equal(rig_get(*state, "foreign", NULL, &bucket), COSI_OK);
	assert_false(bucket.ours);
	assert_int_equal(bucket.protocols, COSI_S3);
}

static void
test_get__absent(void **state)
{
	struct cosi_bucket bucket;

	assert_int_equal(rig_get(*state, "photos", NULL, &bucket), COSI_NOT_FOUND);
	rig_write(*state, "file", "");
	assert_int_equal(rig_get(*state, "file", NULL, &bucket), COSI_NOT_FOUND);
	assert_false(rig_exists(*state, ".cosid"));
}

static void
test_delete__ours_and_again(void **state)
{
	assert_int_equal(rig_create(*state, "photos", NULL, NULL), COSI_OK);
	assert_int_equal(rig_delete(*state, "photos", false), COSI_OK);
	assert_string_equal(rig_listing(*state), ".cosid/\n.cosid/buckets/\n.cosid/lock = \n");
	assert_int_equal(rig_delete(*state, "photos", false), COSI_OK);
}

static void
test_delete__not_empty(void **state)
{
	struct rig *rig = *state;
	const char *before;

	assert_int_equal(rig_create(rig, "photos", NULL, NULL), COSI_OK);
	rig_write(rig, "photos/cat.jpg", "meow");
	before = rig_listing(rig);
	assert_int_equal(rig_delete(rig, "photos", false), COSI_PRECONDITION);
	assert_string_equal(rig->status.text,
			    "cannot delete bucket 'photos': the bucket is not empty");
	assert_string_equal(rig_listing(rig), before);
}

static void
test_delete__not_ours(void **state)
{
	const char *before;

	assert_int_equal(rig_create(*state, "photos", NULL, NULL), COSI_OK);
	rig_mkdir(*state, "foreign");
	before = rig_listing(*state);
	assert_int_equal(rig_delete_of(*state, "photos", "two.example.org"), COSI_PRECONDITION);
	assert_int_equal(rig_delete(*state, "foreign", true), COSI_PRECONDITION);
	assert_string_equal(rig_listing(*state), before);
}

static const char *const wild_names[] = { "", "..", ".", ".cosid", "../x", "a/b", "/etc", "-" };

static void
test_names__that_a_file_system_would_follow(void **state)
{
	struct rig *rig = *state;
	struct cosi_bucket bucket;

	assert_int_equal(rig_create(rig, "photos", NULL, NULL), COSI_OK);
	for (size_t i = 0; i < sizeof wild_names / sizeof wild_names[0]; i++) {
		assert_int_equal(rig_create(rig, wild_names[i], NULL, NULL), COSI_INVALID);
		assert_int_equal(rig_get(rig, wild_names[i], NULL, &bucket), COSI_INVALID);
		assert_int_equal(rig_delete(rig, wild_names[i], true), COSI_INVALID);
	}
	assert_true(rig_exists(rig, "photos"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_create__makes_a_directory_and_a_record),
		TEST(test_create__again_changes_nothing),
		TEST(test_create__other_marks_are_refused),
		TEST(test_create__foreign_directory_is_refused),
		TEST(test_create__foreign_file_is_refused),
		TEST(test_half_made__create_finishes_it),
		TEST(test_half_made__delete_removes_it),
		TEST(test_half_made__get_says_so_to_its_maker_alone),
		TEST(test_get__ours),
		TEST(test_get__not_ours),
		TEST(test_get__absent),
		TEST(test_delete__ours_and_again),
		TEST(test_delete__not_empty),
		TEST(test_delete__not_ours),
		TEST(test_names__that_a_file_system_would_follow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
