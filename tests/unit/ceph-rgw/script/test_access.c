/* SPDX-License-Identifier: Apache-2.0
 * test_access.c - grant, revoke, list and the probe against answers that a gateway gives seldom. */
#include <stdio.h>

#include "rgw_script.h"
#include "s3/name.h"

#include "banned.h"

#define CREDENTIAL_KEY "current-credential-key-0123456789abcdef"
#define KEYS           "\"keys\":[{\"user\":\"cosi-ba-1\",\"access_key\":\"K1\",\"secret_key\":\"S1\"}]"
#define USER(keys)                                                                                 \
	"{\"user_id\":\"cosi-ba-1\",\"display_name\":\"cosid:" OWNER                               \
	":ba-1\",\"suspended\":0," keys "}"
#define OWN(more) "{\"user_id\":\"driver\",\"max_buckets\":0" more "}"
#define CAPS                                                                                       \
	",\"caps\":[{\"type\":\"users\",\"perm\":\"*\"},{\"type\":\"user-policy\",\"perm\":\"*\"}" \
	","                                                                                        \
	"{\"type\":\"buckets\",\"perm\":\"*\"}]"

#define OURS SAYS(GET_TAGS, TAGS(TAG("cosi-driver", OWNER)))
#define PUT_USER                                                                                   \
	"PUT /admin/user?display-name=cosid%3A" OWNER "%3Aba-1&max-buckets=-1&uid=cosi-ba-1"
#define ADD_KEY   "PUT /admin/user?key=&uid=cosi-ba-1"
#define GET_USER  "GET /admin/user?uid=cosi-ba-1"
#define BY_KEY    "GET /admin/user?access-key=K1"
#define DROP_KEY  "DELETE /admin/user?access-key=K1&key=&uid=cosi-ba-1"
#define SAME_KEY  "PUT /admin/user?access-key=K1&key=&secret-key=S1&uid=cosi-ba-1"
#define MADE      "[{\"user\":\"cosi-ba-1\",\"access_key\":\"K1\",\"secret_key\":\"S1\"}]"
#define STATS     ",\"stats\":{\"size\":0}"
#define DELETE    "DELETE /admin/user?uid=cosi-ba-1"
#define ALIVE     "GET /admin/user?access-key=DRIVER&stats=true"
#define IAM       "POST /?"
#define PUT_DONE  "<PutUserPolicyResponse></PutUserPolicyResponse>"
#define NO_POLICY "<ListUserPoliciesResponse></ListUserPoliciesResponse>"
#define LISTED                                                                                     \
	"<ListUserPoliciesResponse><ListUserPoliciesResult><PolicyNames><member>cosi</member>"     \
	"</PolicyNames></ListUserPoliciesResult></ListUserPoliciesResponse>"

static void
test_grant__new_with_the_gateways_key(void **state)
{
	struct cosi_access access;
	struct script script;

	(void)state;
	script_init(&script, NULL);
	PLAY(&script, OURS, SAYS(PUT_USER, USER(KEYS)), SAYS(IAM, PUT_DONE),
	     SAYS(GET_USER, USER(KEYS)));
	script_grant(&script, PARAMS, &access);
	script_ended(&script, COSI_OK, "");
	assert_string_equal(access.key_id, "K1");
	assert_string_equal(access.key_secret, "S1");
	assert_non_null(strstr(script.sent[2].body, "Action=PutUserPolicy&UserName=cosi-ba-1&"
						    "PolicyName=cosi&PolicyDocument=%7B"));
	PLAY(&script, OURS, SAYS(PUT_USER, USER(KEYS)), SAYS(IAM, PUT_DONE),
	     FAILS(GET_USER, 404, "NoSuchUser"));
	script_done(&script);
}

