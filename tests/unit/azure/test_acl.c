/* SPDX-License-Identifier: Apache-2.0
 * test_acl.c - lists of policies: nothing of others' is lost on the way through. */
#include "policy.h"

#include <stdio.h>
#include <stdlib.h>

#include "unit.h"

#include "banned.h"

#define BOM  "\xef\xbb\xbf"
#define HEAD "<?xml version=\"1.0\" encoding=\"utf-8\"?>"
#define OPEN "<SignedIdentifiers>"
#define SHUT "</SignedIdentifiers>"

/* What an administrator made with a tool of his own, as Azure gives it; a later version may say
 * more.
 */
#define FOREIGN                                                                                    \
	"<SignedIdentifier>\n  <Id>a &amp; "                                                       \
	"b\xc3\xa4</Id><AccessPolicy><Start>2026-11-20T00:00:00."                                  \
	"0000000Z</Start><Expiry>2027-11-20T00:00:00.0000000Z</Expiry><Permission>rl</Permission>" \
	"<Later kind=\"1\"/></AccessPolicy></SignedIdentifier>"
#define BARE "<SignedIdentifier><Id>bare</Id><AccessPolicy /></SignedIdentifier>"

static int
try_read(struct host *host, const char *text, struct acl *out)
{
	host_reset(host);
	return acl_read(&host->call, bytes(text), out);
}

static void
test_read__what_azure_says(void **state)
{
	struct host host;
	struct acl acl;

	(void)state;
	host_init(&host, NULL);
	assert_int_equal(try_read(&host, BOM HEAD OPEN FOREIGN BARE SHUT, &acl), 0);
	assert_int_equal(acl.n, 2);
	assert_string_equal(acl.policies[0].id, "a & b\xc3\xa4");
	assert_string_equal(acl.policies[0].expiry, "2027-11-20T00:00:00.0000000Z");
	assert_string_equal(acl.policies[0].permission, "rl");
	assert_string_equal(acl.policies[1].id, "bare");
	assert_string_equal(acl.policies[1].expiry, "");
	assert_string_equal(acl.policies[1].permission, "");
	host_done(&host);
}

static void
test_read__none(void **state)
{
	static const char *const empty[] = { "<SignedIdentifiers/>", "<SignedIdentifiers />",
					     HEAD "<SignedIdentifiers></SignedIdentifiers>",
					     BOM HEAD "<SignedIdentifiers />" };
	struct host host;
	struct acl acl;

	(void)state;
	host_init(&host, NULL);
	for (size_t i = 0; i < sizeof empty / sizeof empty[0]; i++) {
		assert_int_equal(try_read(&host, empty[i], &acl), 0);
		assert_int_equal(acl.n, 0);
		assert_int_equal(acl_write(&host.call, &acl, "").len, 0);
	}
	host_done(&host);
}

static void
test_read__garbage(void **state)
{
	static const char *const bad[] = {
		"",
		"no",
		"<html></html>",
		"<Error><Code>ServerBusy</Code></Error>",
		OPEN,
		OPEN FOREIGN,
		OPEN "<SignedIdentifier><Id>a</Id>" SHUT,
		OPEN SHUT "x",
		/* well-formed, but it could not be given back as it is */
		OPEN "<SignedIdentifier/>" SHUT,
		OPEN "<SignedIdentifier a=\"b\"><Id>a</Id></SignedIdentifier>" SHUT,
		OPEN "<x:SignedIdentifier xmlns:x=\"y\"><Id>a</Id></x:SignedIdentifier>" SHUT,
		OPEN "<SignedIdentifier><Id>" BARE "</Id></SignedIdentifier>" SHUT,
		OPEN "<Other>" BARE "</Other>" SHUT,
		OPEN "<Other>keep</Other>" BARE SHUT,
		OPEN BARE "<Other/>" SHUT,
		HEAD "<?pi " BARE "?>" OPEN BARE SHUT,
		"<?pi " BARE "?>" OPEN "<SignedIdentifier/>" SHUT,
		OPEN "<!-- " BARE " -->" BARE SHUT,
		OPEN
		"<SignedIdentifier><Id><![CDATA[<SignedIdentifier>]]></Id></SignedIdentifier>" SHUT,
		"<!DOCTYPE a><SignedIdentifiers/>",
		"<?xml version=\"1.0\" encoding=\"iso-8859-1\"?>" OPEN
		"<SignedIdentifier><Id>\xe4</Id></SignedIdentifier>" SHUT,
	};
	struct host host;
	struct acl acl;

	(void)state;
	host_init(&host, NULL);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		if (try_read(&host, bad[i], &acl) == 0)
			fail_msg("'%s' was read", bad[i]);
	host_done(&host);
}

