/* SPDX-License-Identifier: Apache-2.0
 * test_sign.c - keys, and what they sign. */
#include "azure.h"
#include "unit.h"
#include "vectors.h"

#include "banned.h"

enum { NVECTORS = sizeof vectors / sizeof vectors[0], NREQUESTS = 14, CONDITIONAL = 5 };

static void
test_key__every_vector(void **state)
{
	struct azure_key key;
	struct host host;

	(void)state;
	assert_int_equal(NVECTORS, 30);
	host_init(&host, NULL);
	for (size_t i = 0; i < NVECTORS; i++) {
		assert_int_equal(azure_key_read(vectors[i].key, &key), 0);
		assert_string_equal(azure_key_sign(&host.call, &key, vectors[i].text),
				    vectors[i].signature);
	}
	host_done(&host);
}

#define DATE                                                                                       \
	{                                                                                          \
		"x-ms-date", "Fri, 20 Nov 2026 12:00:00 GMT"                                       \
	}
#define VERSION                                                                                    \
	{                                                                                          \
		"x-ms-version", "2021-12-02"                                                       \
	}
#define LEASE "11111111-2222-3333-4444-555555555555"
#define NAMED                                                                                      \
	{                                                                                          \
		"restype", "container"                                                             \
	}
#define TWICE "/devstoreaccount1/cosi-b1"
#define XML   "application/xml"

/* In the order of the vectors. */
static const struct {
	const char *method, *account, *path, *type;
	size_t len;
	struct cosi_kv query[4], headers[6];
} requests[NREQUESTS] = {
	{ "PUT",
	  "devstoreaccount1",
	  TWICE,
	  "",
	  0,
	  { NAMED },
	  { DATE,
	    { "x-ms-meta-cosiowner", "drv1" },
	    { "x-ms-meta-cosiparams", "9f86d081884c7d65" },
	    VERSION } },
	{ "HEAD", "devstoreaccount1", TWICE, "", 0, { NAMED }, { DATE, VERSION } },
	{ "PUT",
	  "devstoreaccount1",
	  TWICE,
	  "",
	  0,
	  { { "comp", "lease" }, NAMED },
	  { DATE,
	    { "x-ms-lease-action", "acquire" },
	    { "x-ms-lease-duration", "15" },
	    { "x-ms-proposed-lease-id", LEASE },
	    VERSION } },
	{ "GET",
	  "devstoreaccount1",
	  TWICE,
	  "",
	  0,
	  { { "comp", "acl" }, NAMED },
	  { DATE, VERSION } },
	{ "PUT",
	  "devstoreaccount1",
	  TWICE,
	  XML,
	  294,
	  { { "comp", "acl" }, NAMED },
	  { DATE, { "x-ms-lease-id", LEASE }, VERSION } },
	{ "PUT",
	  "devstoreaccount1",
	  TWICE,
	  XML,
	  294,
	  { { "comp", "acl" }, NAMED },
	  { DATE, VERSION } },
	{ "PUT",
	  "devstoreaccount1",
	  TWICE,
	  "",
	  0,
	  { { "comp", "lease" }, NAMED },
	  { DATE, { "x-ms-lease-action", "release" }, { "x-ms-lease-id", LEASE }, VERSION } },
	{ "GET",
	  "devstoreaccount1",
	  TWICE,
	  "",
	  0,
	  { { "comp", "list" }, { "maxresults", "10" }, { "prefix", "a b/c+d&e=f" }, NAMED },
	  { DATE, VERSION } },
	{ "DELETE", "devstoreaccount1", TWICE, "", 0, { NAMED }, { DATE, VERSION } },
	{ "GET",
	  "devstoreaccount1",
	  "/devstoreaccount1",
	  "",
	  0,
	  { { "comp", "list" }, { "include", "metadata" }, { "prefix", "cosi-" } },
	  { DATE, VERSION } },
	{ "PUT",
	  "cosiacct",
	  "/cosi-b1",
	  "",
	  0,
	  { NAMED },
	  { DATE, { "x-ms-meta-cosiowner", "drv1" }, VERSION } },
	{ "PUT",
	  "cosiacct",
	  "/cosi-b1",
	  XML,
	  294,
	  { { "comp", "acl" }, NAMED },
	  { DATE, VERSION } },
	{ "GET", "cosiacct", "/", "", 0, { { "comp", "list" } }, { DATE, VERSION } },
	{ "DELETE", "cosiacct", "/cosi-b1", "", 0, { NAMED }, { DATE, VERSION } },
};

static size_t
count(const struct cosi_kv *kv, size_t most)
{
	size_t n = 0;

	while (n < most && kv[n].key != NULL)
		n++;
	return n;
}

static void
test_text__every_request(void **state)
{
	struct host host;

	(void)state;
	host_init(&host, NULL);
	for (size_t i = 0; i < NREQUESTS; i++) {
		const struct rest_request request = {
			.method = requests[i].method,
			.body = { NULL, requests[i].len },
		};
		struct rest_message message = { .request = &request, .path = requests[i].path };

		if (requests[i].type[0] != '\0')
			rest_add(&host.call, &message.headers, "content-type", requests[i].type);
		if (i == CONDITIONAL)
			rest_add(&host.call, &message.headers, "if-unmodified-since",
				 "Fri, 31 Dec 2027 00:00:00 GMT");
		for (size_t k = 0; k < count(requests[i].query, 4); k++)
			rest_add(&host.call, &message.params, requests[i].query[k].key,
				 requests[i].query[k].value);
		for (size_t k = 0; k < count(requests[i].headers, 6); k++)
			rest_add(&host.call, &message.headers, requests[i].headers[k].key,
				 requests[i].headers[k].value);
		assert_string_equal(azure_sign_text(&host.call, requests[i].account, &message),
				    vectors[i].text);
	}
	host_done(&host);
}