/* A proxy's page is no answer of IAM's: without a policy the account would open nothing. */
static void
test_grant__any_200_is_no_policy(void **state)
{
	struct cosi_access access;
	struct script script;

	(void)state;
	script_init(&script, NULL);
	PLAY(&script, OURS, SAYS(PUT_USER, USER(KEYS)), SAYS(IAM, "<html></html>"));
	script_grant(&script, PARAMS, &access);
	script_ended(&script, COSI_UNAVAILABLE, "does it serve S3?");
	PLAY(&script, OURS, SAYS(PUT_USER, USER(KEYS)), OK(IAM));
	script_grant(&script, PARAMS, &access);
	script_ended(&script, COSI_UNAVAILABLE, "does it serve S3?");
	/* Nor is one an answer to the question which policy there is. */
	PLAY(&script, OURS, FAILS(PUT_USER, 409, "UserAlreadyExists"), SAYS(GET_USER, USER(KEYS)),
	     SAYS(IAM, LISTED), SAYS(IAM, "<html></html>"));
	script_grant(&script, PARAMS, &access);
	script_ended(&script, COSI_UNAVAILABLE, "does it serve S3?");
	PLAY(&script, OURS, FAILS(PUT_USER, 409, "UserAlreadyExists"), SAYS(GET_USER, USER(KEYS)),
	     SAYS(IAM, LISTED), SAYS(IAM, "<GetUserPolicyResponse/>"));
	script_grant(&script, PARAMS, &access);
	script_ended(&script, COSI_UNAVAILABLE, "no policy in it");
	PLAY(&script, OURS, FAILS(PUT_USER, 409, "UserAlreadyExists"), SAYS(GET_USER, USER(KEYS)),
	     SAYS(IAM, LISTED),
	     SAYS(IAM, "<GetUserPolicyResponse><GetUserPolicyResult><PolicyDocument>"
		       "{\"Statement\":7}</PolicyDocument></GetUserPolicyResult>"
		       "</GetUserPolicyResponse>"));
	script_grant(&script, PARAMS, &access);
	script_ended(&script, COSI_UNAVAILABLE, "the account's policy cannot be read");
	script_done(&script);
}

static void
test_grant__user_that_is_there(void **state)
{
	struct cosi_access access;
	struct script script;

	(void)state;
	script_init(&script, NULL);
	/* Cut off before the policy. */
	PLAY(&script, OURS, FAILS(PUT_USER, 409, "UserAlreadyExists"), SAYS(GET_USER, USER(KEYS)),
	     SAYS(IAM, NO_POLICY), SAYS(BY_KEY, USER(KEYS)), SAYS(IAM, PUT_DONE));
	script_grant(&script, PARAMS, &access);
	script_ended(&script, COSI_OK, "");
	/* Its key was removed by hand: a second request for one would make two. */
	PLAY(&script, OURS, SAYS(GET_USER, USER("\"keys\":[]")), SAYS(IAM, NO_POLICY),
	     { .expect = ADD_KEY, .status = 200, .body = MADE, .final = true }, SAYS(IAM, PUT_DONE),
	     SAYS(GET_USER, USER(KEYS)));
	script_grant(&script, PARAMS, &access);
	script_ended(&script, COSI_OK, "");
	PLAY(&script, OURS,
	     SAYS(GET_USER, "{\"user_id\":\"cosi-ba-1\",\"display_name\":\"by hand\"," KEYS "}"));
	script_grant(&script, PARAMS, &access);
	script_ended(&script, COSI_PRECONDITION, "cosid did not create for this owner");
	PLAY(&script, OURS, FAILS(PUT_USER, 409, "UserAlreadyExists"),
	     FAILS(GET_USER, 404, "NoSuchUser"));
	script_grant(&script, PARAMS, &access);
	script_ended(&script, COSI_BUSY, "being created or deleted");
	script_done(&script);
}

