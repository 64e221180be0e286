/* SPDX-License-Identifier: Apache-2.0
 * test_revoke.c - a revoke removes the account's policy alone, in a named container or in any. */
#include "access.h"

#include "banned.h"

static void
revoke(struct script *script, const char *bucket)
{
	script_revoke(script, "cosi-ba-1", bucket);
}

static void
test_revoke__of_a_container(void **state)
{
	static const char other[] = "cosi-ba-1.ABCDEF27.AAAAAHA46Y";
	struct script script;

	(void)state;
	script_init(&script);
	PLAY(&script, LIST(list_of(IDS("x", ID, "cosi-ba-11.ABCDEF27" TAIL, other), RW)), ACQUIRED,
	     WRITTEN, RELEASED);
	revoke(&script, "photos");
	script_ended(&script, COSI_OK, "");
	assert_string_equal(strstr(script.sent[2].body, "<SignedIdentifiers>"),
			    list_of(IDS("x", "cosi-ba-11.ABCDEF27" TAIL, other), RW));
	PLAY(&script, LIST(list_of(IDS(ID), RW)), ACQUIRED, WRITTEN, RELEASED);
	revoke(&script, "photos");
	assert_string_equal(script.sent[2].body, "");
	config_of(&script)->lease = false;
	PLAY(&script, LIST(list_of(IDS(ID), RW)), WRITTEN);
	revoke(&script, "photos");
	script_ended(&script, COSI_OK, "");
	script_done(&script);
}

static void
test_revoke__gone_already(void **state)
{
	struct script script;

	(void)state;
	script_init(&script);
	PLAY(&script, LIST(list_of(IDS("x"), RW)));
	revoke(&script, "photos");
	script_ended(&script, COSI_OK, "");
	PLAY(&script, NO_CONTAINER(ACL_GET));
	revoke(&script, "photos");
	script_ended(&script, COSI_OK, "");
	PLAY(&script, LIST(list_of(IDS(ID), RW)), NO_CONTAINER(LEASE));
	revoke(&script, "photos");
	script_ended(&script, COSI_OK, "");
	script_play(&script, NULL, 0);
	revoke(&script, "no.container");
	script_ended(&script, COSI_OK, "");
	/* Only Azure itself can say so. */
	PLAY(&script, { .expect = ACL_GET, .status = 404, .body = "<html/>", .foreign = true });
	revoke(&script, "photos");
	script_ended(&script, COSI_UNAVAILABLE, "cannot revoke 'cosi-ba-1': cannot change");
	script_done(&script);
}

/* A revoke gives up public access, which the storage account forbids already; a SAS that cannot be
 * revoked would still open the container. */
static void
test_revoke__rather_than_public_access(void **state)
{
	const struct step public_list = {
		.expect = ACL_GET,
		.status = 200,
		.body = list_of(IDS(ID), RW),
		.headers = { ETAG, { "x-ms-blob-public-access", "container" } },
	};
	const struct step refused = { .expect = ACL_PUT,
				      .status = 409,
				      .code = "PublicAccessNotPermitted" };
	struct script script;

	(void)state;
	script_init(&script);
	PLAY(&script, public_list, ACQUIRED, refused, WRITTEN, RELEASED);
	revoke(&script, "photos");
	script_ended(&script, COSI_OK, "");
	assert_string_equal(script_sent(&script, 2, "x-ms-blob-public-access"), "container");
	assert_string_equal(script_sent(&script, 3, "x-ms-blob-public-access"), "");
	PLAY(&script, public_list, ACQUIRED, refused, refused, RELEASED);
	revoke(&script, "photos");
	script_ended(&script, COSI_PRECONDITION, "allowBlobPublicAccess");
	script_done(&script);
}

static void
test_revoke__not_ours(void **state)
{
	struct script script;

	(void)state;
	script_init(&script);
	script_play(&script, NULL, 0);
	script_revoke(&script, "cosi-a.b", "photos");
	script_ended(&script, COSI_PRECONDITION, "the account is not cosid's");
	script_done(&script);
}

#define CONTAINERS "GET /?comp=list&include=metadata&maxresults=500"
#define FOUND(names, marker)                                                                       \
	"<EnumerationResults><Containers>" names "</Containers>" marker "</EnumerationResults>"
#define NAME(name) "<Container><Name>" name "</Name></Container>"

/* The request does not name the container. */
static void
test_revoke__in_any_container(void **state)
{
	struct script script;

	(void)state;
	script_init(&script);
	PLAY(&script,
	     { .expect = CONTAINERS,
	       .status = 200,
	       .body = FOUND(NAME("$logs") NAME("aaa"), "<NextMarker>n 2</NextMarker>") },
	     { .expect = "GET /aaa?comp=acl&restype=container",
	       .status = 200,
	       .body = NO_POLICIES },
	     { .expect = "GET /?comp=list&include=metadata&marker=n%202&maxresults=500",
	       .status = 200,
	       .body = FOUND(NAME("photos"), "<NextMarker/>") },
	     LIST(list_of(IDS(ID), RW)), ACQUIRED, WRITTEN, RELEASED);
	revoke(&script, NULL);
	script_ended(&script, COSI_OK, "");
	script_done(&script);
}

/* Without a lease nothing keeps this daemon's own grants off a container that was not named. */
static void
test_revoke__in_any_container_without_leases(void **state)
{
	struct script script;

	(void)state;
	script_init(&script);
	config_of(&script)->lease = false;
	PLAY(&script, { .expect = CONTAINERS, .status = 200, .body = FOUND(NAME("photos"), "") },
	     LIST(list_of(IDS(ID), RW)));
	revoke(&script, NULL);
	script_ended(&script, COSI_PRECONDITION, "access to container 'photos', which the request");
	script_done(&script);
}

static void
test_revoke__a_list_that_does_not_end(void **state)
{
	struct script script;

	(void)state;
	script_init(&script);
	PLAY(&script,
	     { .expect = CONTAINERS,
	       .status = 200,
	       .body = FOUND("", "<NextMarker>2</NextMarker>") },
	     { .expect = "GET /?comp=list&include=metadata&marker=2&maxresults=500",
	       .status = 200,
	       .body = FOUND("", "<NextMarker>2</NextMarker>") });
	revoke(&script, NULL);
	script_ended(&script, COSI_UNAVAILABLE, "again and again");
	script_done(&script);
}

/* No access is gone on the word of an answer that does not say which containers there are. */
static void
test_revoke__a_list_that_lists_nothing(void **state)
{
	struct script script;

	(void)state;
	script_init(&script);
	PLAY(&script, { .expect = CONTAINERS, .status = 200, .body = "<EnumerationResults/>" });
	revoke(&script, NULL);
	script_ended(&script, COSI_UNAVAILABLE, "cannot be understood");
	PLAY(&script, { .expect = CONTAINERS, .status = 200, .body = FOUND("", "") });
	revoke(&script, NULL);
	script_ended(&script, COSI_OK, "");
	script_done(&script);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_revoke__of_a_container),
		cmocka_unit_test(test_revoke__gone_already),
		cmocka_unit_test(test_revoke__rather_than_public_access),
		cmocka_unit_test(test_revoke__not_ours),
		cmocka_unit_test(test_revoke__in_any_container),
		cmocka_unit_test(test_revoke__in_any_container_without_leases),
		cmocka_unit_test(test_revoke__a_list_that_does_not_end),
		cmocka_unit_test(test_revoke__a_list_that_lists_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