static const struct cosi_http_reply *
check_sent(struct host *host, const struct cosi_http *request)
{
	static const struct cosi_kv id = { "x-ms-request-id", "1" };
	static const struct cosi_http_reply reply = {
		.status = 200,
		.body = { "", 0 },
		.nheaders = 1,
		.headers = &id,
	};
	const char *expected = host->arg, *authorization = NULL;

	for (size_t i = 0; i < request->nheaders; i++)
		if (strcmp(request->headers[i].key, "authorization") == 0)
			authorization = request->headers[i].value;
	assert_non_null(authorization);
	assert_string_equal(authorization, expected);
	return &reply;
}

/* The same requests all the way: what lib/rest puts together is what the vectors sign. */
static void
test_send__every_request(void **state)
{
	static char body[294];
	struct host host;

	(void)state;
	for (size_t i = 0; i < NREQUESTS; i++) {
		const struct azure_config config = { .account = requests[i].account };
		const char *path = requests[i].path;
		bool twice = strncmp(path, "/devstoreaccount1", 17) == 0;
		struct rest_request request = {
			.method = requests[i].method,
			.path = !twice             ? path
				: path[17] != '\0' ? path + 17
						   : "",
			.nquery = count(requests[i].query, 4),
			.query = requests[i].query,
			.body = { body, requests[i].len },
		};
		struct cosi_kv headers[6];
		struct azure azure = { .config = &config };

		host_init(&host, twice ? "http://127.0.0.1/devstoreaccount1" : "http://127.0.0.1");
		assert_int_equal(azure_key_read(vectors[i].key, &azure.key), 0);
		for (size_t k = 0; k < count(requests[i].headers, 6); k++)
			if (strcmp(requests[i].headers[k].key, "x-ms-date") != 0 &&
			    strcmp(requests[i].headers[k].key, "x-ms-version") != 0)
				headers[request.nheaders++] = requests[i].headers[k];
		if (i == CONDITIONAL)
			headers[request.nheaders++] =
				(struct cosi_kv){ "if-unmodified-since",
						  "Fri, 31 Dec 2027 00:00:00 GMT" };
		request.headers = headers;
		host.now = 1795176000; /* DATE */
		host.script = check_sent;
		host.arg = cosi_printf(&host.call, "SharedKey %s:%s", requests[i].account,
				       vectors[i].signature);
		assert_non_null(rest_send(&host.call, &azure_api, &azure, &request));
		host_done(&host);
	}
}

static void
test_sas__of_a_policy(void **state)
{
	static const char policy[] = "ba-6f1f6c9e-0d2b-4c5f-9a53-2f2f4b8f1c01";
	struct azure_key key;
	struct host host;

	(void)state;
	host_init(&host, NULL);
	assert_int_equal(azure_key_read(EMULATOR_KEY, &key), 0);
	assert_string_equal(azure_sign_sas(&host.call, &key, "devstoreaccount1", "cosi-b1", policy),
			    "sv=2022-11-02&si=ba-6f1f6c9e-0d2b-4c5f-9a53-2f2f4b8f1c01&sr=c"
			    "&sig=HYmyQyisZGQJ28SVpyCyRlPZTrwzM7880oCo1CPi%2FGw%3D");
	assert_int_equal(azure_key_read(ACCOUNT_KEY, &key), 0);
	assert_string_equal(azure_sign_sas(&host.call, &key, "cosiacct", "cosi-b1", policy),
			    "sv=2022-11-02&si=ba-6f1f6c9e-0d2b-4c5f-9a53-2f2f4b8f1c01&sr=c"
			    "&sig=yYI7lAFwhWRtGBIxgspu3Lq0ePEjOzPMmaZxTGCsxQ4%3D");
	host_done(&host);
}

static void
test_key__what_is_none(void **state)
{
	static const char *const bad[] = {
		"",
		"AAA",
		"AAAA AAA",
		"AAA\nAAAA",
		"=AAA",
		"A===",
		"AA=A",
		"AAA_",
		"AAAA\n",
		" AAAA",
		"====",
		/* 65 and 66 bytes */
		"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7"
		"PD0+P0A=",
		"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7"
		"PD0+P0BB",
		"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8gISIjJCUmJygpKissLS4vMDEyMzQ1Njc4OTo7"
		"PD0+P0BBAAAA",
	};
	struct azure_key key;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		assert_int_equal(azure_key_read(bad[i], &key), -1);
	assert_int_equal(azure_key_read("AA==", &key), 0);
	assert_int_equal(key.len, 1);
	assert_int_equal(azure_key_read(ACCOUNT_KEY, &key), 0);
	assert_int_equal(key.len, AZURE_KEY_MAX);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_key__every_vector),
		cmocka_unit_test(test_text__every_request),
		cmocka_unit_test(test_send__every_request),
		cmocka_unit_test(test_sas__of_a_policy),
		cmocka_unit_test(test_key__what_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
