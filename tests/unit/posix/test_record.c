/* SPDX-License-Identifier: Apache-2.0
 * test_record.c - records that are damaged, long, locked, listed. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "faults.h"
#include "rig.h"

#include "banned.h"

enum { RECORD_MAX = 64 * 1024 };
#define PHOTOS ".cosid/buckets/photos.json"

static const char *const damaged[] = {
	"",
	"{",
	"null",
	"[]",
	"{}",
	"{\"version\": 2, \"owner\": \"o\", \"name\": \"n\", \"params\": \"p\"}",
	"{\"version\": 1, \"owner\": 5, \"name\": \"n\", \"params\": \"p\"}",
	"{\"version\": 1, \"owner\": \"o\", \"name\": \"n\"}",
	"{\"version\": 1, \"owner\": \"o\", \"owner\": \"" RIG_OWNER
	"\", \"name\": \"n\", \"params\": \"p\"}",
	"{\"version\": 1, \"owner\": \"\377\", \"name\": \"n\", \"params\": \"p\"}",
	"{\"version\": 1, \"owner\": \"o\", \"name\": \"n\", \"params\": \"p\"} more",
};

static void
test_damaged__is_never_taken_for_absent(void **state)
{
	struct rig *rig = *state;
	struct cosi_bucket bucket;

	assert_int_equal(rig_create(rig, "photos", NULL, NULL), COSI_OK);
	for (size_t i = 0; i < sizeof damaged / sizeof damaged[0]; i++) {
		rig_write(rig, PHOTOS, damaged[i]);
		assert_int_equal(rig_create(rig, "photos", NULL, NULL), COSI_INTERNAL);
		assert_string_equal(rig->status.text,
				    "cannot read the record of 'photos': the file is damaged");
		assert_int_equal(rig_get(rig, "photos", NULL, &bucket), COSI_INTERNAL);
		assert_int_equal(rig_delete(rig, "photos", true), COSI_INTERNAL);
		assert_string_equal(rig_read(rig, PHOTOS), damaged[i]);
	}
	assert_true(rig_exists(rig, "photos"));
}

static void
test_damaged__fifo_does_not_block(void **state)
{
	struct rig *rig = *state;
	char path[128];

	assert_int_equal(rig_create(rig, "photos", NULL, NULL), COSI_OK);
	(void)snprintf(path, sizeof path, "%s/" PHOTOS, rig->root);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(rig_create(rig, "photos", NULL, NULL), COSI_INTERNAL);
}

/* The record, and blanks up to that size. */
static void
write_padded(struct rig *rig, size_t size)
{
	char *text = arena_alloc(&rig->arena, size + 1);

	memset(text, ' ', size);
	memcpy(text,
	       "{\"version\": 1, \"owner\": \"" RIG_OWNER
	       "\", \"name\": \"photos\", \"params\": \"" PARAMS_A "\"}",
	       strlen("{\"version\": 1, \"owner\": \"" RIG_OWNER
		      "\", \"name\": \"photos\", \"params\": \"" PARAMS_A "\"}"));
	rig_write(rig, PHOTOS, text);
}

static pid_t child;

/* A child with this process's descriptors, as posix_spawn() in another thread makes for a moment.
 */
static void
fork_once(void)
{
	faults_at_fsync = NULL;
	child = fork();
	if (child == 0) {
		for (;;)
			(void)pause();
	}
}

static void
test_lock__ends_though_a_child_has_the_descriptor(void **state)
{
	uint32_t first, second;

	/* Makes what is synced before a lock is taken. */
	assert_int_equal(rig_create(*state, "other", NULL, NULL), COSI_OK);
	child = -1;
	faults_at_fsync = fork_once;
	first = rig_create(*state, "photos", NULL, NULL);
	assert_true(child > 0);
	second = rig_create(*state, "photos", NULL, NULL);
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(first, COSI_OK);
	assert_int_equal(second, COSI_OK);
}

static void
test_limit__of_what_is_read(void **state)
{
	assert_int_equal(rig_create(*state, "photos", NULL, NULL), COSI_OK);
	write_padded(*state, RECORD_MAX);
	assert_int_equal(rig_create(*state, "photos", NULL, NULL), COSI_OK);
	write_padded(*state, RECORD_MAX + 1);
	assert_int_equal(rig_create(*state, "photos", NULL, NULL), COSI_INTERNAL);
}

static void
test_limit__of_what_is_written(void **state)
{
	struct rig *rig = *state;
	struct cosi_mark mark = { RIG_OWNER, "", PARAMS_A };
	size_t empty;
	char *name;

	assert_int_equal(rig_create(rig, "photos", &mark, NULL), COSI_OK);
	empty = strlen(rig_read(rig, PHOTOS));
	name = arena_alloc(&rig->arena, RECORD_MAX);
	memset(name, 'x', RECORD_MAX - empty + 1);
	mark.name = name;
	assert_int_equal(rig_create(rig, "one-too-long", &mark, NULL), COSI_OUT_OF_RANGE);
	assert_false(rig_exists(rig, "one-too-long"));
	name[RECORD_MAX - empty] = '\0';
	assert_int_equal(rig_create(rig, "just-fits", &mark, NULL), COSI_OK);
	assert_int_equal(rig_create(rig, "just-fits", &mark, NULL), COSI_OK);
}

static void
test_write__byte_by_byte(void **state)
{
	uint32_t code;

	fault_arm(FAULT_SHORT, 0, 0);
	code = rig_create(*state, "photos", NULL, NULL);
	assert_true(fault_disarm() > 170);
	assert_int_equal(code, COSI_OK);
	assert_int_equal(rig_create(*state, "photos", NULL, NULL), COSI_OK);
}

