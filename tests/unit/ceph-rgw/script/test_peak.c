/* SPDX-License-Identifier: Apache-2.0
 * test_peak.c - what answers of RADOS Gateway's admin and IAM API can make their parsers take. */
#include "peak.h"

#include "rgw_script.h"

#include "banned.h"

static struct rgw *rgw;

static void
read_user(struct host *host)
{
	struct rgw_user user;

	(void)rgw_user_get(rgw, &host->call, "cosi-ba-1", NULL, &user);
}

static void
read_owner_of_key(struct host *host)
{
	bool known;

	(void)rgw_key_is_known(rgw, &host->call, "cosi-ba-1", "KEY", &known);
}

static void
read_names(struct host *host)
{
	json_t *names = NULL;
	const char *next;

	(void)rgw_user_names(rgw, &host->call, "", &names, &next);
	json_decref(names);
}

static void
read_own(struct host *host)
{
	const char *uid;

	(void)rgw_own_uid(rgw, &host->call, &uid);
}

static void
read_policy(struct host *host)
{
	const char *document;

	(void)rgw_policy_get(rgw, &host->call, "cosi-ba-1", true, &document);
}

static void
read_written(struct host *host)
{
	(void)rgw_policy_put(rgw, &host->call, "cosi-ba-1", "{}");
}

static void
read_bucket(struct host *host)
{
	(void)rgw_refused(&rgw->store, &host->call, "photos");
}

#define RESULT     "<GetUserPolicyResponse><GetUserPolicyResult>"
#define RESULT_END "</GetUserPolicyResult></GetUserPolicyResponse>"

static const struct peak_parser parsers[] = {
	{ "user", "{\"user_id\":\"cosi-ba-1\",\"keys\":[", "]}", 0, read_user, PEAK_JSON },
	{ "owner of a key", "{\"user_id\":\"cosi-ba-1\",\"keys\":[", "]}", 0, read_owner_of_key,
	  PEAK_JSON },
	{ "names", "{\"keys\":[", "]}", 0, read_names, PEAK_JSON },
	{ "own user", "{\"user_id\":\"driver\",\"caps\":[", "]}", 0, read_own, PEAK_JSON },
	{ "bucket", "{\"owner\":\"driver\",\"bucket_quota\":[", "]}", 0, read_bucket, PEAK_JSON },
	{ "policy", RESULT, RESULT_END, 0, read_policy, PEAK_XML },
	{ "policy's text", RESULT "<PolicyDocument>", "</PolicyDocument>" RESULT_END, 0,
	  read_policy, PEAK_XML },
	{ "written policy", "<PutUserPolicyResponse>", "</PutUserPolicyResponse>", 0, read_written,
	  PEAK_XML },
	{ "error", "<Error>", "</Error>", 403, read_user, PEAK_XML },
};

static void
test_peak__of_each_parser(void **state)
{
	struct script script;

	(void)state;
	script_init(&script, NULL);
	rgw = script.instance;
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