/* Added again only after it was removed: else the gateway does not write its index. */
static void
test_grant__key_that_the_gateway_does_not_know(void **state)
{
	static const struct step unknown[] = {
		FAILS(BY_KEY, 403, "AccessDenied"),
		FAILS(BY_KEY, 404, "NoSuchUser"),
		SAYS(BY_KEY, "{\"user_id\":\"another\"}"),
	};
	struct cosi_access access;
	struct script script;

	(void)state;
	script_init(&script, NULL);
	for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++) {
		PLAY(&script, OURS, FAILS(PUT_USER, 409, "UserAlreadyExists"),
		     SAYS(GET_USER, USER(KEYS)), SAYS(IAM, NO_POLICY), unknown[i], OK(DROP_KEY),
		     SAYS(SAME_KEY, MADE), SAYS(IAM, PUT_DONE), FAILS(GET_USER, 404, "NoSuchUser"));
		script_grant(&script, PARAMS, &access);
		script_ended(&script, COSI_BUSY, "deleted by another request");
	}
	PLAY(&script, OURS, FAILS(PUT_USER, 409, "UserAlreadyExists"), SAYS(GET_USER, USER(KEYS)),
	     SAYS(IAM, NO_POLICY), FAILS(BY_KEY, 403, "AccessDenied"),
	     FAILS(DROP_KEY, 403, "InvalidAccessKeyId"), SAYS(SAME_KEY, MADE), SAYS(IAM, PUT_DONE),
	     SAYS(GET_USER, USER(KEYS)));
	script_grant(&script, PARAMS, &access);
	script_ended(&script, COSI_OK, "");
	assert_string_equal(access.key_id, "K1");
	/* A page is no answer. */
	PLAY(&script, OURS, SAYS(GET_USER, USER(KEYS)), FAILS(IAM, 404, "NoSuchEntity"),
	     SAYS(BY_KEY, "<html></html>"));
	script_grant(&script, PARAMS, &access);
	script_ended(&script, COSI_UNAVAILABLE, "does it serve S3?");
	script_done(&script);
}

static void
test_grant__key_of_another_user(void **state)
{
	struct cosi_access access;
	struct script script;
	struct step create = { .status = 409, .code = "KeyExists" };
	char expect[400];

	(void)state;
	script_init(&script, CREDENTIAL_KEY);
	(void)snprintf(expect, sizeof expect,
		       "PUT /admin/user?access-key=%s&display-name=cosid%%3A" OWNER
		       "%%3Aba-1&max-buckets=-1&secret-key=%s&uid=cosi-ba-1",
		       s3_account_key(&script.host.call, "ceph-rgw", OWNER, "cosi-ba-1"),
		       s3_account_secret(&script.host.call, "ceph-rgw", CREDENTIAL_KEY, OWNER,
					 "cosi-ba-1"));
	create.expect = expect;
	PLAY(&script, OURS, create);
	script_grant(&script, PARAMS, &access);
	script_ended(&script, COSI_PRECONDITION,
		     "the derived access key already belongs to another RGW user");
	script_done(&script);
}

/* A derived key may be asked for twice, unlike one that the gateway makes. */
static void
test_grant__derived_key_again(void **state)
{
	struct cosi_access access;
	struct script script;
	char create[400], add[400], made[400];
	const char *id, *secret;

	(void)state;
	script_init(&script, CREDENTIAL_KEY);
	id = s3_account_key(&script.host.call, "ceph-rgw", OWNER, "cosi-ba-1");
	secret = s3_account_secret(&script.host.call, "ceph-rgw", CREDENTIAL_KEY, OWNER,
				   "cosi-ba-1");
	(void)snprintf(create, sizeof create,
		       "PUT /admin/user?access-key=%s&display-name=cosid%%3A" OWNER
		       "%%3Aba-1&max-buckets=-1&secret-key=%s&uid=cosi-ba-1",
		       id, secret);
	(void)snprintf(add, sizeof add,
		       "PUT /admin/user?access-key=%s&key=&secret-key=%s"
		       "&uid=cosi-ba-1",
		       id, secret);
	(void)snprintf(made, sizeof made, "[{\"user\":\"cosi-ba-1\",\"access_key\":\"%s\"}]", id);
	PLAY(&script, OURS, FAILS(create, 409, "UserAlreadyExists"),
	     SAYS(GET_USER, USER("\"keys\":[]")), SAYS(IAM, NO_POLICY), SAYS(add, made),
	     SAYS(IAM, PUT_DONE));
	script_grant(&script, PARAMS, &access);
	script_ended(&script, COSI_OK, "");
	script_done(&script);
}

