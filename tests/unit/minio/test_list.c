/* SPDX-License-Identifier: Apache-2.0
 * test_list.c - what has the driver's tags is listed, from answers as a server gives them. */
#include <stdio.h>

#include "minio.h"
#include "unit.h"

#include "banned.h"

#define OWNER "a.example.org"
#define TAGGING(driver)                                                                            \
	"<Tagging><TagSet><Tag><Key>cosi-driver</Key><Value>" driver "</Value></Tag>"              \
	"<Tag><Key>cosi-name</Key><Value>photos</Value></Tag>"                                     \
	"<Tag><Key>cosi-params</Key><Value>1:ab</Value></Tag></TagSet></Tagging>"

extern const struct cosi_module cosi_module;

static char listed[512];
static const char *policies;
static int stop_after;

static int
found(struct cosi_call *call, const struct cosi_found *item)
{
	size_t len = strlen(listed);

	(void)call;
	(void)snprintf(listed + len, sizeof listed - len, "%u %s %s %s %lld;", item->kind,
		       item->native, item->mark.name != NULL ? item->mark.name : "-",
		       item->mark.params != NULL ? item->mark.params : "-",
		       (long long)item->created);
	return --stop_after == 0 ? 1 : 0;
}

static const struct cosi_http_reply *
server(struct host *host, const struct cosi_http *request)
{
	if (strcmp(request->path, "/") == 0)
		return host_reply(
			host, 200,
			"<ListAllMyBucketsResult><Buckets>"
			"<Bucket><Name>ours</Name><CreationDate>2026-11-21T14:53:41.580Z"
			"</CreationDate></Bucket><Bucket><Name>theirs</Name></Bucket>"
			"<Bucket><Name>nobodys</Name></Bucket></Buckets></ListAllMyBucketsResult>");
	if (strcmp(request->path, "/ours") == 0)
		return host_reply(host, 200, TAGGING(OWNER));
	if (strcmp(request->path, "/theirs") == 0)
		return host_reply(host, 200, TAGGING("b.example.org"));
	if (strcmp(request->path, "/nobodys") == 0)
		return host_reply(host, 404, "<Error><Code>NoSuchTagSet</Code></Error>");
	assert_string_equal(request->path, "/minio/admin/v3/list-canned-policies");
	return host_reply(host, 200, policies);
}

static uint32_t
list(const char *all_policies, int stop, const char *expected)
{
	static const struct minio_config config = {
		.region = "us-east-1",
		.access_key = "KEY",
		.secret_key = "secret",
		.credential_key = "0123456789abcdef0123456789abcdef",
	};
	void *minio;
	struct host host;
	uint32_t code;

	host_init(&host, NULL);
	assert_int_equal(cosi_module.open(&host.call, &config, &minio), 0);
	host.script = server;
	listed[0] = '\0';
	policies = all_policies;
	stop_after = stop;
	(void)cosi_module.list(minio, &host.call, OWNER, found);
	cosi_module.close(minio);
	assert_string_equal(listed, expected);
	code = host.code;
	host_done(&host);
	return code;
}

#define BUCKET  "1 ours photos 1:ab 1795272821;"
#define ACCOUNT "2 cosi-ba-1 - - 0;"
#define POLICY  "\"cosi-ba-1.COSIUHANMNK4KXEIZJ3N\":{}"

static void
test_list__ours_alone(void **state)
{
	(void)state;
	assert_int_equal(list("{\"consoleAdmin\":{},\"cosi-ba-2.COSIAAAAAAAAAAAAAAAA\":{},"
			      "\"cosi-ba-1\":{},\"x.y\":{}," POLICY "}",
			      0, BUCKET ACCOUNT),
			 0);
}

static void
test_list__until_it_is_enough(void **state)
{
	(void)state;
	assert_int_equal(list("{" POLICY "}", 1, BUCKET), 0);
	assert_int_equal(list("{" POLICY "}", 2, BUCKET ACCOUNT), 0);
}

static void
test_list__answers_that_are_none(void **state)
{
	(void)state;
	assert_int_equal(list("{\"x\":", 0, BUCKET), COSI_UNAVAILABLE);
	assert_int_equal(list("[]", 0, BUCKET), COSI_UNAVAILABLE);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_list__ours_alone),
		cmocka_unit_test(test_list__until_it_is_enough),
		cmocka_unit_test(test_list__answers_that_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
