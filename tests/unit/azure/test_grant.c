/* SPDX-License-Identifier: Apache-2.0
 * test_grant.c - a policy is added, found again and corrected; another daemon changes it in
 * between. */
#include <stdio.h>

#include "access.h"

#include "banned.h"

#define AT_SECOND "Fri, 20 Nov 2026 11:59:58 GMT"

static struct cosi_access out;

static void
grant(struct script *script)
{
	script_grant(script, PARAMS, &out);
}

static void
test_grant__new(void **state)
{
	struct script script;
	const char *id;

	(void)state;
	script_init(&script);
	PLAY(&script, LIST(NO_POLICIES), ACQUIRED, WRITTEN, RELEASED);
	grant(&script);
	script_ended(&script, COSI_OK, "");
	assert_string_equal(script_sent(&script, 1, "x-ms-lease-action"), "acquire");
	assert_string_equal(script_sent(&script, 1, "x-ms-lease-duration"), "15");
	assert_string_equal(script_sent(&script, 2, "x-ms-lease-id"),
			    script_sent(&script, 1, "x-ms-proposed-lease-id"));
	assert_string_equal(script_sent(&script, 3, "x-ms-lease-action"), "release");
	id = strstr(script.sent[2].body, "<Id>cosi-ba-1.");
	assert_non_null(id);
	assert_non_null(strstr(id, TAIL "</Id><AccessPolicy>" RW "</AccessPolicy>"));
	assert_non_null(strstr(out.token, "https://cosiacct.blob.core.windows.net/photos?"
					  "sv=2022-11-02&si=cosi-ba-1."));
	assert_int_equal(out.token_expires, 0);
	assert_string_equal(out.buckets[0]->azure_account, "cosiacct");
	script_done(&script);
}

static void
test_grant__without_a_lease(void **state)
{
	struct script script;

	(void)state;
	script_init(&script);
	config_of(&script)->lease = false;
	PLAY(&script, LIST(NO_POLICIES), WRITTEN);
	grant(&script);
	script_ended(&script, COSI_OK, "");
	assert_string_equal(script_sent(&script, 1, "x-ms-lease-id"), "");
	assert_string_equal(script_sent(&script, 1, "if-unmodified-since"), "");
	script_done(&script);
}

/* What arrives late must not overwrite what came after: without a lease its date tells. */
static void
test_grant__without_a_lease_and_late(void **state)
{
	const struct step read = { .expect = ACL_GET,
				   .status = 200,
				   .body = NO_POLICIES,
				   .headers = { { "last-modified", AT_SECOND } } };
	struct script script;

	(void)state;
	script_init(&script);
	config_of(&script)->lease = false;
	PLAY(&script, read, { .expect = ACL_PUT, .status = 412, .code = "ConditionNotMet" });
	grant(&script);
	script_ended(&script, COSI_BUSY,
		     "412 ConditionNotMet: another client has changed it since it was read");
	assert_string_equal(script_sent(&script, 1, "if-unmodified-since"), AT_SECOND);
	/* With a lease that is what tells. */
	config_of(&script)->lease = true;
	PLAY(&script, read, ACQUIRED, read, WRITTEN, RELEASED);
	grant(&script);
	script_ended(&script, COSI_OK, "");
	assert_string_equal(script_sent(&script, 3, "if-unmodified-since"), "");
	script_done(&script);
}

/* One request, and the SAS that belongs to that policy for ever. */
static void
test_grant__again(void **state)
{
	static const char sas[] = "sv=2022-11-02&si=" ID "&sr=c&sig=";
	struct script script;
	char first[1024];

	(void)state;
	script_init(&script);
	PLAY(&script, LIST(list_of(IDS("x", ID), RW)));
	grant(&script);
	script_ended(&script, COSI_OK, "");
	(void)snprintf(first, sizeof first, "%s", out.token);
	config_of(&script)->token_form = "service";
	PLAY(&script, LIST(list_of(IDS(ID, "y"), RW)));
	grant(&script);
	assert_non_null(strstr(out.token, "https://cosiacct.blob.core.windows.net/?sv="));
	assert_string_equal(strstr(out.token, sas), strstr(first, sas));
	config_of(&script)->token_form = "bare";
	PLAY(&script, LIST(list_of(IDS(ID), RW)));
	grant(&script);
	assert_string_equal(out.token, strstr(first, sas));
	PLAY(&script, LIST(list_of(IDS(ID), "<Permission>rwdlac</Permission>")));
	grant(&script);
	script_ended(&script, COSI_OK, "");
	script_done(&script);
}

