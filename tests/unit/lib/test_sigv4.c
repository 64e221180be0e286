/* SPDX-License-Identifier: Apache-2.0
 * test_sigv4.c - AWS's published examples, and one that an independent signer computed. */
#include "s3/s3.h"

#include <stdlib.h>

#include "unit.h"

#include "banned.h"

#define EMPTY      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
#define HELLO      "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072"
#define S3_HOST    "examplebucket.s3.amazonaws.com"
#define S3_DATE    "20130524T000000Z"
#define SUITE_DATE "20150830T123600Z"

static const struct sigv4_key s3_key = { "AKIAIOSFODNN7EXAMPLE",
					 "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "us-east-1",
					 "s3" };
static const struct sigv4_key suite_key = { "AKIDEXAMPLE",
					    "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "us-east-1",
					    "service" };

static void
expect(const struct sigv4_key *key, const struct sigv4_request *request, const char *signature)
{
	struct host host;
	const char *value;

	host_init(&host, NULL);
	value = sigv4_authorization(&host.call, key, request);
	assert_non_null(value);
	assert_non_null(strstr(value, "Signature="));
	assert_string_equal(strstr(value, "Signature=") + strlen("Signature="), signature);
	host_done(&host);
}

static void
test_s3__get_object(void **state)
{
	const struct cosi_kv headers[] = { { "host", S3_HOST },
					   { "range", "bytes=0-9" },
					   { "x-amz-content-sha256", EMPTY },
					   { "x-amz-date", S3_DATE } };
	const struct sigv4_request request = { "GET", "/test.txt", "", 4, headers, EMPTY, S3_DATE };
	struct host host;

	(void)state;
	expect(&s3_key, &request,
	       "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
	host_init(&host, NULL);
	assert_string_equal(
		sigv4_authorization(&host.call, &s3_key, &request),
		"AWS4-HMAC-SHA256 "
		"Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
		"SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,"
		"Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41");
	host_done(&host);
}

static void
test_s3__put_object(void **state)
{
	const struct cosi_kv headers[] = { { "date", "Fri, 24 May 2013 00:00:00 GMT" },
					   { "host", S3_HOST },
					   { "x-amz-content-sha256", HELLO },
					   { "x-amz-date", S3_DATE },
					   { "x-amz-storage-class", "REDUCED_REDUNDANCY" } };
	const struct sigv4_request request = { "PUT",  "/test%24file.text", "", 5, headers, HELLO,
					       S3_DATE };

	(void)state;
	expect(&s3_key, &request,
	       "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd");
}

static void
test_s3__queries(void **state)
{
	const struct cosi_kv headers[] = { { "host", S3_HOST },
					   { "x-amz-content-sha256", EMPTY },
					   { "x-amz-date", S3_DATE } };
	const struct sigv4_request bare = { "GET", "/", "lifecycle=", 3, headers, EMPTY, S3_DATE };
	const struct sigv4_request two = { "GET", "/",    "max-keys=2&prefix=J", 3, headers,
					   EMPTY, S3_DATE };

	(void)state;
	expect(&s3_key, &bare, "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543");
	expect(&s3_key, &two, "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7");
}

static void
test_suite__vanilla(void **state)
{
	const struct cosi_kv headers[] = { { "host", "example.amazonaws.com" },
					   { "x-amz-date", SUITE_DATE } };
	const struct sigv4_request get = { "GET", "/", "", 2, headers, EMPTY, SUITE_DATE };
	const struct sigv4_request post = { "POST", "/", "", 2, headers, EMPTY, SUITE_DATE };
	const struct sigv4_request query = { "GET",     "/",     "Param1=value1&Param2=value2",
					     2,         headers, EMPTY,
					     SUITE_DATE };

	(void)state;
	expect(&suite_key, &get,
	       "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31");
	expect(&suite_key, &post,
	       "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b");
	expect(&suite_key, &query,
	       "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500");
}

static void
test_date__range(void **state)
{
	struct host host;

	(void)state;
	host_init(&host, NULL);
	assert_string_equal(rest_write_date(&host.call, REST_BASIC, 0), "19700101T000000Z");
	assert_string_equal(rest_write_date(&host.call, REST_BASIC, 1767323045),
			    "20260102T030405Z");
	assert_string_equal(rest_write_date(&host.call, REST_BASIC, INT64_MAX), "");
	assert_string_equal(rest_write_date(&host.call, REST_RFC3339, 1767323045),
			    "2026-01-02T03:04:05Z");
	host_done(&host);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_s3__get_object), cmocka_unit_test(test_s3__put_object),
		cmocka_unit_test(test_s3__queries),    cmocka_unit_test(test_suite__vanilla),
		cmocka_unit_test(test_date__range),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