static void
test_write__refused_names_the_root(void **state)
{
	struct rig *rig = *state;
	char text[192];

	fault_arm(FAULT_ERROR, 3, EROFS); /* open and fstatat enter the root */
	assert_int_equal(rig_create(rig, "photos", NULL, NULL), COSI_DENIED);
	(void)fault_disarm();
	(void)snprintf(text, sizeof text,
		       "cannot write below '%s': cannot lock 'photos': Read-only file system: "
		       "is the directory in ReadWritePaths= of the unit?",
		       rig->root);
	assert_string_equal(rig->status.text, text);
}

/* A process that holds the lock of "photos" until it is killed: it stops inside of create. */
static pid_t
start_holder(struct rig *rig)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		/* Should the test fail, it would stay for ever. */
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		/* open and fstatat enter the root; mkdirat, openat, openat and fcntl lock */
		fault_arm(FAULT_STOP, 7, 0);
		(void)rig_create(rig, "photos", NULL, NULL);
		_exit(1);
	}
	assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
	assert_true(WIFSTOPPED(status));
	return pid;
}

static void
test_lock__other_process_is_busy_then_dead(void **state)
{
	struct rig *rig = *state;
	pid_t holder;

	assert_int_equal(rig_create(rig, "photos", NULL, NULL), COSI_OK);
	holder = start_holder(rig);
	assert_int_equal(rig_create(rig, "photos", NULL, NULL), COSI_BUSY);
	assert_string_equal(rig->status.text,
			    "cannot lock 'photos': another process has locked it");
	assert_int_equal(rig_delete(rig, "photos", false), COSI_BUSY);
	assert_int_equal(rig_create(rig, "films", NULL, NULL), COSI_OK);
	assert_int_equal(rig_grant(rig, "photos", "films:1", NULL, NULL), COSI_OK);
	assert_int_equal(kill(holder, SIGKILL), 0);
	assert_int_equal(waitpid(holder, NULL, 0), holder);
	assert_int_equal(rig_delete(rig, "photos", false), COSI_OK);
}

/* ---- list */

static char listed[1024];
static int stop_after;

static int
collect(struct cosi_call *call, const struct cosi_found *found)
{
	(void)call;
	assert_int_equal(found->size, sizeof *found);
	assert_int_equal(found->created, RIG_NOW);
	(void)snprintf(listed + strlen(listed), sizeof listed - strlen(listed), "%u:%s:%s:%s:%.4s ",
		       found->kind, found->native, found->mark.owner, found->mark.name,
		       found->mark.params);
	return --stop_after == 0;
}

static int
list(struct rig *rig, const char *owner)
{
	listed[0] = '\0';
	memset(&rig->status, 0, sizeof rig->status);
	return cosi_module.list(rig->instance, &rig->call, owner, collect);
}

static void
test_list__own_records_alone(void **state)
{
	const struct cosi_mark two = { "two.example.org", "theirs", PARAMS_A };
	struct rig *rig = *state;

	assert_int_equal(list(rig, RIG_OWNER), 0);
	assert_string_equal(listed, "");
	rig_mkdir(rig, "foreign");
	assert_int_equal(rig_create(rig, "photos", NULL, NULL), COSI_OK);
	assert_int_equal(rig_create(rig, "theirs", &two, NULL), COSI_OK);
	assert_int_equal(rig_grant(rig, "cosi-app", "photos:1", NULL, NULL), COSI_OK);
	rig_write(rig, ".cosid/buckets/.films.next", "{");
	rig_write(rig, ".cosid/buckets/notes.txt", "of the administrator");
	assert_int_equal(list(rig, RIG_OWNER), 0);
	assert_string_equal(listed, "1:photos:" RIG_OWNER ":photos:1:aa 2:cosi-app:" RIG_OWNER
				    ":cosi-app:1:aa ");
	assert_int_equal(list(rig, "two.example.org"), 0);
	assert_string_equal(listed, "1:theirs:two.example.org:theirs:1:aa ");
}

static void
test_list__stops_when_told_and_when_late(void **state)
{
	struct rig *rig = *state;

	assert_int_equal(rig_create(rig, "photos", NULL, NULL), COSI_OK);
	assert_int_equal(rig_grant(rig, "cosi-app", "photos:1", NULL, NULL), COSI_OK);
	stop_after = 1;
	assert_int_equal(list(rig, RIG_OWNER), 0);
	assert_null(strstr(listed, "cosi-app"));
	rig->time_left = 0;
	assert_int_equal(list(rig, RIG_OWNER), -1);
	assert_int_equal(rig->status.code, COSI_TIMEOUT);
}

static void
test_list__damaged_record_is_an_error(void **state)
{
	struct rig *rig = *state;

	assert_int_equal(rig_create(rig, "photos", NULL, NULL), COSI_OK);
	rig_write(rig, PHOTOS, "{");
	assert_int_equal(list(rig, RIG_OWNER), -1);
	assert_int_equal(rig->status.code, COSI_INTERNAL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_damaged__is_never_taken_for_absent),
		TEST(test_damaged__fifo_does_not_block),
		TEST(test_lock__ends_though_a_child_has_the_descriptor),
		TEST(test_limit__of_what_is_read),
		TEST(test_limit__of_what_is_written),
		TEST(test_write__byte_by_byte),
		TEST(test_write__refused_names_the_root),
		TEST(test_lock__other_process_is_busy_then_dead),
		TEST(test_list__own_records_alone),
		TEST(test_list__stops_when_told_and_when_late),
		TEST(test_list__damaged_record_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