static void
test_grant__in_another_way(void **state)
{
	struct script script;

	(void)state;
	script_init(&script);
	PLAY(&script, LIST(list_of(IDS("cosi-ba-1.ABCDEF27.6B37OAAAAA"), RW)));
	grant(&script);
	script_ended(&script, COSI_EXISTS,
		     "cannot grant 'cosi-ba-1': the account exists with another mode");
	script_done(&script);
}

/* Another owner's account of the same name is another account. */
static void
test_grant__other_owner(void **state)
{
	static const char other[] = "cosi-ba-1.ABCDEF27.AAAAAHA46Y";
	struct script script;

	(void)state;
	script_init(&script);
	PLAY(&script, LIST(list_of(IDS(other), RW)), ACQUIRED, WRITTEN, RELEASED);
	grant(&script);
	script_ended(&script, COSI_OK, "");
	assert_non_null(strstr(script.sent[2].body, other));
	script_done(&script);
}

static void
test_grant__the_fifth_and_the_sixth(void **state)
{
	const char *const five[] = { "a", "b", "c", "d", "e", NULL };
	const char *const ours[] = { "a", "b", "c", "d", ID, NULL };
	struct script script;

	(void)state;
	script_init(&script);
	PLAY(&script, LIST(list_of(five + 1, RW)), ACQUIRED, WRITTEN, RELEASED);
	grant(&script);
	script_ended(&script, COSI_OK, "");
	PLAY(&script, LIST(list_of(five, RW)));
	grant(&script);
	script_ended(&script, COSI_EXHAUSTED,
		     "cannot grant 'cosi-ba-1': container 'photos' has 5 stored access policies, "
		     "the most that Azure allows");
	PLAY(&script, LIST(list_of(ours, RW)));
	grant(&script);
	script_ended(&script, COSI_OK, "");
	script_done(&script);
}

#define AT(time)   "<Expiry>" time "</Expiry>" RW
#define FROM(time) "<Start>" time "</Start>" RW

static void
test_grant__with_an_end(void **state)
{
	const char *const ours[] = { "x", ID, NULL };
	struct script script;

	(void)state;
	script_init(&script);
	config_of(&script)->sas_lifetime = 3600 * 1000;
	PLAY(&script, LIST(NO_POLICIES), ACQUIRED, WRITTEN, RELEASED);
	grant(&script);
	assert_int_equal(out.token_expires, 1795176000 + 3600);
	assert_non_null(strstr(script.sent[2].body, AT("2026-11-20T13:00:00Z")));
	/* A repeat has the end that was told; what ended begins again. */
	PLAY(&script, LIST(list_of(ours, AT("2026-11-20T12:00:01.0000000Z"))));
	grant(&script);
	script_ended(&script, COSI_OK, "");
	assert_int_equal(out.token_expires, 1795176001);
	PLAY(&script, LIST(list_of(ours, AT("2026-11-20T12:00:00.0000000Z"))), ACQUIRED, WRITTEN,
	     RELEASED);
	grant(&script);
	script_ended(&script, COSI_OK, "");
	assert_int_equal(out.token_expires, 1795176000 + 3600);
	assert_non_null(strstr(script.sent[2].body,
			       "<Id>" ID "</Id><AccessPolicy>" AT("2026-11-20T13:00:00Z")));
	script_done(&script);
}

