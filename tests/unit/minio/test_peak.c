/* SPDX-License-Identifier: Apache-2.0
 * test_peak.c - what answers of MinIO's admin API can make their parsers take. */
#include "peak.h"

#include "minio_script.h"

#include "banned.h"

static struct minio *minio;

static void
read_user(struct host *host)
{
	struct minio_user user;

	(void)minio_user_get(minio, &host->call, "KEY", &user);
}

static void
read_quota(struct host *host)
{
	int64_t nbytes;

	(void)minio_get_quota(minio, &host->call, "photos", &nbytes);
}

static int
no_account(struct cosi_call *call, const struct cosi_found *found)
{
	(void)call, (void)found;
	return 0;
}

static void
read_policies(struct host *host)
{
	(void)minio_list_accounts(&minio->store, &host->call, OWNER, no_account);
}

static void
read_policy(struct host *host)
{
	static const struct s3_access nothing;
	const char *document;

	if (minio_policy_get(minio, &host->call, "p", &document) == 0)
		(void)minio_account_same(&host->call, document, &nothing, PARAMS);
}

static void
read_location(struct host *host)
{
	const struct cosi_http_reply *reply =
		s3_get_setting(&host->call, &minio->store.client, "photos", "location");

	(void)minio_check_location(minio, &host->call, reply);
}

static void
read_refusal(struct host *host)
{
	const struct cosi_http_reply *reply =
		s3_get_setting(&host->call, &minio->store.client, "photos", "location");

	(void)minio_fail(&host->call, reply, "admin:GetUser");
}

static const struct peak_parser parsers[] = {
	{ "user", "{\"a\":[", "],\"status\":\"enabled\"}", 0, read_user, PEAK_JSON },
	{ "quota", "{\"a\":[", "],\"quota\":1}", 0, read_quota, PEAK_JSON },
	{ "policies", "{\"a\":[", "]}", 0, read_policies, PEAK_JSON },
	{ "policy", "{\"Statement\":[", "]}", 0, read_policy, PEAK_JSON },
	{ "location", "<LocationConstraint>", "</LocationConstraint>", 0, read_location, PEAK_XML },
	{ "error", "<Error><Code>AuthorizationHeaderMalformed</Code>", "</Error>", 400,
	  read_refusal, PEAK_XML },
	{ "JSON error", "{\"a\":[", "],\"Code\":\"X\"}", 400, read_user, PEAK_JSON },
};

static void
test_peak__of_each_parser(void **state)
{
	struct script script;

	(void)state;
	script_init(&script);
	minio = script.instance;
	peak_check(&script.host, parsers, sizeof parsers / sizeof parsers[0]);
	script_done(&script);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_peak__of_each_parser),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
