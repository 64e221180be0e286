/* SPDX-License-Identifier: Apache-2.0
 * test_access.c - grant, revoke and the probe against answers that no server can be made to give.
 */
#include <stdio.h>
#include <stdlib.h>

#include "minio_script.h"

#include "banned.h"

/* Of a path that the server does not know; it has no request id. */
#define OTHER_API "{\"Code\":\"XMinioAdminVersionMismatch\",\"RequestId\":\"\"}"

#define KEY        "COSISUHMUOYX47S4QKKG" /* of OWNER and cosi-ba-1 */
#define POLICY     "name=cosi-ba-1." KEY
#define GET_POLICY "GET " ADMIN "info-canned-policy?" POLICY
#define PUT_POLICY "PUT " ADMIN "add-canned-policy?" POLICY
#define PUT_USER   "PUT " ADMIN "add-user?accessKey=" KEY
#define GET_USER   "GET " ADMIN "user-info?accessKey=" KEY
#define JOIN                                                                                       \
	"PUT " ADMIN "set-user-or-group-policy?isGroup=false&policyName=cosi-ba-1." KEY            \
	"&userOrGroup=" KEY
#define REMOVE_USER   "DELETE " ADMIN "remove-user?accessKey=" KEY
#define REMOVE_POLICY "DELETE " ADMIN "remove-canned-policy?" POLICY
#define REVOKE_TOKENS "POST " ADMIN "revoke-tokens/builtin?fullRevoke=true&user=" KEY
#define HERE          SAYS(LOCATION, LOCATED)
#define NOBODY        FAILS(LOCATION, 403, "InvalidAccessKeyId")

/* The policy that a grant of these parameters writes; freed by the caller. */
static char *
policy_of(struct script *script, const char *params)
{
	struct cosi_access access;

	PLAY(script, NOBODY, HERE, OK(PUT_POLICY), OK(PUT_USER), OK(JOIN));
	script_grant(script, params, &access);
	script_ended(script, COSI_OK, "");
	return strdup(script->sent[2].body);
}

static void
test_grant__new(void **state)
{
	struct cosi_access access;
	struct script script;

	(void)state;
	script_init(&script);
	PLAY(&script, NOBODY, HERE, OK(PUT_POLICY), OK(PUT_USER), OK(JOIN));
	script_grant(&script, PARAMS, &access);
	script_ended(&script, COSI_OK, "");
	assert_string_equal(access.key_id, KEY);
	for (size_t i = 0; i < 5; i++)
		assert_null(strstr(script.sent[i].body, access.key_secret));
	script_done(&script);
}

static void
test_grant__absent_buckets_leave_nothing(void **state)
{
	struct cosi_access access;
	struct script script;

	(void)state;
	script_init(&script);
	PLAY(&script, FAILS(LOCATION, 404, "NoSuchBucket"));
	script_grant(&script, PARAMS, &access);
	script_ended(&script, COSI_NOT_FOUND, "there is no bucket 'photos'");
	PLAY(&script, NOBODY, FAILS(LOCATION, 404, "NoSuchBucket"));
	script_grant(&script, PARAMS, &access);
	script_ended(&script, COSI_NOT_FOUND, "there is no bucket 'photos'");
	script_done(&script);
}

static void
test_grant__again(void **state)
{
	struct cosi_access access;
	struct script script;
	char *policy, *other;

	(void)state;
	script_init(&script);
	policy = policy_of(&script, PARAMS);
	other = policy_of(&script, "1:fedcba9876543210fedcba9876543210");
	PLAY(&script, HERE, SAYS(GET_POLICY, policy));
	script_grant(&script, PARAMS, &access);
	script_ended(&script, COSI_OK, "");
	PLAY(&script, HERE, SAYS(GET_POLICY, other));
	script_grant(&script, PARAMS, &access);
	script_ended(&script, COSI_EXISTS, "with other parameters");
	/* The policy was lost, or the user was never given it. */
	PLAY(&script, HERE, FAILS(GET_POLICY, 404, "XMinioAdminNoSuchPolicy"), HERE, OK(PUT_POLICY),
	     OK(JOIN));
	script_grant(&script, PARAMS, &access);
	script_ended(&script, COSI_OK, "");
	PLAY(&script, FAILS(LOCATION, 403, "AccessDenied"), SAYS(GET_POLICY, policy), HERE,
	     OK(PUT_POLICY), OK(JOIN));
	script_grant(&script, PARAMS, &access);
	script_ended(&script, COSI_OK, "");
	free(policy);
	free(other);
	script_done(&script);
}

