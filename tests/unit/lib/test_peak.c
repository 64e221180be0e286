/* SPDX-License-Identifier: Apache-2.0
 * test_peak.c - what S3's documents can make their parsers take. */
#include "peak.h"
#include "s3/store.h"
#include "text/xml.h"
#include "unit.h"

#include "banned.h"

static const struct s3_client client = { "us-east-1", "KEY", "secret", NULL };

static void
read_tags(struct host *host)
{
	struct s3_tags tags;

	(void)s3_tags_read(&host->call, peak_document(host), &tags);
}

static int
no_item(void *arg, const struct s3_item *item)
{
	(void)arg, (void)item;
	return 0;
}

static void
read_page(struct host *host)
{
	struct s3_page page;

	(void)s3_list_read(peak_document(host), true, no_item, NULL, &page);
}

static void
read_deleted(struct host *host)
{
	struct s3_delete_errors errors;

	(void)s3_list_read_deleted(peak_document(host), &errors);
}

static void
read_buckets(struct host *host)
{
	struct s3_buckets buckets;

	(void)s3_buckets_read(&host->call, &client, &buckets);
}

static void
read_error(struct host *host)
{
	const struct cosi_http_reply *reply =
		s3_call(&host->call, &client, .method = "GET", .path = "/b");

	(void)s3_fail(&host->call, reply);
}

static void
read_policy(struct host *host)
{
	struct s3_access access;

	(void)s3_policy_read(&host->call, host->arg, &access);
	(void)s3_policy_sid(&host->call, host->arg, "x");
	(void)s3_policy_equal(host->arg, "{}");
}

static void
purge(struct host *host)
{
	(void)s3_purge(&host->call, &client, "b");
}

#define VERSIONS "<ListVersionsResult><Version><Key>k</Key><VersionId>1</VersionId></Version>"

static const struct peak_parser parsers[] = {
	{ "tags", "<Tagging><TagSet>", "</TagSet></Tagging>", 0, read_tags, PEAK_XML },
	{ "a tag's key", "<Tagging><TagSet><Tag><Key>", "</Key></Tag></TagSet></Tagging>", 0,
	  read_tags, PEAK_XML },
	{ "page", "<ListVersionsResult>", "</ListVersionsResult>", 0, read_page, PEAK_XML },
	{ "version", "<ListVersionsResult><Version><Key>", "</Key></Version></ListVersionsResult>",
	  0, read_page, PEAK_XML },
	{ "delete result", "<DeleteResult>", "</DeleteResult>", 0, read_deleted, PEAK_XML },
	{ "buckets", "<ListAllMyBucketsResult><Buckets>", "</Buckets></ListAllMyBucketsResult>", 0,
	  read_buckets, PEAK_XML },
	{ "error", "<Error>", "</Error>", 400, read_error, PEAK_XML },
	{ "error's code", "<Error><Code>", "</Code></Error>", 400, read_error, PEAK_XML },
	{ "JSON error", "{\"a\":[", "],\"Code\":\"X\"}", 400, read_error, PEAK_JSON },
	{ "policy", "{\"Statement\":[", "]}", 0, read_policy, PEAK_JSON },
	{ "policy's actions", "{\"Statement\":[{\"Action\":[", "]}]}", 0, read_policy, PEAK_JSON },
	{ "purge", VERSIONS, "</ListVersionsResult>", 0, purge, PEAK_XML },
};

static void
test_peak__of_each_parser(void **state)
{
	struct host host;

	(void)state;
	host_init(&host, NULL);
	peak_check(&host, parsers, sizeof parsers / sizeof parsers[0]);
	host_done(&host);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_peak__of_each_parser),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
