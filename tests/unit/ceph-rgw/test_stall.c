/* SPDX-License-Identifier: Apache-2.0
 * test_stall.c - RADOS stops answering, the gateway goes on: what it says then must not be
 * believed.
 *
 * Needs a gateway with rados_osd_op_timeout (CMakeLists.txt sets CEPH_UP_RGW), which makes it
 * answer 404 for users that it cannot read. */
#include "rgw.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "banned.h"

#define LIST(...) ((const char *const[]){ __VA_ARGS__, NULL })

enum { TRIES = 60 };

static pid_t osd;

/* ceph-up notes "osd PID START" beside ceph.conf. */
static pid_t
osd_pid(void)
{
	const char *conf = getenv("CEPH_CONF");
	char path[512], name[16];
	long pid = 0, found = 0;
	FILE *pids;

	assert_non_null(conf);
	(void)snprintf(path, sizeof path, "%.*s/pids", (int)(strrchr(conf, '/') - conf), conf);
	pids = fopen(path, "re");
	assert_non_null(pids);
	while (fscanf(pids, "%15s %ld %*s", name, &pid) == 2)
		if (strcmp(name, "osd") == 0)
			found = pid;
	assert_int_equal(fclose(pids), 0);
	assert_true(found > 1);
	return (pid_t)found;
}

static bool
thread_stands(const char *task)
{
	char path[512], stat[512] = "";
	FILE *file;

	(void)snprintf(path, sizeof path, "/proc/%d/task/%s/stat", (int)osd, task);
	file = fopen(path, "re");
	if (file == NULL)
		return false; /* the thread has ended */
	if (fgets(stat, sizeof stat, file) == NULL)
		stat[0] = '\0';
	assert_int_equal(fclose(file), 0);
	return strstr(stat, ") T ") != NULL;
}

static bool
osd_stands(void)
{
	char path[64];
	DIR *tasks;
	bool stands = true;

	(void)snprintf(path, sizeof path, "/proc/%d/task", (int)osd);
	tasks = opendir(path);
	assert_non_null(tasks);
	for (const struct dirent *task; stands && (task = readdir(tasks)) != NULL;)
		stands = task->d_name[0] == '.' || thread_stands(task->d_name);
	assert_int_equal(closedir(tasks), 0);
	return stands;
}

/* On a busy machine a thread may answer once more before the signal reaches it. */
static void
stall(void)
{
	assert_int_equal(kill(osd, SIGSTOP), 0);
	while (!osd_stands())
		;
}

static int
heal(void **state)
{
	(void)state;
	return kill(osd, SIGCONT);
}

static bool
not_answered(uint32_t code)
{
	return code == COSI_UNAVAILABLE || code == COSI_TIMEOUT || code == COSI_UNAUTHENTICATED;
}

static bool
try_again(uint32_t code)
{
	return not_answered(code) || code == COSI_BUSY;
}

/* The gateway takes a while to find its way back, and RADOS more than 1 s on a busy machine. */
#define assert_ok_in_the_end(t, call)                                                              \
	do {                                                                                       \
		uint32_t code_ = (call);                                                           \
		for (int i_ = 0; i_ < TRIES && try_again(code_); i_++)                             \
			code_ = (call);                                                            \
		assert_ok(t, code_);                                                               \
	} while (0)

static void
assert_status_in_the_end(struct rgw_test *t, const struct rgw_ask *request, int expected)
{
	int status = 0;

	for (int i = 0; i < TRIES && status != expected; i++)
		status = rgw_ask(t, request, NULL);
	assert_int_equal(status, expected);
}

/* Nothing is written while RADOS stalls: it could still happen afterwards. */
static void
test_revoke__false_404(void **state)
{
	struct rgw_test *t = *state;
	struct rgw_granted key = { "", "" };
	const struct s3_client client = { "default", key.key_id, key.key_secret, NULL };
	const struct rgw_ask list = { .client = &client, .method = "GET", .path = "/stalled" };
	static const char forget[] = "Action=PutUserPolicy&UserName=cosi-stalled&PolicyName=x&"
				     "PolicyDocument=%7B%22Version%22%3A%222012-10-17%22%2C%22"
				     "Statement%22%3A%5B%5D%7D";

	assert_ok_in_the_end(t, rgw_create(t, "stalled", RGW_PARAMS_A, NULL));
	assert_ok_in_the_end(t, rgw_grant(t, "cosi-stalled", LIST("stalled:rw"), &key));
	stall();
	/* The gateway forgets what it has cached of a user that it fails to change. */
	(void)ask(t, .method = "POST", .path = "/", .body = forget,
		  .header = { "content-type", "application/x-www-form-urlencoded" });
	assert_int_equal(ask(t, .method = "GET", .path = "/admin/user", .query = "uid",
			     .query_value = "cosi-stalled"),
			 404);
	assert_true(not_answered(rgw_revoke(t, "cosi-stalled", NULL)));
	assert_int_equal(heal(NULL), 0);
	assert_status_in_the_end(t, &list, 200);
	assert_ok_in_the_end(t, rgw_revoke(t, "cosi-stalled", NULL));
	assert_int_equal(rgw_ask(t, &list, NULL), 403);
	assert_ok_in_the_end(t, rgw_delete(t, "stalled", false));
}

/* Every operation ends, with a word that means "try again"; afterwards every one of them works. */
static void
test_all__end_and_can_be_tried_again(void **state)
{
	struct rgw_test *t = *state;
	struct rgw_granted early = { "", "" }, later = { "", "" };
	const struct s3_client client = { "default", early.key_id, early.key_secret, NULL };
	struct cosi_bucket out;
	uint32_t codes[5];

	assert_ok_in_the_end(t, rgw_create(t, "stalled-2", RGW_PARAMS_A, NULL));
	assert_ok_in_the_end(t, rgw_create(t, "stalled-3", RGW_PARAMS_A, NULL));
	assert_ok_in_the_end(t, rgw_grant(t, "cosi-early", LIST("stalled-3:rw"), &early));
	stall();
	codes[0] = rgw_create(t, "stalled-4", RGW_PARAMS_A, NULL);
	codes[1] = rgw_get(t, "stalled-4", &out);
	codes[2] = rgw_delete(t, "stalled-2", false);
	codes[3] = rgw_grant(t, "cosi-later", LIST("stalled-3:rw"), &later);
	codes[4] = rgw_revoke(t, "cosi-early", NULL);
	assert_int_equal(heal(NULL), 0);
	for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
		if (!try_again(codes[i]))
			fail_msg("operation %zu ended with code %u", i, codes[i]);
	assert_ok_in_the_end(t, rgw_create(t, "stalled-4", RGW_PARAMS_A, NULL));
	assert_ok_in_the_end(t, rgw_delete(t, "stalled-2", false));
	assert_ok_in_the_end(t, rgw_grant(t, "cosi-later", LIST("stalled-3:rw"), &later));
	assert_ok_in_the_end(t, rgw_revoke(t, "cosi-early", NULL));
	assert_int_equal(ask(t, .client = &client, .method = "GET", .path = "/stalled-3"), 403);
	assert_ok_in_the_end(t, rgw_revoke(t, "cosi-later", NULL));
	assert_ok_in_the_end(t, rgw_delete(t, "stalled-3", false));
	assert_ok_in_the_end(t, rgw_delete(t, "stalled-4", false));
}

static int
setup(void **state)
{
	osd = osd_pid();
	return rgw_setup(state);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_revoke__false_404, heal),
		cmocka_unit_test_teardown(test_all__end_and_can_be_tried_again, heal),
	};

	return cmocka_run_group_tests(tests, setup, rgw_teardown);
}
