/* SPDX-License-Identifier: Apache-2.0
 * test_log.c - what arrives on stderr: formats, levels, the journal's prefix, threads. */
#include "base/log.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "capture.h"

#include "banned.h"

static void
test_text__time_level_message_fields(void **state)
{
	struct log_fields fields = {
		"v1alpha1", "DriverCreateBucket", "rgw-east", "bc-1", "rgw-east.bc-1", NULL, "OK",
		12
	};
	int year, month, day, hour, minute, second, ms, end = 0;

	(void)state;
	log_setup(COSI_INFO, false);
	capture_start();
	log_line(COSI_NOTICE, &fields, "created '%s'", "ba-1");
	capture_end();
	assert_int_equal(sscanf(got, "%4d-%2d-%2dT%2d:%2d:%2d.%3dZ %n", &year, &month, &day, &hour,
				&minute, &second, &ms, &end),
			 7);
	assert_int_equal(end, strlen("2024-01-02T03:04:05.678Z "));
	assert_string_equal(got + end,
			    "notice created 'ba-1' api=v1alpha1 method=DriverCreateBucket "
			    "backend=rgw-east name=bc-1 bucket=rgw-east.bc-1 code=OK ms=12\n");
}

static void
test_json__one_object(void **state)
{
	struct log_fields fields = { "v1alpha2", "DriverGrantBucketAccess", "b", "a", "b.n",
				     "b.cosi-a", "PERMISSION_DENIED",       0 };

	(void)state;
	log_setup(COSI_INFO, true);
	capture_start();
	log_line(COSI_ERROR, &fields, "cannot grant 'a \"b\"'");
	capture_end();
	assert_true(is_flat_json(got));
	assert_memory_equal(got, "{\"time\":\"", 9);
	assert_string_equal(got + strlen("{\"time\":\"2024-01-02T03:04:05.678Z\""),
			    ",\"level\":\"error\",\"msg\":\"cannot grant 'a \\\"b\\\"'\",\"api\":"
			    "\"v1alpha2\",\"method\":\"DriverGrantBucketAccess\",\"backend\":\"b\","
			    "\"name\":\"a\",\"bucket\":\"b.n\",\"account\":\"b.cosi-a\",\"code\":"
			    "\"PERMISSION_DENIED\",\"ms\":0}\n");
}

static void
test_level__above_is_dropped(void **state)
{
	(void)state;
	log_setup(COSI_WARNING, false);
	assert_true(log_wants(COSI_WARNING));
	assert_false(log_wants(COSI_NOTICE));
	capture_start();
	log_notice("no");
	log_warning("yes");
	log_error("yes");
	capture_end();
	assert_null(strstr(got, "no"));
	assert_non_null(strstr(got, "warning yes\n"));
	assert_non_null(strstr(got, "error yes\n"));
}

static void
test_level__words(void **state)
{
	(void)state;
	assert_int_equal(log_level_parse("error"), COSI_ERROR);
	assert_int_equal(log_level_parse("warning"), COSI_WARNING);
	assert_int_equal(log_level_parse("notice"), COSI_NOTICE);
	assert_int_equal(log_level_parse("info"), COSI_INFO);
	assert_int_equal(log_level_parse("debug"), COSI_DEBUG);
	assert_int_equal(log_level_parse("Info"), 0);
	assert_int_equal(log_level_parse(""), 0);
}

static void
test_errno__for_m_and_for_the_caller(void **state)
{
	(void)state;
	log_setup(COSI_INFO, false);
	capture_start();
	errno = ENOSPC;
	log_info("cannot write: %m");
	assert_int_equal(errno, ENOSPC);
	capture_end();
	assert_string_equal(message_of(got), "cannot write: No space left on device\n");
}

static void
test_journal__priority_and_no_date_for_its_own_stream_alone(void **state)
{
	struct stat st;
	char name[64];

	(void)state;
	capture_start();
	assert_int_equal(fstat(STDERR_FILENO, &st), 0);
	(void)snprintf(name, sizeof name, "%ju:%ju", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
	assert_int_equal(setenv("JOURNAL_STREAM", name, 1), 0);
	log_setup(COSI_DEBUG, false);
	log_debug("one");
	log_setup(COSI_DEBUG, true);
	log_error("two");
	assert_int_equal(setenv("JOURNAL_STREAM", "1:1", 1), 0);
	log_setup(COSI_DEBUG, true);
	log_error("three");
	capture_end();
	assert_int_equal(unsetenv("JOURNAL_STREAM"), 0);
	assert_memory_equal(got, "<7>debug one\n", strlen("<7>debug one\n"));
	assert_non_null(strstr(got, "\n<3>{\"time\""));
	assert_non_null(strstr(got, "\n{\"time\""));
}

static void *
log_many(void *arg)
{
	for (int i = 0; i < 200; i++)
		log_info("%s", (const char *)arg);
	return NULL;
}

/* A datagram socket keeps the writes apart, so a line in two of them would show. */
static void
test_threads__one_write_per_line(void **state)
{
	char texts[4][1000], packet[LINE_MAX_BYTES + 1];
	pthread_t threads[4];
	int fds[2], ends[256] = { 0 };
	ssize_t len;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, fds), 0);
	log_setup(COSI_INFO, false);
	capture_start();
	assert_int_equal(dup2(fds[0], STDERR_FILENO), STDERR_FILENO);
	for (int i = 0; i < 4; i++) {
		memset(texts[i], 'a' + i, sizeof texts[i] - 1);
		texts[i][sizeof texts[i] - 1] = '\0';
		assert_int_equal(pthread_create(&threads[i], NULL, log_many, texts[i]), 0);
	}
	for (int i = 0; i < 800; i++) {
		len = recv(fds[1], packet, sizeof packet - 1, 0);
		assert_true(len > 999);
		packet[len] = '\0';
		assert_int_equal(strlen(message_of(packet)), 1000);
		assert_int_equal(strspn(message_of(packet), (char[2]){ packet[len - 2], '\0' }),
				 999);
		ends[(unsigned char)packet[len - 2]]++;
	}
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	capture_end();
	for (int i = 0; i < 4; i++)
		assert_int_equal(ends['a' + i], 200);
	(void)close(fds[0]);
	(void)close(fds[1]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text__time_level_message_fields),
		cmocka_unit_test(test_json__one_object),
		cmocka_unit_test(test_level__above_is_dropped),
		cmocka_unit_test(test_level__words),
		cmocka_unit_test(test_errno__for_m_and_for_the_caller),
		cmocka_unit_test(test_journal__priority_and_no_date_for_its_own_stream_alone),
		cmocka_unit_test(test_threads__one_write_per_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
