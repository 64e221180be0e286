/* SPDX-License-Identifier: Apache-2.0
 * test_answers.c - each answer of each call replaced by a page, "{}", nothing: none is believed.
 *
 * But that to the release of a lease, which ends by itself. */
#include "access.h"

#include "banned.h"

static const struct cosi_bucket_params plain;

#define OURS                                                                                       \
	{                                                                                          \
		.expect = HEAD, .status = 200, .headers = {                                        \
			{ "x-ms-meta-cosidriver", OWNER },                                         \
			{ "x-ms-meta-cosiname", "my%20photos" },                                   \
			{ "x-ms-meta-cosiparams", PARAMS },                                        \
			MODIFIED,                                                                  \
		}                                                                                  \
	}
#define EMPTY SAYS(BLOBS, "<EnumerationResults><Blobs/></EnumerationResults>")

static void
create(struct script *script)
{
	(void)script_create(script, &plain);
}

static void
drop(struct script *script)
{
	script_delete(script, &plain);
}

static void
grant(struct script *script)
{
	struct cosi_access access;

	script_grant(script, PARAMS, &access);
}

static void
revoke(struct script *script)
{
	script_revoke(script, "cosi-ba-1", "photos");
}

static void
revoke_anywhere(struct script *script)
{
	script_revoke(script, "cosi-ba-1", NULL);
}

static void
test_bucket__lies(void **state)
{
	struct script script;

	(void)state;
	script_init(&script);
	LIE(&script, create, { .expect = PUT, .status = 201 });
	LIE(&script, create, FAILS(PUT, 409, "ContainerAlreadyExists"), OURS);
	LIE(&script, drop, OURS, EMPTY, { .expect = DELETE, .status = 202 });
	LIE(&script, drop, OURS, EMPTY, FAILS(DELETE, 412, "LeaseIdMissing"),
	    { .expect = LEASE, .status = 202 }, { .expect = DELETE, .status = 202 });
	LIE(&script, drop, FAILS(HEAD, 404, "ContainerNotFound"));
	script_done(&script);
}

static void
test_access__lies(void **state)
{
	const struct step leased[] = { LIST(list_of(IDS(ID), RW)), ACQUIRED, WRITTEN, RELEASED };
	struct script script;

	(void)state;
	script_init(&script);
	for (size_t i = 0; i < 3; i++)
		script_lie(&script, revoke, leased, 4, i);
	config_of(&script)->lease = false;
	LIE(&script, grant, LIST(NO_POLICIES), WRITTEN);
	LIE(&script, grant, LIST(list_of(IDS(ID), RW)));
	LIE(&script, revoke, LIST(list_of(IDS(ID), RW)), WRITTEN);
	LIE(&script, revoke, NO_CONTAINER(ACL_GET));
	LIE(&script, revoke_anywhere,
	    SAYS("GET /?comp=list&include=metadata&maxresults=500",
		 "<EnumerationResults><Containers><Container><Name>photos</Name></Container>"
		 "</Containers></EnumerationResults>"),
	    LIST(NO_POLICIES));
	script_done(&script);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bucket__lies),
		cmocka_unit_test(test_access__lies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
