/* SPDX-License-Identifier: Apache-2.0
 * test_peak.c - what Azure's documents can make their parsers take. */
#include "peak.h"

#include "azure_script.h"
#include "policy.h"

#include "banned.h"

static const struct azure *azure;

static void
read_policies(struct host *host)
{
	struct acl acl;

	(void)acl_read(&host->call, peak_document(host), &acl);
}

static int
no_container(void *arg, struct cosi_call *call, const struct azure_container *container)
{
	(void)arg, (void)call, (void)container;
	return 0;
}

static void
read_containers(struct host *host)
{
	(void)azure_each_container(azure, &host->call, no_container, NULL);
}

static void
read_blobs(struct host *host)
{
	bool has;

	(void)azure_has_blobs(azure, &host->call, "photos", &has);
}

#define PAGE     "<EnumerationResults><Containers>"
#define PAGE_END "</Containers></EnumerationResults>"

static const struct peak_parser parsers[] = {
	{ "policies", "<SignedIdentifiers>", "</SignedIdentifiers>", 0, read_policies, PEAK_XML },
	{ "policy", "<SignedIdentifiers><SignedIdentifier><Id>",
	  "</Id></SignedIdentifier></SignedIdentifiers>", 0, read_policies, PEAK_XML },
	{ "containers", PAGE, PAGE_END, 0, read_containers, PEAK_XML },
	{ "metadata", PAGE "<Container><Name>photos</Name><Metadata>",
	  "</Metadata></Container>" PAGE_END, 0, read_containers, PEAK_XML },
	{ "blobs", "<EnumerationResults><Blobs>", "</Blobs></EnumerationResults>", 0, read_blobs,
	  PEAK_XML },
	{ "error", "<Error>", "</Error>", 400, read_blobs, PEAK_XML },
};

static void
test_peak__of_each_parser(void **state)
{
	struct script script;

	(void)state;
	script_init(&script);
	azure = script.instance;
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
