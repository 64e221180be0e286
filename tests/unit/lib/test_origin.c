/* SPDX-License-Identifier: Apache-2.0
 * test_origin.c - a reply without the store's request id is none of the store's, whatever its
 * status. */
#include "rest/rest.h"

#include "unit.h"

#include "banned.h"

static int
sign_nothing(struct cosi_call *call, const void *who, struct rest_message *message)
{
	(void)call, (void)who, (void)message;
	return 0;
}

static int reply_status;
static bool reply_has_id;

/* What the store, or some server on the way, answers. */
static const struct cosi_http_reply *
reply_perhaps_of_the_store(struct host *host, const struct cosi_http *request)
{
	static const struct cosi_kv headers[] = { { "shop-code", "Closed" }, { "shop-id", "1" } };
	struct cosi_http_reply *reply = cosi_alloc(&host->call, sizeof *reply);

	(void)request;
	*reply = (struct cosi_http_reply){
		.status = reply_status,
		.body = bytes("<html></html>"),
		.nheaders = reply_has_id ? 2 : 1,
		.headers = headers,
	};
	return reply;
}

static void
test_send__answers_of_others_are_not_believed(void **state)
{
	static const struct rest_api known = { .name = "Shop",
					       .sign = sign_nothing,
					       .id_header = "shop-id" };
	static const int statuses[] = { 200, 201, 202, 204, 301, 400, 403, 404, 409, 503 };
	struct host host;

	(void)state;
	host_init(&host, "http://shop.example");
	host.script = reply_perhaps_of_the_store;
	for (size_t i = 0; i < sizeof statuses / sizeof statuses[0]; i++) {
		reply_status = statuses[i];
		reply_has_id = true;
		assert_non_null(rest_call(&host.call, &known, NULL, .method = "GET", .path = "/"));
		reply_has_id = false;
		assert_null(rest_call(&host.call, &known, NULL, .method = "GET", .path = "/"));
		assert_int_equal(host.code, COSI_UNAVAILABLE);
		assert_non_null(strstr(host.text, "is not from Shop: it has no header 'shop-id'"));
		host_reset(&host);
	}
	host_done(&host);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_send__answers_of_others_are_not_believed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
