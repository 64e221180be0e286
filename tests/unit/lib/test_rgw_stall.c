/* SPDX-License-Identifier: Apache-2.0
 * test_rgw_stall.c - RADOS stops answering, the gateway goes on: what it says then must not be
 * believed.
 *
 * Needs a gateway with rados_osd_op_timeout (with-rgw reads "stall" in the program's name), which
 * makes it answer 404 for users that it cannot read. */
#include "rgw.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "banned.h"

#define LIST(...) ((const char *const[]){ __VA_ARGS__, NULL })

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

static void
stall(void)
{
	assert_int_equal(kill(osd, SIGSTOP), 0);
}

static int
heal(void **state)
{
	(void)state;
	return kill(osd, SIGCONT);
}

/* Until the gateway reads from RADOS again: it may take a while to find its way back. */
static void
heal_and_wait(struct rgw_test *t)
{
	assert_int_equal(heal(NULL), 0);
	for (int i = 0; i < 60; i++)
		if (ask(t, .method = "HEAD", .path = "/stalled") == 200)
			return;
	fail_msg("the gateway does not come back");
}

static void
test_revoke__false_404(void **state)
{
	struct rgw_test *t = *state;
	struct rgw_granted key = { "", "" };
	const struct s3_client client = { "default", key.key_id, key.key_secret, NULL };
	static const char forget[] = "Action=PutUserPolicy&UserName=cosi-stalled&PolicyName=x&"
				     "PolicyDocument=%7B%22Version%22%3A%222012-10-17%22%2C%22"
				     "Statement%22%3A%5B%5D%7D";
	uint32_t code;

	assert_ok(t, rgw_create(t, "stalled", RGW_PARAMS_A, NULL));
	assert_ok(t, rgw_grant(t, "cosi-stalled", LIST("stalled:rw"), &key));
	stall();
	assert_int_not_equal(rgw_revoke(t, "cosi-stalled", NULL), COSI_OK);
	/* The gateway forgets what it has cached of a user that it fails to change. */
	(void)ask(t, .method = "POST", .path = "/", .body = forget,
		  .header = { "content-type", "application/x-www-form-urlencoded" });
	assert_int_equal(ask(t, .method = "GET", .path = "/admin/user", .query = "uid",
			     .query_value = "cosi-stalled"),
			 404);
	code = rgw_revoke(t, "cosi-stalled", NULL);
	assert_true(code == COSI_UNAVAILABLE || code == COSI_TIMEOUT ||
		    code == COSI_UNAUTHENTICATED);
	heal_and_wait(t);
	assert_int_equal(ask(t, .client = &client, .method = "GET", .path = "/stalled"), 200);
	assert_ok(t, rgw_revoke(t, "cosi-stalled", NULL));
	assert_int_equal(ask(t, .client = &client, .method = "GET", .path = "/stalled"), 403);
}

/* Every operation ends, with a word that means "try again"; afterwards every one of them works. */
static void
test_all__end_and_can_be_tried_again(void **state)
{
	struct rgw_test *t = *state;
	struct rgw_granted key = { "", "" };
	struct cosi_bucket out;
	uint32_t codes[5];

	assert_ok(t, rgw_create(t, "stalled-2", RGW_PARAMS_A, NULL));
	stall();
	codes[0] = rgw_create(t, "stalled-3", RGW_PARAMS_A, NULL);
	codes[1] = rgw_get(t, "stalled-3", &out);
	codes[2] = rgw_delete(t, "stalled-2", false);
	codes[3] = rgw_grant(t, "cosi-later", LIST("stalled-2:rw"), &key);
	codes[4] = rgw_revoke(t, "cosi-later", NULL);
	heal_and_wait(t);
	for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
		if (codes[i] != COSI_UNAVAILABLE && codes[i] != COSI_TIMEOUT &&
		    codes[i] != COSI_UNAUTHENTICATED && codes[i] != COSI_BUSY)
			fail_msg("operation %zu ended with code %u", i, codes[i]);
	assert_ok(t, rgw_create(t, "stalled-3", RGW_PARAMS_A, NULL));
	assert_ok(t, rgw_grant(t, "cosi-later", LIST("stalled:rw"), &key));
	assert_ok(t, rgw_revoke(t, "cosi-later", NULL));
	assert_ok(t, rgw_delete(t, "stalled-2", false));
	assert_ok(t, rgw_delete(t, "stalled-3", false));
	assert_ok(t, rgw_delete(t, "stalled", false));
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