/* A user without a policy comes from a cut Grant; no caller has its secret key. */
static void
test_grant__what_a_cut_grant_left(void **state)
{
	struct cosi_access access;
	struct script script;
	char *other;

	(void)state;
	script_init(&script);
	other = policy_of(&script, "1:fedcba9876543210fedcba9876543210");
	PLAY(&script, FAILS(LOCATION, 403, "AccessDenied"), SAYS(GET_POLICY, other),
	     SAYS(GET_USER, "{\"status\":\"enabled\"}"), HERE, OK(PUT_POLICY), OK(JOIN));
	script_grant(&script, PARAMS, &access);
	script_ended(&script, COSI_OK, "");
	PLAY(&script, FAILS(LOCATION, 403, "AccessDenied"), SAYS(GET_POLICY, other),
	     SAYS(GET_USER, "{\"status\":\"enabled\",\"policyName\":\"x\"}"));
	script_grant(&script, PARAMS, &access);
	script_ended(&script, COSI_EXISTS, "the account exists");
	PLAY(&script, NOBODY, HERE, OK(PUT_POLICY), OK(PUT_USER),
	     FAILS(JOIN, 404, "XMinioAdminNoSuchUser"));
	script_grant(&script, PARAMS, &access);
	script_ended(&script, COSI_BUSY, "revoked by another request");
	free(other);
	script_done(&script);
}

static void
test_grant__by_a_previous_key(void **state)
{
	const struct step wrong = FAILS(LOCATION, 403, "SignatureDoesNotMatch");
	struct cosi_access access;
	struct script script;
	char *policy, *current;

	(void)state;
	script_init(&script);
	policy = policy_of(&script, PARAMS);
	PLAY(&script, HERE, SAYS(GET_POLICY, policy));
	script_grant(&script, PARAMS, &access);
	current = strdup(access.key_secret);
	PLAY(&script, wrong, wrong, HERE, SAYS(GET_POLICY, policy));
	script_grant(&script, PARAMS, &access);
	script_ended(&script, COSI_OK, "");
	assert_string_not_equal(access.key_secret, current);
	PLAY(&script, wrong, wrong, wrong);
	script_grant(&script, PARAMS, &access);
	script_ended(&script, COSI_PRECONDITION, "previous_credential_keys");
	free(policy);
	free(current);
	script_done(&script);
}

static void
test_grant__refused(void **state)
{
	struct cosi_access access;
	struct script script;

	(void)state;
	script_init(&script);
	PLAY(&script, { .expect = LOCATION,
			.status = 403,
			.body = "<Error><Code>InvalidAccessKeyId</Code><Message>Your account is "
				"disabled</Message></Error>" });
	script_grant(&script, PARAMS, &access);
	script_ended(&script, COSI_PRECONDITION, "user was disabled");
	PLAY(&script, NOBODY, HERE, { .expect = PUT_POLICY, .status = 200, .foreign = true });
	script_grant(&script, PARAMS, &access);
	script_ended(&script, COSI_UNAVAILABLE, "is not from");
	PLAY(&script, NOBODY, HERE, OK(PUT_POLICY), FAILS(PUT_USER, 403, "AccessDenied"));
	script_grant(&script, PARAMS, &access);
	script_ended(&script, COSI_DENIED, "lacks the right 'admin:CreateUser'");
	PLAY(&script, NOBODY, HERE, OK(PUT_POLICY),
	     FAILS(PUT_USER, 400, "XMinioAdminConfigBadJSON"));
	script_grant(&script, PARAMS, &access);
	script_ended(&script, COSI_UNAVAILABLE, "cannot decrypt");
	script_done(&script);
}

static void
test_revoke__all_three(void **state)
{
	struct script script;

	(void)state;
	script_init(&script);
	PLAY(&script, OK(REMOVE_USER), OK(REMOVE_POLICY),
	     { .expect = REVOKE_TOKENS, .status = 204 });
	script_revoke(&script, "cosi-ba-1", NULL);
	script_ended(&script, COSI_OK, "");
	PLAY(&script, FAILS(REMOVE_USER, 404, "XMinioAdminNoSuchUser"),
	     FAILS(REMOVE_POLICY, 404, "XMinioAdminNoSuchPolicy"),
	     { .expect = REVOKE_TOKENS, .status = 426, .body = OTHER_API, .foreign = true });
	script_revoke(&script, "cosi-ba-1", NULL);
	script_ended(&script, COSI_OK, "");
	/* Who says so has to be the server. */
	PLAY(&script, { .expect = REMOVE_USER, .status = 200, .foreign = true });
	script_revoke(&script, "cosi-ba-1", NULL);
	script_ended(&script, COSI_UNAVAILABLE, "is not from");
	PLAY(&script, { .expect = REMOVE_USER, .status = 404, .foreign = true });
	script_revoke(&script, "cosi-ba-1", NULL);
	script_ended(&script, COSI_UNAVAILABLE, "is not from");
	for (int i = 0; i < 2; i++) {
		PLAY(&script, OK(REMOVE_USER), OK(REMOVE_POLICY),
		     { .expect = REVOKE_TOKENS, .status = i == 0 ? 204 : 426, .foreign = true });
		script_revoke(&script, "cosi-ba-1", NULL);
		script_ended(&script, COSI_UNAVAILABLE, "is not from");
	}
	script_done(&script);
}

