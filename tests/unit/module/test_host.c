/* SPDX-License-Identifier: Apache-2.0
 * test_host.c - the services, as a module sees them: what they give, and what they refuse. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/secret.h"
#include "http/http.h"
#include "rig.h"

#include "banned.h"

static void
test_fail__first_code_and_masked_text(void **state)
{
	struct rig_call *rig = *state;
	struct cosi_call *call = &rig->call.pub;
	struct secret *secret = secret_new("hunter2hunter2", 14);

	assert_false(cosi_failed(call));
	assert_true(cosi_fail(call, COSI_BUSY, "no answer to '%s'", "hunter2hunter2") < 0);
	assert_true(cosi_fail(call, COSI_INVALID, "cannot create '%s'", "photos") < 0);
	assert_true(cosi_failed(call));
	assert_int_equal(rig->status.code, COSI_BUSY);
	assert_string_equal(rig->status.text, "cannot create 'photos': no answer to '***'");
	secret_free(secret);
}

static void
test_failed_call__gets_nothing_more(void **state)
{
	struct rig_call *rig = *state;
	struct cosi_call *call = &rig->call.pub;
	unsigned char byte = 0;

	(void)cosi_fail(call, COSI_BUSY, "busy");
	assert_null(cosi_alloc(call, 1));
	assert_string_equal(cosi_printf(call, "/%s", "photos"), "");
	assert_true(call->host->random(call, &byte, 1) < 0);
	assert_null(cosi_http(call, .method = "DELETE", .path = "/"));
	assert_string_equal(rig->status.text, "busy");
}

/* What one call of log() writes; free() it. */
static char *
logged(struct cosi_call *call, uint32_t level, const char *text)
{
	char *dir = rig_dir(), *out;
	int saved = dup(STDERR_FILENO);
	int fd = open(rig_path(dir, "log"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	size_t len;

	assert_int_equal(dup2(fd, STDERR_FILENO), STDERR_FILENO);
	cosi_log(call, level, "%s", text);
	assert_int_equal(dup2(saved, STDERR_FILENO), STDERR_FILENO);
	(void)close(saved);
	(void)close(fd);
	out = rig_read(rig_path(dir, "log"), &len);
	rig_remove(dir);
	return out;
}

static void
test_log__names_module_and_backend(void **state)
{
	const struct log_fields fields = { .method = "DriverCreateBucket",
					   .backend = "b1",
					   .ms = -1 };
	struct rig_call *rig = *state;
	struct cosi_call *call = &rig->call.pub;
	char *line = logged(call, COSI_WARNING, "slow\nforged");

	rig_assert_has(line, "liar: slow\\nforged");
	rig_assert_has(line, "b1");
	free(line);
	rig->call.fields = &fields;
	line = logged(call, 0, "odd level");
	rig_assert_has(line, "DriverCreateBucket");
	free(line);
	line = logged(call, COSI_DEBUG, "too much");
	assert_string_equal(line, "");
	free(line);
}

static void
test_log__cut_at_a_kilobyte(void **state)
{
	struct rig_call *rig = *state;
	char text[3000] = { 0 }, *line;

	memset(text, 'x', 1024);
	line = logged(&rig->call.pub, COSI_ERROR, text);
	rig_assert_has(line, text);
	free(line);
	text[1024] = 'y';
	line = logged(&rig->call.pub, COSI_ERROR, text);
	assert_null(strchr(line, 'y'));
	free(line);
}

/* Where a text is cut, no part of a secret stays: in the log, in the status. */
static void
test_cut__no_part_of_a_secret(void **state)
{
	struct rig_call *rig = *state;
	struct cosi_call *call = &rig->call.pub;
	struct secret *secret = secret_new("hunter2hunter2", 14);
	char text[1100], *line;

	for (int lead = 1024 - 14; lead < 1024; lead++) {
		(void)snprintf(text, sizeof text, "%*s%s", lead, "", "hunter2hunter2");
		line = logged(call, COSI_ERROR, text);
		assert_null(strstr(line, "  h"));
		free(line);
		rig->status = (struct status){ 0 };
		(void)cosi_fail(call, COSI_BUSY, "%s", text);
		assert_null(strchr(rig->status.text, 'h'));
	}
	secret_free(secret);
}

static void
test_alloc__zeroed_and_limited(void **state)
{
	struct rig_call *rig = *state;
	struct cosi_call *call = &rig->call.pub;
	const char *p = cosi_alloc(call, 1000);

	for (size_t i = 0; i < 1000; i++)
		assert_int_equal(p[i], 0);
	assert_int_equal((uintptr_t)p % 16, 0);
	assert_null(cosi_alloc(call, 1 << 20));
	assert_int_equal(rig->status.code, COSI_EXHAUSTED);
	assert_string_equal(rig->status.text,
			    "backend 'b1' (module 'liar') needs more memory than a call may use");
}

static void
test_printf__limited(void **state)
{
	struct rig_call *rig = *state;
	struct cosi_call *call = &rig->call.pub;

	assert_string_equal(cosi_printf(call, "/%s", "photos"), "/photos");
	assert_string_equal(cosi_printf(call, "%*s", 1 << 20, ""), "");
	assert_int_equal(rig->status.code, COSI_EXHAUSTED);
}

static void
test_time_left__deadline_and_cancellation(void **state)
{
	struct rig_call *rig = *state;
	struct cosi_call *call = &rig->call.pub;
	atomic_bool cancelled = false;

	assert_true(call->host->now(call) > 1700000000);
	assert_true(call->host->time_left_ms(call) == CLOCK_NEVER);
	rig->call.deadline_ms = clock_mono_ms() + 60000;
	assert_in_range(call->host->time_left_ms(call), 1, 60000);
	rig->call.deadline_ms = 1;
	assert_true(call->host->time_left_ms(call) < 0);
	rig->call.deadline_ms = CLOCK_NEVER;
	rig->call.cancelled = &cancelled;
	assert_true(call->host->time_left_ms(call) > 0);
	atomic_store(&cancelled, true);
	assert_int_equal(call->host->time_left_ms(call), 0);
}

static void
test_wait__ends_with_the_call(void **state)
{
	struct rig_call *rig = *state;
	struct cosi_call *call = &rig->call.pub;
	atomic_bool cancelled = true;
	int64_t before = clock_mono_ms();

	assert_int_equal(call->host->wait(call, 0), 0);
	assert_int_equal(call->host->wait(call, 60), 0);
	assert_true(clock_mono_ms() - before >= 60);
	rig->call.deadline_ms = clock_mono_ms() + 60000;
	assert_true(call->host->wait(call, 60000) < 0);
	assert_int_equal(rig->status.code, COSI_TIMEOUT);
	rig_assert_has(rig->status.text, "deadline");
	rig->status = (struct status){ 0 };
	rig->call.cancelled = &cancelled;
	assert_true(call->host->wait(call, 1) < 0);
	assert_int_equal(rig->status.code, COSI_TIMEOUT);
	rig_assert_has(rig->status.text, "the caller left");
	assert_true(call->host->wait(call, 0) < 0);
}

static void
test_random__differs(void **state)
{
	struct rig_call *rig = *state;
	struct cosi_call *call = &rig->call.pub;
	unsigned char one[300] = { 0 }, two[300] = { 0 };

	assert_int_equal(call->host->random(call, one, sizeof one), 0);
	assert_int_equal(call->host->random(call, two, sizeof two), 0);
	assert_memory_not_equal(one, two, sizeof one);
}

static void
test_public_url(void **state)
{
	struct rig_call *rig = *state;
	struct cosi_call *call = &rig->call.pub;

	assert_string_equal(call->host->public_url(call), "https://s3.example.org");
	rig->backend.public_url = NULL;
	assert_string_equal(call->host->public_url(call), "");
}

static void
test_url__base_and_label(void **state)
{
	static char endpoint[] = "http://127.0.0.1:8000/store";
	struct rig_call *rig = *state;
	struct cosi_call *call = &rig->call.pub;
	const struct cosi_url *url;

	rig->instance.endpoint = endpoint;
	url = call->host->url(call, NULL, NULL);
	assert_string_equal(url->scheme, "http");
	assert_string_equal(url->host, "127.0.0.1:8000");
	assert_string_equal(url->path, "/store");
	url = call->host->url(call, "https://iam.example.org", "photos");
	assert_string_equal(url->host, "photos.iam.example.org");
	rig->instance.endpoint = NULL;
	url = call->host->url(call, NULL, NULL);
	assert_string_equal(url->host, "");
	assert_string_equal(rig->status.text, "backend 'b1' has no endpoint");
}

static void
test_http__not_in_open_and_not_without_the_flag(void **state)
{
	static char endpoint[] = "http://127.0.0.1:1";
	struct rig_call *rig = *state;
	struct cosi_call *call = &rig->call.pub;

	rig->instance.endpoint = endpoint;
	assert_null(cosi_http(call, .method = "GET", .path = "/"));
	assert_string_equal(rig->status.text, "module 'liar' uses http() in open()");
	rig->status = (struct status){ 0 };
	rig->module.flags = 0;
	assert_null(cosi_http(call, .method = "GET", .path = "/"));
	assert_string_equal(rig->status.text,
			    "module 'liar' uses the network without COSI_NETWORK");
	assert_int_equal(rig->status.code, COSI_INTERNAL);
}

static int
group_setup(void **state)
{
	(void)state;
	return http_global_init();
}

static int
group_teardown(void **state)
{
	(void)state;
	http_global_done();
	return 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		RIG_CALL_TEST(test_fail__first_code_and_masked_text),
		RIG_CALL_TEST(test_failed_call__gets_nothing_more),
		RIG_CALL_TEST(test_log__names_module_and_backend),
		RIG_CALL_TEST(test_log__cut_at_a_kilobyte),
		RIG_CALL_TEST(test_cut__no_part_of_a_secret),
		RIG_CALL_TEST(test_alloc__zeroed_and_limited),
		RIG_CALL_TEST(test_printf__limited),
		RIG_CALL_TEST(test_time_left__deadline_and_cancellation),
		RIG_CALL_TEST(test_wait__ends_with_the_call),
		RIG_CALL_TEST(test_random__differs),
		RIG_CALL_TEST(test_public_url),
		RIG_CALL_TEST(test_url__base_and_label),
		RIG_CALL_TEST(test_http__not_in_open_and_not_without_the_flag),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
