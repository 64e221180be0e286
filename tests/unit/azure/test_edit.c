/* SPDX-License-Identifier: Apache-2.0
 * test_edit.c - what comes between reading a list and writing it: leases, others, cut answers. */
#include "access.h"

#include "banned.h"

static void
grant(struct script *script)
{
	struct cosi_access access;

	script_grant(script, PARAMS, &access);
}

/* Another daemon wrote between the first look and the lease. */
static void
test_edit__looks_again(void **state)
{
	const char *const five[] = { "a", "b", "c", "d", "e", NULL };
	struct script script;

	(void)state;
	script_init(&script);
	PLAY(&script, LIST(NO_POLICIES),
	     { .expect = LEASE, .status = 201, .headers = { { "etag", "\"0x2\"" } } },
	     LIST(list_of(five + 4, RW)), WRITTEN, RELEASED);
	grant(&script);
	script_ended(&script, COSI_OK, "");
	assert_non_null(strstr(script.sent[3].body, "<Id>e</Id>"));
	/* It took the last place: the lease is given back all the same. */
	PLAY(&script, LIST(list_of(five + 1, RW)), { .expect = LEASE, .status = 201 },
	     LIST(list_of(five, RW)), RELEASED);
	grant(&script);
	script_ended(&script, COSI_EXHAUSTED, "the most that Azure allows");
	script_done(&script);
}

static void
test_edit__is_waited_for(void **state)
{
	struct script script;

	(void)state;
	script_init(&script);
	PLAY(&script, LIST(NO_POLICIES), TAKEN, TAKEN,
	     { .expect = LEASE, .status = 409, .code = "LeaseIsBreakingAndCannotBeAcquired" },
	     ACQUIRED, WRITTEN, RELEASED);
	grant(&script);
	script_ended(&script, COSI_OK, "");
	script.host.time_left_ms = 1030;
	PLAY(&script, LIST(NO_POLICIES), TAKEN);
	grant(&script);
	script_ended(&script, COSI_BUSY, "container 'photos' is leased by another daemon");
	script_done(&script);
}

static void
test_edit__ran_out(void **state)
{
	struct script script;

	(void)state;
	script_init(&script);
	PLAY(&script, LIST(NO_POLICIES), ACQUIRED,
	     { .expect = ACL_PUT, .status = 412, .code = "LeaseNotPresentWithContainerOperation" },
	     { .expect = LEASE, .status = 409, .code = "LeaseIdMismatchWithLeaseOperation" });
	grant(&script);
	script_ended(&script, COSI_BUSY, "412 LeaseNotPresentWithContainerOperation");
	script_done(&script);
}

/* A grant fails until an administrator has closed the container or given up the accounts. */
static void
test_edit__public_access_is_not_given_up(void **state)
{
	struct script script;

	(void)state;
	script_init(&script);
	PLAY(&script,
	     { .expect = ACL_GET,
	       .status = 200,
	       .body = NO_POLICIES,
	       .headers = { ETAG, { "x-ms-blob-public-access", "container" } } },
	     ACQUIRED, { .expect = ACL_PUT, .status = 409, .code = "PublicAccessNotPermitted" },
	     RELEASED);
	grant(&script);
	script_ended(&script, COSI_PRECONDITION, "allowBlobPublicAccess");
	script_done(&script);
}

static void
test_edit__no_container(void **state)
{
	struct script script;

	(void)state;
	script_init(&script);
	PLAY(&script, NO_CONTAINER(ACL_GET));
	grant(&script);
	script_ended(&script, COSI_NOT_FOUND, "container 'photos' does not exist");
	PLAY(&script, LIST(NO_POLICIES), NO_CONTAINER(LEASE));
	grant(&script);
	script_ended(&script, COSI_NOT_FOUND, "container 'photos' does not exist");
	PLAY(&script, LIST(NO_POLICIES), ACQUIRED, NO_CONTAINER(ACL_PUT), NO_CONTAINER(LEASE));
	grant(&script);
	script_ended(&script, COSI_NOT_FOUND, "container 'photos' does not exist");
	script_done(&script);
}

static void
test_edit__cut_and_lied_to(void **state)
{
	struct script script;

	(void)state;
	script_init(&script);
	PLAY(&script, LIST("<html/>"));
	grant(&script);
	script_ended(&script, COSI_UNAVAILABLE, "does it serve Azure Blob Storage?");
	PLAY(&script, { .expect = ACL_GET, .status = 404, .foreign = true });
	grant(&script);
	script_ended(&script, COSI_UNAVAILABLE, "is not from");
	PLAY(&script, LIST(NO_POLICIES), ACQUIRED, { .expect = ACL_PUT });
	grant(&script);
	script_ended(&script, COSI_UNAVAILABLE, "it was cut");
	PLAY(&script, LIST(NO_POLICIES), ACQUIRED,
	     { .expect = ACL_PUT, .status = 200, .foreign = true });
	grant(&script);
	script_ended(&script, COSI_UNAVAILABLE, "is not from");
	script_done(&script);
}

/* The call can send nothing more, whatever was done: its retry finds out. */
static void
test_edit__cut_at_any_request(void **state)
{
	const struct step whole[] = { LIST(NO_POLICIES), ACQUIRED, WRITTEN, RELEASED };
	struct step cut[4];
	struct script script;

	(void)state;
	script_init(&script);
	for (size_t n = 0; n < 4; n++) {
		memcpy(cut, whole, sizeof cut);
		cut[n].status = 0;
		script_play(&script, cut, n + 1);
		grant(&script);
		script_ended(&script, COSI_UNAVAILABLE, "cannot grant 'cosi-ba-1': it was cut");
		/* Nor after the page of a proxy. */
		cut[n].status = 403;
		cut[n].foreign = true;
		script_play(&script, cut, n + 1);
		grant(&script);
		script_ended(&script, COSI_UNAVAILABLE, "is not from");
	}
	script_done(&script);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_edit__looks_again),
		cmocka_unit_test(test_edit__is_waited_for),
		cmocka_unit_test(test_edit__ran_out),
		cmocka_unit_test(test_edit__public_access_is_not_given_up),
		cmocka_unit_test(test_edit__no_container),
		cmocka_unit_test(test_edit__cut_and_lied_to),
		cmocka_unit_test(test_edit__cut_at_any_request),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