static void
test_revoke__a_policy_that_is_used(void **state)
{
	struct script script;

	(void)state;
	script_init(&script);
	PLAY(&script, OK(REMOVE_USER), FAILS(REMOVE_POLICY, 400, "XMinioIAMPolicyInUse"),
	     SAYS(GET_USER, "{\"status\":\"enabled\"}"));
	script_revoke(&script, "cosi-ba-1", NULL);
	script_ended(&script, COSI_BUSY, "granted again by another request");
	PLAY(&script, OK(REMOVE_USER), FAILS(REMOVE_POLICY, 400, "XMinioIAMPolicyInUse"),
	     FAILS(GET_USER, 404, "XMinioAdminNoSuchUser"));
	script_revoke(&script, "cosi-ba-1", NULL);
	script_ended(&script, COSI_PRECONDITION, "other users or groups have the policy");
	script_done(&script);
}

static void
test_revoke__buckets_out_of_a_policy(void **state)
{
	struct script script;
	char *policy;

	(void)state;
	script_init(&script);
	policy = policy_of(&script, PARAMS);
	PLAY(&script, SAYS(GET_POLICY, policy), OK(REMOVE_USER), OK(REMOVE_POLICY),
	     OK(REVOKE_TOKENS));
	script_revoke(&script, "cosi-ba-1", "photos");
	script_ended(&script, COSI_OK, "");
	PLAY(&script, SAYS(GET_POLICY, "{\"Statement\":7}"));
	script_revoke(&script, "cosi-ba-1", "photos");
	script_ended(&script, COSI_UNAVAILABLE, "does it serve S3?");
	free(policy);
	script_done(&script);
}

/* open() neither asks for random bytes nor derives the key of sealed bodies; what needs it does. */
static int
no_random(struct cosi_call *call, void *out, size_t len)
{
	(void)out;
	(void)len;
	return cosi_fail(call, COSI_INTERNAL, "no random bytes today");
}

static void
test_open__derives_nothing(void **state)
{
	struct cosi_host table;
	struct cosi_access access;
	struct script script;

	(void)state;
	script_init(&script);
	table = *script.host.call.host;
	table.random = no_random;
	script.host.call.host = &table;
	PLAY(&script, NOBODY, HERE, OK(PUT_POLICY));
	script_grant(&script, PARAMS, &access);
	script_ended(&script, COSI_INTERNAL, "no random bytes today");
	/* And the next call tries again. */
	table.random = NULL;
	script_done(&script);
}

static void
test_probe__answers(void **state)
{
	static const char s3[] = "GET /cosid.probe?location=";
	static const char user[] = "GET " ADMIN "user-info?accessKey=COSIDPROBE";
	static const char policy[] = "GET " ADMIN "info-canned-policy?name=cosid.probe";
	struct script script;
	struct cosi_call *call;

	(void)state;
	script_init(&script);
	call = &script.host.call;
	PLAY(&script, FAILS(s3, 404, "NoSuchBucket"), FAILS(user, 404, "XMinioAdminNoSuchUser"),
	     FAILS(policy, 404, "XMinioAdminNoSuchPolicy"));
	assert_int_equal(cosi_module.probe(script.instance, call), 0);
	script_ended(&script, COSI_OK, "");
	PLAY(&script, FAILS(s3, 403, "InvalidAccessKeyId"));
	assert_true(cosi_module.probe(script.instance, call) < 0);
	script_ended(&script, COSI_UNAUTHENTICATED, "cannot use the server's S3 API: ");
	PLAY(&script, FAILS(s3, 404, "NoSuchBucket"),
	     { .expect = user, .status = 426, .body = OTHER_API, .foreign = true });
	assert_true(cosi_module.probe(script.instance, call) < 0);
	script_ended(&script, COSI_PRECONDITION, "another version of the admin API than v3");
	PLAY(&script, { .expect = s3,
			.status = 400,
			.body = "<Error><Code>AuthorizationHeaderMalformed</Code><Region>eu"
				"</Region></Error>" });
	assert_true(cosi_module.probe(script.instance, call) < 0);
	script_ended(&script, COSI_PRECONDITION, "region is 'eu'");
	script_done(&script);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_grant__new),
		cmocka_unit_test(test_grant__absent_buckets_leave_nothing),
		cmocka_unit_test(test_grant__again),
		cmocka_unit_test(test_grant__what_a_cut_grant_left),
		cmocka_unit_test(test_grant__by_a_previous_key),
		cmocka_unit_test(test_grant__refused),
		cmocka_unit_test(test_revoke__all_three),
		cmocka_unit_test(test_revoke__a_policy_that_is_used),
		cmocka_unit_test(test_revoke__buckets_out_of_a_policy),
		cmocka_unit_test(test_open__derives_nothing),
		cmocka_unit_test(test_probe__answers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
