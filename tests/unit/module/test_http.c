/* SPDX-License-Identifier: Apache-2.0
 * test_http.c - http() as a module sees it: structs of other versions, what ends with the call. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "fakes/httpd.h"
#include "http/http.h"
#include "rig.h"

#include "banned.h"

#define OK "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

/* A server, and a client of the instance. */
static struct httpd *
connect_to(struct rig_call *rig, const struct httpd_step *steps, size_t nsteps)
{
	const struct http_config config = { .backend = "b1",
					    .connect_timeout_ms = 60000,
					    .request_timeout_ms = 60000 };
	struct httpd *httpd = httpd_start(steps, nsteps, NULL);
	struct status status = { 0 };

	rig->instance.client = http_client_new(&config, &status);
	assert_non_null(rig->instance.client);
	return httpd;
}

static void
disconnect(struct rig_call *rig, struct httpd *httpd)
{
	http_client_free(rig->instance.client);
	rig->instance.client = NULL;
	httpd_stop(httpd);
}

/* A module built before the fields after `path` existed, and one whose structure is larger than
 * the daemon's. */
static void
test_http__struct_of_another_size(void **state)
{
	static const struct httpd_step steps[] = { { .bytes = OK } };
	struct rig_call *rig = *state;
	struct cosi_call *call = &rig->call.pub;
	struct httpd *httpd = connect_to(rig, steps, 1);
	struct {
		struct cosi_http known;
		char more[64];
	} newer = { .known = { .size = sizeof newer,
			       .method = "GET",
			       .path = "/newer",
			       .base = httpd_url(httpd) } };
	struct cosi_http older = { .size = offsetof(struct cosi_http, query),
				   .method = "GET",
				   .path = "/older",
				   .query = (const char *)1,
				   .max_reply = 1 };

	rig->instance.endpoint = strdup(httpd_url(httpd));
	memset(newer.more, 0xff, sizeof newer.more);
	assert_string_equal(call->host->http(call, &older)->body.data, "ok");
	assert_string_equal(call->host->http(call, &newer.known)->body.data, "ok");
	rig_assert_has(httpd_request(httpd, 0), "GET /older HTTP/1.1\r\n");
	rig_assert_has(httpd_request(httpd, 1), "GET /newer HTTP/1.1\r\n");
	assert_int_equal(rig->call.nrequests, 2);
	assert_int_equal(rig->call.unknown_ms, 0);
	older.size = 0;
	assert_null(call->host->http(call, &older));
	assert_int_equal(rig->status.code, COSI_INTERNAL);
	rig_assert_has(rig->status.text, "a request has no usable method");
	assert_int_equal(httpd_nrequests(httpd), 2);
	free(rig->instance.endpoint);
	disconnect(rig, httpd);
}

static void
test_http__unknown_outcome_is_told(void **state)
{
	static const struct httpd_step steps[] = { { .then = HTTPD_CLOSE } };
	struct rig_call *rig = *state;
	struct cosi_call *call = &rig->call.pub;
	struct httpd *httpd = connect_to(rig, steps, 1);

	assert_null(cosi_http(call, .method = "POST", .path = "/", .base = httpd_url(httpd)));
	assert_int_equal(rig->status.code, COSI_UNAVAILABLE);
	assert_int_equal(rig->call.unknown_ms, 60000);
	assert_int_equal(rig->call.nrequests, 1);
	disconnect(rig, httpd);
}

/* The call's deadline and its caller's leaving count for its requests, too. */
static void
test_http__ends_with_the_call(void **state)
{
	static const struct httpd_step steps[] = { { .bytes = OK } };
	struct rig_call *rig = *state;
	struct cosi_call *call = &rig->call.pub;
	struct httpd *httpd = connect_to(rig, steps, 1);
	const atomic_bool gone = true, *stays = rig->call.cancelled;

	rig->call.deadline_ms = clock_mono_ms();
	assert_null(cosi_http(call, .method = "GET", .path = "/", .base = httpd_url(httpd)));
	assert_int_equal(rig->status.code, COSI_TIMEOUT);
	rig_assert_has(rig->status.text, "the deadline passed before 'GET /' was sent");
	rig->call.deadline_ms = CLOCK_NEVER;
	rig->call.cancelled = &gone;
	rig->status = (struct status){ 0 };
	assert_null(cosi_http(call, .method = "GET", .path = "/", .base = httpd_url(httpd)));
	rig_assert_has(rig->status.text, "the caller left before 'GET /' was sent");
	rig->call.cancelled = stays;
	assert_int_equal(httpd_nrequests(httpd), 0);
	disconnect(rig, httpd);
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
		RIG_CALL_TEST(test_http__struct_of_another_size),
		RIG_CALL_TEST(test_http__unknown_outcome_is_told),
		RIG_CALL_TEST(test_http__ends_with_the_call),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