static const char *
many(struct host *host, size_t n)
{
	const char *text = OPEN;

	for (size_t i = 0; i < n; i++)
		text = cosi_printf(&host->call, "%s" BARE, text);
	return cosi_printf(&host->call, "%s" SHUT, text);
}

static void
test_read__as_many_as_there_is_room_for(void **state)
{
	struct host host;
	struct acl acl;

	(void)state;
	host_init(&host, NULL);
	assert_int_equal(acl_read(&host.call, bytes(many(&host, ACL_READ_MAX)), &acl), 0);
	assert_int_equal(acl.n, ACL_READ_MAX);
	assert_int_equal(acl_read(&host.call, bytes(many(&host, ACL_READ_MAX + 1)), &acl), -1);
	host_done(&host);
}

static void
test_write__others_byte_by_byte(void **state)
{
	struct cosi_bytes written;
	struct host host;
	struct acl acl;

	(void)state;
	host_init(&host, NULL);
	assert_int_equal(try_read(&host, BOM OPEN FOREIGN "\n" BARE SHUT, &acl), 0);
	written = acl_write(&host.call, &acl,
			    acl_policy_text(&host.call, "cosi-ba-1.x", "racwdl", NULL));
	assert_string_equal(
		written.data, HEAD OPEN FOREIGN BARE
		"<SignedIdentifier><Id>cosi-ba-1.x</Id><AccessPolicy>"
		"<Permission>racwdl</Permission></AccessPolicy></SignedIdentifier>" SHUT);
	assert_int_equal(written.len, strlen(written.data));
	acl.policies[1].dropped = true;
	assert_string_equal(acl_write(&host.call, &acl, "").data, HEAD OPEN FOREIGN SHUT);
	acl.policies[0].dropped = true;
	assert_int_equal(acl_write(&host.call, &acl, "").len, 0);
	/* What looks like the end of a declaration is none. */
	assert_int_equal(
		try_read(&host, OPEN "<SignedIdentifier><Id>?></Id></SignedIdentifier>" SHUT, &acl),
		0);
	assert_int_equal(acl.n, 1);
	host_done(&host);
}

static void
test_write__what_was_written_reads_back(void **state)
{
	struct cosi_bytes written;
	struct acl acl, again;
	struct host host;

	(void)state;
	host_init(&host, NULL);
	assert_int_equal(try_read(&host, OPEN FOREIGN SHUT, &acl), 0);
	written = acl_write(&host.call, &acl,
			    acl_policy_text(&host.call, "mine", "rl", "2027-11-20T00:00:00Z"));
	assert_int_equal(acl_read(&host.call, written, &again), 0);
	assert_int_equal(again.n, 2);
	assert_string_equal(again.policies[0].id, acl.policies[0].id);
	assert_string_equal(again.policies[1].id, "mine");
	assert_string_equal(again.policies[1].expiry, "2027-11-20T00:00:00Z");
	assert_string_equal(again.policies[1].permission, "rl");
	host_done(&host);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read__what_azure_says),
		cmocka_unit_test(test_read__none),
		cmocka_unit_test(test_read__garbage),
		cmocka_unit_test(test_read__as_many_as_there_is_room_for),
		cmocka_unit_test(test_write__others_byte_by_byte),
		cmocka_unit_test(test_write__what_was_written_reads_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
