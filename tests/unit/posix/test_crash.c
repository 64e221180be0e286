/* SPDX-License-Identifier: Apache-2.0
 * test_crash.c - every operation, cut off at every system call: the retry ends where an uncut one
 * does.
 *
 * Three ways to be cut: the process dies, the call fails, a service of the host fails.  After each
 * of them the same request is made again, and the root must hold exactly what it does without the
 * cut.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "faults.h"
#include "rig.h"

#include "banned.h"

struct operation {
	const char *name;
	void (*prepare)(struct rig *rig);
	uint32_t (*run)(struct rig *rig);
	unsigned least; /* system calls that it surely makes */
};

static void
prepare_nothing(struct rig *rig)
{
	rig_mkdir(rig, "foreign");
	rig_write(rig, "foreign/kept", "safe");
}

static void
prepare_bucket(struct rig *rig)
{
	prepare_nothing(rig);
	assert_int_equal(rig_create(rig, "photos", NULL, NULL), COSI_OK);
	assert_int_equal(rig_create(rig, "films", NULL, NULL), COSI_OK);
}

static void
prepare_objects(struct rig *rig)
{
	prepare_bucket(rig);
	rig_write(rig, "photos/a", "1");
	rig_mkdir(rig, "photos/dir");
	rig_mkdir(rig, "photos/dir/sub");
	rig_write(rig, "photos/dir/sub/b", "2");
	rig_link(rig, "../../foreign", "photos/dir/link");
}

static void
prepare_account(struct rig *rig)
{
	prepare_bucket(rig);
	assert_int_equal(rig_grant(rig, "cosi-app", "films:2 photos:1", NULL, NULL), COSI_OK);
}

static uint32_t
run_create(struct rig *rig)
{
	return rig_create(rig, "photos", NULL, NULL);
}

static uint32_t
run_delete(struct rig *rig)
{
	return rig_delete(rig, "photos", false);
}

static uint32_t
run_purge(struct rig *rig)
{
	return rig_delete(rig, "photos", true);
}

static uint32_t
run_grant(struct rig *rig)
{
	return rig_grant(rig, "cosi-app", "films:2 photos:1", NULL, NULL);
}

static uint32_t
run_revoke_some(struct rig *rig)
{
	return rig_revoke(rig, "cosi-app", "films");
}

static uint32_t
run_revoke(struct rig *rig)
{
	return rig_revoke(rig, "cosi-app", "");
}

static int
look_on(struct cosi_call *call, const struct cosi_found *found)
{
	(void)call;
	(void)found;
	return 0;
}

static uint32_t
run_list(struct rig *rig)
{
	rig_reset(rig);
	(void)cosi_module.list(rig->instance, &rig->call, RIG_OWNER, look_on);
	return rig->status.code;
}

static const struct operation operations[] = {
	{ "create", prepare_nothing, run_create, 20 },
	{ "create again", prepare_bucket, run_create, 8 },
	{ "delete", prepare_bucket, run_delete, 10 },
	{ "delete with purge", prepare_objects, run_purge, 20 },
	{ "grant", prepare_bucket, run_grant, 15 },
	{ "grant again", prepare_account, run_grant, 8 },
	{ "revoke some", prepare_account, run_revoke_some, 12 },
	{ "revoke", prepare_account, run_revoke, 9 },
	{ "list", prepare_account, run_list, 12 },
};

static void
begin(struct rig *rig, const struct operation *operation)
{
	rig_init(rig);
	operation->prepare(rig);
}

/* What an uncut run leaves; the text outlives the rig. */
static void
expected_listing(const struct operation *operation, char *out, size_t size)
{
	struct rig rig;

	begin(&rig, operation);
	assert_int_equal(operation->run(&rig), COSI_OK);
	assert_true(snprintf(out, size, "%s", rig_listing(&rig)) < (int)size);
	assert_non_null(strstr(out, "foreign/kept = safe\n"));
	rig_done(&rig);
}

static void
assert_retry_converges(struct rig *rig, const struct operation *operation, unsigned nth,
		       const char *expected)
{
	const char *listing;
	uint32_t code = operation->run(rig);

	if (code != COSI_OK)
		fail_msg("%s, cut at %u: the retry says %s", operation->name, nth,
			 rig->status.text);
	listing = rig_listing(rig);
	if (strcmp(listing, expected) != 0)
		fail_msg("%s, cut at %u: it leaves\n%s\ninstead of\n%s", operation->name, nth,
			 listing, expected);
}

static unsigned
open_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned n = 0;

	assert_non_null(dir);
	while (readdir(dir) != NULL)
		n++;
	assert_int_equal(closedir(dir), 0);
	return n;
}

/* Was there a call number nth to die at? */
static bool
dies_at(struct rig *rig, const struct operation *operation, unsigned nth)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		fault_arm(FAULT_KILL, nth, 0);
		_exit(operation->run(rig) == COSI_OK ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == FAULT_KILLED)
		return true;
	assert_int_equal(WEXITSTATUS(status), 0);
	return false;
}

