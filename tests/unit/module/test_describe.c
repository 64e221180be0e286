/* SPDX-License-Identifier: Apache-2.0
 * test_describe.c - the lines of cosid --describe, which the manual's test reads. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rig.h"

#include "banned.h"

static const char expected[] =
	"name good\n"
	"version 1.1\n"
	"summary answers without a store\n"
	"api 1.1\n"
	"protocols s3\n"
	"auth key\n"
	"flags network\n"
	"endpoint http://127.0.0.1:1\n"
	"config region string here region that is answered\n"
	"config form enum(long|short) long form of the answer\n"
	"config counter path - file that gets a byte per open() and close()\n"
	"config password secret - a secret\n"
	"config old_passwords secret-list - more secrets\n"
	"config store url http://127.0.0.1:1 second store\n"
	"config greeting string - what to say\n"
	"config strict bool true be strict\n"
	"config fail_open bool - open() fails\n"
	"config n int 3 a number\n"
	"config size size 1Ki a size\n"
	"config wait duration 10s a duration\n"
	"common versioning bool false keep old versions of objects\n"
	"common whenNotEmpty enum(refuse|purge) refuse what happens when a bucket with objects is "
	"deleted\n"
	"bucket color enum(red|green) red color of the bucket\n"
	"bucket fast bool false be fast\n"
	"access lifetime duration 1h how long the key works\n";

/* What module_describe() printed; free() it. */
static char *
describe(const char *path, int expected_result, struct diag *diag)
{
	char *dir = rig_dir(), *text;
	const char *out = rig_path(dir, "out");
	int saved = dup(STDOUT_FILENO);
	size_t len;

	(void)fflush(stdout);
	assert_non_null(freopen(out, "we", stdout));
	assert_int_equal(module_describe(path, diag), expected_result);
	(void)fflush(stdout);
	assert_int_equal(dup2(saved, STDOUT_FILENO), STDOUT_FILENO);
	(void)close(saved);
	text = rig_read(out, &len);
	rig_remove(dir);
	return text;
}

static void
test_describe__every_kind_of_key(void **state)
{
	struct diag diag = { 0 };
	char *text = describe(FIXTURES "/good.so", 0, &diag);

	(void)state;
	assert_string_equal(text, expected);
	assert_int_equal(diag.nerrors, 0);
	free(text);
}

static void
refused(const char *path, const char *reason)
{
	struct diag diag = { 0 };
	char *text = describe(path, -1, &diag);

	assert_string_equal(text, "");
	assert_int_equal(diag.nerrors, 1);
	rig_assert_has(diag.lines[0], path);
	rig_assert_has(diag.lines[0], reason);
	diag_done(&diag);
	free(text);
}

static void
test_describe__refused(void **state)
{
	char *dir = rig_dir();
	const char *writable = rig_path(dir, "good.so");

	(void)state;
	refused(FIXTURES "/major.so", "the module is built for module API 2.1, cosid has 1.1");
	refused(FIXTURES "/absent.so", "No such file or directory: the modules there are ");
	refused(FIXTURES, "the path is a directory");
	rig_copy(FIXTURES "/good.so", rig_path(dir, "better.so"));
	refused(rig_path(dir, "better.so"), "the module's name is 'good'");
	rig_copy(FIXTURES "/good.so", writable);
	assert_int_equal(chmod(writable, 0666), 0);
	refused(writable, "users other than its owner may write to '");
	rig_remove(dir);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_describe__every_kind_of_key),
		cmocka_unit_test(test_describe__refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
