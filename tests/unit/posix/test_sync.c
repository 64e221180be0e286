/* SPDX-License-Identifier: Apache-2.0
 * test_sync.c - what outlasts a loss of power: every change is synced, in the order that
 * docs/design.md promises.
 *
 * A record is written under another name, synced and renamed, and its directory synced, before the
 * bucket's directory is made; the bucket's directory is gone for good before its record goes.
 */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "faults.h"
#include "rig.h"

#include "banned.h"

#define RECORD(dir, name)                                                                          \
	"write .cosid/" dir "/." name ".next\n"                                                    \
	"sync .cosid/" dir "/." name ".next\n"                                                     \
	"rename .cosid/" dir "/." name ".next " name ".json\n"                                     \
	"sync .cosid/" dir "\n"

static void
test_create__record_then_directory(void **state)
{
	struct rig *rig = *state;

	fault_trace(rig->root);
	assert_int_equal(rig_create(rig, "photos", NULL, NULL), COSI_OK);
	assert_string_equal(fault_traced(),
			    "mkdir ./.cosid\n"
			    "sync .\n"
			    "mkdir .cosid/buckets\n"
			    "sync .cosid\n" RECORD("buckets", "photos") "mkdir ./photos\n"
									"sync .\n");
	fault_trace(rig->root);
	assert_int_equal(rig_create(rig, "photos", NULL, NULL), COSI_OK);
	assert_string_equal(fault_traced(), "sync .cosid/buckets\n"
					    "sync .\n");
	fault_trace(rig->root);
	assert_int_equal(rig_create(rig, "films", NULL, NULL), COSI_OK);
	assert_string_equal(fault_traced(), RECORD("buckets", "films") "mkdir ./films\n"
								       "sync .\n");
}

static void
test_delete__directory_then_record(void **state)
{
	struct rig *rig = *state;

	assert_int_equal(rig_create(rig, "photos", NULL, NULL), COSI_OK);
	rig_write(rig, "photos/object", "1");
	fault_trace(rig->root);
	assert_int_equal(rig_delete(rig, "photos", true), COSI_OK);
	assert_string_equal(fault_traced(), "remove photos/object\n"
					    "remove ./photos\n"
					    "sync .\n"
					    "remove .cosid/buckets/photos.json\n"
					    "sync .cosid/buckets\n");
}

static void
test_access__each_record(void **state)
{
	struct rig *rig = *state;

	assert_int_equal(rig_create(rig, "photos", NULL, NULL), COSI_OK);
	assert_int_equal(rig_create(rig, "films", NULL, NULL), COSI_OK);
	fault_trace(rig->root);
	assert_int_equal(rig_grant(rig, "cosi-app", "films:2 photos:1", NULL, NULL), COSI_OK);
	assert_string_equal(fault_traced(), "mkdir .cosid/accounts\n"
					    "sync .cosid\n" RECORD("accounts", "cosi-app"));
	fault_trace(rig->root);
	assert_int_equal(rig_revoke(rig, "cosi-app", "films"), COSI_OK);
	assert_string_equal(fault_traced(), RECORD("accounts", "cosi-app"));
	fault_trace(rig->root);
	assert_int_equal(rig_revoke(rig, "cosi-app", "photos"), COSI_OK);
	assert_string_equal(fault_traced(), "remove .cosid/accounts/cosi-app.json\n"
					    "sync .cosid/accounts\n");
}

/* The call before may have been killed between a change and its sync; a retry finds nothing to
 * change, and its OK must outlast a loss of power, too. */
static void
test_retry__syncs_what_it_finds(void **state)
{
	struct rig *rig = *state;

	assert_int_equal(rig_create(rig, "photos", NULL, NULL), COSI_OK);
	assert_int_equal(rig_grant(rig, "cosi-app", "photos:1", NULL, NULL), COSI_OK);
	fault_trace(rig->root);
	assert_int_equal(rig_grant(rig, "cosi-app", "photos:1", NULL, NULL), COSI_OK);
	assert_string_equal(fault_traced(), "sync .cosid/accounts\n");
	assert_int_equal(rig_revoke(rig, "cosi-app", ""), COSI_OK);
	fault_trace(rig->root);
	assert_int_equal(rig_revoke(rig, "cosi-app", ""), COSI_OK);
	assert_string_equal(fault_traced(), "sync .cosid/accounts\n");
	assert_int_equal(rmdir(arena_printf(&rig->arena, "%s/photos", rig->root)), 0);
	fault_trace(rig->root);
	assert_int_equal(rig_delete(rig, "photos", false), COSI_OK);
	assert_string_equal(fault_traced(), "sync .\n"
					    "remove .cosid/buckets/photos.json\n"
					    "sync .cosid/buckets\n");
	fault_trace(rig->root);
	assert_int_equal(rig_delete(rig, "photos", false), COSI_OK);
	assert_string_equal(fault_traced(), "sync .cosid/buckets\n");
}

static mode_t
mode_of(struct rig *rig, const char *path)
{
	const char *full = arena_printf(&rig->arena, "%s/%s", rig->root, path);
	struct stat st;

	assert_int_equal(lstat(full, &st), 0);
	return st.st_mode & 07777;
}

/* The group is the gateway's; others may not read a bucket or its record. */
static void
test_modes__of_owner_and_group_alone(void **state)
{
	struct rig *rig = *state;
	mode_t mask = umask(0);
	uint32_t created = rig_create(rig, "photos", NULL, NULL);
	uint32_t granted = rig_grant(rig, "cosi-app", "photos:1", NULL, NULL);

	(void)umask(mask);
	assert_int_equal(created, COSI_OK);
	assert_int_equal(granted, COSI_OK);
	assert_int_equal(mode_of(rig, "photos"), 0770);
	assert_int_equal(mode_of(rig, ".cosid"), 0750);
	assert_int_equal(mode_of(rig, ".cosid/buckets"), 0750);
	assert_int_equal(mode_of(rig, ".cosid/accounts"), 0750);
	assert_int_equal(mode_of(rig, ".cosid/buckets/photos.json"), 0640);
	assert_int_equal(mode_of(rig, ".cosid/accounts/cosi-app.json"), 0640);
	assert_int_equal(mode_of(rig, ".cosid/lock"), 0640);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_create__record_then_directory),
		TEST(test_delete__directory_then_record),
		TEST(test_access__each_record),
		TEST(test_retry__syncs_what_it_finds),
		TEST(test_modes__of_owner_and_group_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