static void
kill_everywhere(const struct operation *operation)
{
	char expected[4096];
	bool died = true;

	expected_listing(operation, expected, sizeof expected);
	for (unsigned nth = 1; died; nth++) {
		struct rig rig;

		begin(&rig, operation);
		died = dies_at(&rig, operation, nth);
		assert_retry_converges(&rig, operation, nth, expected);
		rig_done(&rig);
		assert_true(died || nth > operation->least);
	}
}

static void
test_killed__at_every_call(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++)
		kill_everywhere(&operations[i]);
}

/* Is a create that died undone by a delete as well, and a grant by a revoke? */
static void
undo_everywhere(const struct operation *operation, uint32_t (*undo)(struct rig *rig),
		const char *gone)
{
	bool died = true;

	for (unsigned nth = 1; died; nth++) {
		struct rig rig;

		begin(&rig, operation);
		if (!rig_exists(&rig, ".cosid"))
			rig_mkdir(&rig, ".cosid"); /* else nothing can be undone: test_root.c */
		died = dies_at(&rig, operation, nth);
		assert_int_equal(undo(&rig), COSI_OK);
		assert_false(rig_exists(&rig, gone));
		assert_true(gone[0] == '.' || !rig_exists(&rig, ".cosid/buckets/photos.json"));
		assert_int_equal(operation->run(&rig), COSI_OK);
		rig_done(&rig);
	}
}

static void
test_killed__then_undone(void **state)
{
	(void)state;
	undo_everywhere(&operations[0], run_delete, "photos");
	undo_everywhere(&operations[4], run_revoke, ".cosid/accounts/cosi-app.json");
}

static void
fail_everywhere(const struct operation *operation, int error, uint32_t expected_code)
{
	char expected[4096];
	bool struck = true;

	expected_listing(operation, expected, sizeof expected);
	for (unsigned nth = 1; struck; nth++) {
		struct rig rig;
		unsigned descriptors;
		uint32_t code;

		begin(&rig, operation);
		descriptors = open_descriptors();
		fault_arm(FAULT_ERROR, nth, error);
		code = operation->run(&rig);
		struck = fault_disarm() >= nth;
		if (struck && code != expected_code)
			fail_msg("%s answers %u to error %d at %u", operation->name, code, error,
				 nth);
		/* What writes says which file system is full. */
		if (struck && error == ENOSPC && strstr(rig.status.text, rig.root) == NULL &&
		    strncmp(rig.status.text, "cannot read ", 12) != 0 &&
		    strncmp(rig.status.text, "cannot look up ", 15) != 0 &&
		    strncmp(rig.status.text, "cannot empty ", 13) != 0)
			fail_msg("%s at %u does not name the root: %s", operation->name, nth,
				 rig.status.text);
		assert_int_equal(open_descriptors(), descriptors);
		assert_retry_converges(&rig, operation, nth, expected);
		rig_done(&rig);
		assert_true(struck || nth > operation->least);
	}
}

static void
test_failed__at_every_call(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
		fail_everywhere(&operations[i], EIO, COSI_UNAVAILABLE);
		fail_everywhere(&operations[i], ENOSPC, COSI_EXHAUSTED);
		fail_everywhere(&operations[i], ENOMEM, COSI_EXHAUSTED);
	}
}

static void
starve_everywhere(const struct operation *operation)
{
	char expected[4096];
	bool struck = true;

	expected_listing(operation, expected, sizeof expected);
	for (unsigned nth = 1; struck; nth++) {
		struct rig rig;
		uint32_t code;

		begin(&rig, operation);
		rig.failing = nth;
		code = operation->run(&rig);
		struck = rig.nservices >= nth;
		rig.failing = 0;
		assert_int_equal(code, struck ? COSI_EXHAUSTED : COSI_OK);
		assert_retry_converges(&rig, operation, nth, expected);
		rig_done(&rig);
		assert_true(struck || nth > 2);
	}
}

static void
test_starved__at_every_service(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++)
		starve_everywhere(&operations[i]);
}

/* An interrupted read or write goes on. */
static void
test_interrupted__read_and_write(void **state)
{
	unsigned ninterrupted = 0;
	bool struck = true;

	(void)state;
	for (unsigned nth = 1; struck; nth++) {
		struct rig rig;

		begin(&rig, &operations[6]);
		fault_arm(FAULT_ERROR, nth, EINTR);
		if (run_revoke_some(&rig) == COSI_OK)
			ninterrupted++;
		struck = fault_disarm() >= nth;
		rig_done(&rig);
	}
	assert_true(ninterrupted >= 3 + 1); /* two reads, a write, and the run without */
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_killed__at_every_call),
		cmocka_unit_test(test_killed__then_undone),
		cmocka_unit_test(test_failed__at_every_call),
		cmocka_unit_test(test_starved__at_every_service),
		cmocka_unit_test(test_interrupted__read_and_write),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
