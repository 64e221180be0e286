/* SPDX-License-Identifier: Apache-2.0
 * test_list.c - buckets and accounts with the driver's tags are listed, others are not. */
#include <stdio.h>

#include "access.h"

#include "banned.h"

static char seen[512];
static int enough_at;

static int
found(struct cosi_call *call, const struct cosi_found *it)
{
	size_t len = strlen(seen);

	(void)call;
	(void)snprintf(seen + len, sizeof seen - len, "%s %s %s %s;",
		       it->kind == COSI_BUCKET ? "b" : "a", it->native,
		       it->mark.name != NULL ? it->mark.name : "-",
		       it->mark.params != NULL ? it->mark.params : "-");
	return enough_at > 0 && --enough_at == 0;
}

#define CONTAINERS                                                                                 \
	{                                                                                          \
		.expect = "GET /?comp=list&include=metadata&maxresults=500", .status = 200,        \
		.body = "\xef\xbb\xbf<EnumerationResults><Containers><Container><Name>aaa</Name>"  \
			"<Metadata><CosiDriver>" OWNER "</CosiDriver><cosiname>my%20a</cosiname>"  \
			"<cosiparams>1:0</cosiparams></Metadata></Container><Container>"           \
			"<Name>bbb</Name><Metadata /></Container><Container><Name>ccc</Name>"      \
			"<Metadata><cosidriver>other</cosidriver></Metadata></Container>"          \
			"<Container><Name>$logs</Name><Metadata /></Container>"                    \
			"</Containers><NextMarker /></EnumerationResults>"                         \
	}
#define POLICIES_OF(name, ...)                                                                     \
	{                                                                                          \
		.expect = "GET /" name "?comp=acl&restype=container", .status = 200,               \
		.body = list_of(IDS(__VA_ARGS__), RW)                                              \
	}

static void
test_list__containers_and_policies(void **state)
{
	struct script script;

	(void)state;
	script_init(&script);
	seen[0] = '\0';
	PLAY(&script, CONTAINERS, POLICIES_OF("aaa", "x", ID),
	     POLICIES_OF("bbb", "cosi-b.ABCDEF27" TAIL),
	     NO_CONTAINER("GET /ccc?comp=acl&restype=container"));
	assert_int_equal(azure_list(script.instance, &script.host.call, OWNER, found), 0);
	script_ended(&script, COSI_OK, "");
	assert_string_equal(seen, "b aaa my a 1:0;a cosi-ba-1 - -;a cosi-b - -;");
	script_done(&script);
}

static void
test_list__until_it_is_enough(void **state)
{
	struct script script;

	(void)state;
	script_init(&script);
	seen[0] = '\0';
	enough_at = 1;
	PLAY(&script, CONTAINERS);
	assert_int_equal(azure_list(script.instance, &script.host.call, OWNER, found), 0);
	enough_at = 2;
	PLAY(&script, CONTAINERS, POLICIES_OF("aaa", ID, ID));
	assert_int_equal(azure_list(script.instance, &script.host.call, OWNER, found), 0);
	script_ended(&script, COSI_OK, "");
	assert_string_equal(seen, "b aaa my a 1:0;b aaa my a 1:0;a cosi-ba-1 - -;");
	script_done(&script);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_list__containers_and_policies),
		cmocka_unit_test(test_list__until_it_is_enough),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