/* 404 may be false while RADOS does not answer, and a user may come back by a grant of another
 * daemon: an OK would be the last that anybody hears of the account. */
static void
test_revoke__gone_for_certain(void **state)
{
	struct script script;

	(void)state;
	script_init(&script, NULL);
	PLAY(&script, SAYS(GET_USER, USER(KEYS)), OK(DELETE), SAYS(ALIVE, OWN(STATS)),
	     FAILS(GET_USER, 404, "NoSuchUser"));
	script_revoke(&script, "cosi-ba-1", NULL);
	script_ended(&script, COSI_OK, "");
	PLAY(&script, FAILS(GET_USER, 404, "NoSuchUser"), SAYS(ALIVE, OWN(STATS)),
	     FAILS(GET_USER, 404, "NoSuchUser"));
	script_revoke(&script, "cosi-ba-1", NULL);
	script_ended(&script, COSI_OK, "");
	PLAY(&script, FAILS(GET_USER, 404, "NoSuchUser"), FAILS(ALIVE, 404, "NoSuchUser"));
	script_revoke(&script, "cosi-ba-1", NULL);
	script_ended(&script, COSI_BUSY, "cannot tell whether RADOS answers");
	PLAY(&script, SAYS(GET_USER, USER(KEYS)), OK(DELETE), SAYS(ALIVE, OWN(STATS)),
	     SAYS(GET_USER, USER(KEYS)));
	script_revoke(&script, "cosi-ba-1", NULL);
	script_ended(&script, COSI_BUSY, "exists again after its deletion");
	PLAY(&script, { .expect = GET_USER, .status = 404 });
	script_revoke(&script, "cosi-ba-1", NULL);
	script_ended(&script, COSI_UNAVAILABLE, "without a reason");
	script_done(&script);
}

/* Only the gateway's own code is final: what else answers 409 may pass. */
static void
test_revoke__conflicts(void **state)
{
	static const struct {
		struct step reply;
		uint32_t code;
		const char *text;
	} conflicts[] = {
		{ FAILS(DELETE, 409, "BucketAlreadyExists"), COSI_PRECONDITION, "owns buckets" },
		{ FAILS(DELETE, 409, "ConcurrentModification"), COSI_BUSY, "answered 409" },
		{ { .expect = DELETE, .status = 409 }, COSI_BUSY, "without a reason" },
		{ { .expect = DELETE, .status = 409, .body = "<html></html>" },
		  COSI_UNAVAILABLE,
		  "without a valid S3 error" },
	};
	struct script script;

	(void)state;
	script_init(&script, NULL);
	for (size_t i = 0; i < sizeof conflicts / sizeof conflicts[0]; i++) {
		PLAY(&script, SAYS(GET_USER, USER(KEYS)), conflicts[i].reply);
		script_revoke(&script, "cosi-ba-1", NULL);
		script_ended(&script, conflicts[i].code, conflicts[i].text);
	}
	script_done(&script);
}