/* What was told stays true: neither a new lifetime nor none touches an end that lies ahead. */
static void
test_grant__after_another_lifetime(void **state)
{
	const char *const ours[] = { ID, NULL };
	struct script script;

	(void)state;
	script_init(&script);
	config_of(&script)->sas_lifetime = 3600 * 1000;
	PLAY(&script, LIST(list_of(ours, RW)));
	grant(&script);
	assert_int_equal(out.token_expires, 0);
	PLAY(&script, LIST(list_of(ours, AT("2027-11-20T12:00:00Z"))));
	grant(&script);
	assert_int_equal(out.token_expires, 1795176000 + 365 * 86400);
	config_of(&script)->sas_lifetime = 0;
	PLAY(&script, LIST(list_of(ours, AT("2026-11-20T13:00:00Z"))));
	grant(&script);
	assert_int_equal(out.token_expires, 1795176000 + 3600);
	PLAY(&script, LIST(list_of(ours, AT("2026-11-20T12:00:00Z"))), ACQUIRED, WRITTEN, RELEASED);
	grant(&script);
	script_ended(&script, COSI_OK, "");
	assert_int_equal(out.token_expires, 0);
	assert_null(strstr(script.sent[2].body, "Expiry"));
	script_done(&script);
}

/* Whatever an administrator did to it by hand. */
static void
test_grant__mends_its_policy(void **state)
{
	static const char *const inside[] = { "",
					      "<Permission>rl</Permission>",
					      "<Permission>racwdt</Permission>",
					      "<Permission>racwdd</Permission>",
					      AT("junk"),
					      FROM("2099-01-01T00:00:00Z") };
	const char *const ours[] = { ID, "x", NULL };
	struct script script;

	(void)state;
	script_init(&script);
	for (size_t i = 0; i < sizeof inside / sizeof inside[0]; i++) {
		PLAY(&script, LIST(list_of(ours, inside[i])), ACQUIRED, WRITTEN, RELEASED);
		grant(&script);
		script_ended(&script, COSI_OK, "");
		assert_non_null(strstr(script.sent[2].body,
				       "<Id>" ID "</Id><AccessPolicy>" RW "</AccessPolicy>"));
		assert_null(strstr(strstr(script.sent[2].body, ID) + 1, ID));
	}
	script_done(&script);
}

static void
test_grant__says_the_public_access_again(void **state)
{
	struct script script;

	(void)state;
	script_init(&script);
	PLAY(&script,
	     { .expect = ACL_GET,
	       .status = 200,
	       .body = NO_POLICIES,
	       .headers = { ETAG, { "x-ms-blob-public-access", "blob" } } },
	     ACQUIRED, WRITTEN, RELEASED);
	grant(&script);
	assert_string_equal(script_sent(&script, 2, "x-ms-blob-public-access"), "blob");
	PLAY(&script, LIST(NO_POLICIES), ACQUIRED, WRITTEN, RELEASED);
	grant(&script);
	assert_string_equal(script_sent(&script, 2, "x-ms-blob-public-access"), "");
	script_done(&script);
}

static void
test_grant__several_buckets(void **state)
{
	static const struct cosi_bucket_ref a = { "aaa", COSI_READ_ONLY }, b = { "bbb", 1 };
	static const struct cosi_bucket_ref *const refs[] = { &a, &b };
	const struct cosi_access_req req = { .native = "cosi-ba-1",
					     .mark = { OWNER, "ba-1", PARAMS },
					     .nbuckets = 2,
					     .buckets = refs };
	struct script script;

	(void)state;
	script_init(&script);
	script_play(&script, NULL, 0);
	azure_grant(script.instance, &script.host.call, &req, &out);
	script_ended(&script, COSI_OUT_OF_RANGE, "a SAS opens one container");
	script_done(&script);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_grant__new),
		cmocka_unit_test(test_grant__without_a_lease),
		cmocka_unit_test(test_grant__without_a_lease_and_late),
		cmocka_unit_test(test_grant__again),
		cmocka_unit_test(test_grant__in_another_way),
		cmocka_unit_test(test_grant__other_owner),
		cmocka_unit_test(test_grant__the_fifth_and_the_sixth),
		cmocka_unit_test(test_grant__with_an_end),
		cmocka_unit_test(test_grant__after_another_lifetime),
		cmocka_unit_test(test_grant__mends_its_policy),
		cmocka_unit_test(test_grant__says_the_public_access_again),
		cmocka_unit_test(test_grant__several_buckets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