static void
test_probe__what_our_user_lacks(void **state)
{
	static const struct {
		const char *own;
		uint32_t code;
		const char *text;
	} users[] = {
		{ OWN(CAPS), COSI_OK, "" },
		{ OWN(",\"tenant\":\"\"" CAPS), COSI_OK, "" },
		{ OWN(",\"tenant\":\"acme\"" CAPS), COSI_PRECONDITION, "belongs to a tenant" },
		{ OWN(""), COSI_DENIED, "lacks the cap 'users=read'" },
		{ OWN(",\"caps\":[{\"type\":\"users\",\"perm\":\"read\"}]"), COSI_DENIED,
		  "lacks the cap 'users=write'" },
		{ OWN(",\"caps\":[{\"type\":\"users\",\"perm\":\"read, write\"}]"), COSI_DENIED,
		  "lacks the cap 'user-policy=read'" },
		{ "{}", COSI_UNAVAILABLE, "does it serve S3?" },
	};
	struct script script;

	(void)state;
	script_init(&script, NULL);
	for (size_t i = 0; i < sizeof users / sizeof users[0]; i++) {
		PLAY(&script, FAILS("GET /cosid.probe?location=", 404, "NoSuchBucket"),
		     SAYS(ALIVE, users[i].own));
		(void)cosi_module.probe(script.instance, &script.host.call);
		script_ended(&script, users[i].code, users[i].text);
	}
	script_done(&script);
}

static char listed[256];

static int
found(struct cosi_call *call, const struct cosi_found *item)
{
	size_t len = strlen(listed);

	(void)call;
	(void)snprintf(listed + len, sizeof listed - len, "%s=%s;", item->native, item->mark.name);
	return 0;
}

static void
test_list__page_after_page(void **state)
{
	static const char first[] = "GET /admin/user?list=&max-entries=1000";
	static const char second[] = "GET /admin/user?list=&marker=m%2F1&max-entries=1000";
	struct script script;

	(void)state;
	script_init(&script, NULL);
	listed[0] = '\0';
	PLAY(&script, SAYS("GET /?", "<ListAllMyBucketsResult></ListAllMyBucketsResult>"),
	     SAYS(first, "{\"keys\":[\"driver\",7,\"cosi-ba-1\"],\"truncated\":true,"
			 "\"marker\":\"m/1\"}"),
	     SAYS(GET_USER, USER(KEYS)), SAYS(second, "{\"keys\":[\"cosi-ba-2\"]}"),
	     FAILS("GET /admin/user?uid=cosi-ba-2", 404, "NoSuchUser"));
	assert_int_equal(cosi_module.list(script.instance, &script.host.call, OWNER, found), 0);
	script_ended(&script, COSI_OK, "");
	assert_string_equal(listed, "cosi-ba-1=ba-1;");
	PLAY(&script, SAYS("GET /?", "<ListAllMyBucketsResult></ListAllMyBucketsResult>"),
	     SAYS(first, "{\"keys\":[],\"truncated\":true,\"marker\":\"m/1\"}"),
	     SAYS(second, "{\"keys\":[],\"truncated\":true,\"marker\":\"m/1\"}"));
	assert_true(cosi_module.list(script.instance, &script.host.call, OWNER, found) < 0);
	script_ended(&script, COSI_UNAVAILABLE, "the same page again and again");
	/* Nor is a part of the list the list. */
	PLAY(&script, SAYS("GET /?", "<ListAllMyBucketsResult></ListAllMyBucketsResult>"),
	     SAYS(first, "{\"keys\":[\"driver\"],\"truncated\":true}"));
	assert_true(cosi_module.list(script.instance, &script.host.call, OWNER, found) < 0);
	script_ended(&script, COSI_UNAVAILABLE, "is truncated and has no marker");
	script_done(&script);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_grant__new_with_the_gateways_key),
		cmocka_unit_test(test_grant__any_200_is_no_policy),
		cmocka_unit_test(test_grant__user_that_is_there),
		cmocka_unit_test(test_grant__key_of_another_user),
		cmocka_unit_test(test_grant__derived_key_again),
		cmocka_unit_test(test_grant__key_that_the_gateway_does_not_know),
		cmocka_unit_test(test_revoke__gone_for_certain),
		cmocka_unit_test(test_revoke__conflicts),
		cmocka_unit_test(test_probe__what_our_user_lacks),
		cmocka_unit_test(test_list__page_after_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
