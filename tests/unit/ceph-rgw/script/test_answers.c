/* SPDX-License-Identifier: Apache-2.0
 * test_answers.c - each answer of each call replaced by a page, "{}", nothing: none is believed. */
#include <stdio.h>

#include "rgw_script.h"

#include "banned.h"

#define KEY "{\"user\":\"cosi-ba-1\",\"access_key\":\"K1\",\"secret_key\":\"S1\"}"
#define USER                                                                                       \
	"{\"user_id\":\"cosi-ba-1\",\"display_name\":\"cosid:" OWNER ":ba-1\",\"keys\":[" KEY "]}"
#define OWN  "{\"user_id\":\"driver\",\"stats\":{}}"
#define INFO "{\"bucket\":\"photos\",\"owner\":\"driver\",\"bucket_quota\":{\"enabled\":false}}"
#define ACL                                                                                        \
	"<AccessControlPolicy><Owner><ID>driver</ID></Owner><AccessControlList><Grant><Grantee>"   \
	"<ID>driver</ID></Grantee><Permission>FULL_CONTROL</Permission></Grant>"                   \
	"</AccessControlList></AccessControlPolicy>"
#define MARKS TAG("cosi-driver", OWNER) TAG("cosi-name", "my photos")
#define OURS  SAYS(GET_TAGS, TAGS(MARKS TAG("cosi-params", PARAMS)))

#define ABSENT   FAILS(GET_TAGS, 404, "NoSuchBucket")
#define ALIVE    SAYS("GET /admin/user?access-key=DRIVER&stats=true", OWN)
#define QUOTA    OK("PUT /admin/bucket?bucket=photos&quota=&uid=driver")
#define GET_USER SAYS("GET /admin/user?uid=cosi-ba-1", USER)
#define NO_USER  FAILS("GET /admin/user?uid=cosi-ba-1", 404, "NoSuchUser")
#define PUT_USER                                                                                   \
	"PUT /admin/user?display-name=cosid%3A" OWNER "%3Aba-1&max-buckets=-1&uid=cosi-ba-1"
#define DELETE_USER OK("DELETE /admin/user?uid=cosi-ba-1")
#define LISTED                                                                                     \
	SAYS("POST /?", "<ListUserPoliciesResponse><ListUserPoliciesResult><PolicyNames>"          \
			"<member>cosi</member></PolicyNames></ListUserPoliciesResult>"             \
			"</ListUserPoliciesResponse>")
#define PUT_DONE SAYS("POST /?", "<PutUserPolicyResponse/>")
#define ASK(setting, answer)                                                                       \
	SAYS("GET /photos?" setting "=", "<" answer "Configuration></" answer "Configuration>")
#define UNSET(setting, code) FAILS("GET /photos?" setting "=", 404, code)
#define NOTHING(what, limit, root)                                                                 \
	SAYS("GET /photos?encoding-type=url&" limit "=1&" what "=", "<" root "></" root ">")

static const struct cosi_bucket_params plain;

static void
create_plain(struct script *script)
{
	(void)script_create(script, &plain);
}

static void
create_with_settings(struct script *script)
{
	const struct cosi_bucket_params all = {
		.set = COSI_P_VERSIONING | COSI_P_QUOTA_OBJECTS | COSI_P_ANONYMOUS,
		.versioning = true,
		.quota_objects = 7,
		.anonymous = COSI_ANON_WRITE,
	};

	(void)script_create(script, &all);
}

static void
delete_bucket(struct script *script)
{
	script_delete(script, &plain);
}

static void
purge_bucket(struct script *script)
{
	const struct cosi_bucket_params purge = { .set = COSI_P_WHEN_NOT_EMPTY, .purge = true };

	script_delete(script, &purge);
}

static void
grant(struct script *script)
{
	struct cosi_access access;

	script_grant(script, PARAMS, &access);
	if (script->host.code == COSI_OK)
		assert_string_equal(access.key_secret, "S1");
}

static void
revoke(struct script *script)
{
	script_revoke(script, "cosi-ba-1", NULL);
}

static void
revoke_bucket(struct script *script)
{
	script_revoke(script, "cosi-ba-1", "photos");
}

static int
found(struct cosi_call *call, const struct cosi_found *item)
{
	(void)call;
	(void)item;
	return 0;
}

static void
list(struct script *script)
{
	(void)cosi_module.list(script->instance, &script->host.call, OWNER, found);
}

static void
test_create__lies(void **state)
{
	struct script script;

	(void)state;
	script_init(&script, NULL);
	LIE(&script, create_plain, ABSENT, OK(PUT_BUCKET), OK(PUT_TAGS));
	LIE(&script, create_with_settings, ABSENT, OK(PUT_BUCKET), OK(PUT_TAGS),
	    OK("PUT /photos?versioning="), ALIVE, QUOTA, OK("PUT /photos?publicAccessBlock="),
	    OK("PUT /photos?policy="), OK(PUT_TAGS));
	script_done(&script);
}

/* Where a setting that is absent is an error, any 200 means that it is set, and the bucket is
 * another's: no lie can have it adopted. */
static void
test_adopt__lies(void **state)
{
	const struct step steps[] = {
		FAILS(GET_TAGS, 404, "NoSuchTagSet"),
		NOTHING("versions", "max-keys", "ListVersionsResult"),
		NOTHING("uploads", "max-uploads", "ListMultipartUploadsResult"),
		UNSET("policy", "NoSuchBucketPolicy"),
		UNSET("object-lock", "ObjectLockConfigurationNotFoundError"),
		ASK("versioning", "Versioning"),
		UNSET("lifecycle", "NoSuchLifecycleConfiguration"),
		UNSET("cors", "NoSuchCORSConfiguration"),
		UNSET("website", "NoSuchWebsiteConfiguration"),
		ASK("replication", "Replication"),
		ASK("notification", "Notification"),
		ASK("publicAccessBlock", "PublicAccessBlock"),
		ASK("requestPayment", "RequestPayment"),
		UNSET("object-lock", "ObjectLockConfigurationNotFoundError"),
		SAYS("GET /photos?acl=", ACL),
		FAILS("GET /admin/bucket?bucket=photos", 403, "AccessDenied"),
		{ .expect = "HEAD /photos?",
		  .status = 200,
		  .headers = { { "x-rgw-quota-bucket-size", "-1" },
			       { "x-rgw-quota-bucket-objects", "-1" } } },
		OK(PUT_BUCKET),
		OK(PUT_TAGS),
	};
	const size_t n = sizeof steps / sizeof steps[0];
	struct script script;

	(void)state;
	script_init(&script, NULL);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || i > 14 || steps[i].code == NULL)
			script_lie(&script, create_plain, steps, n, i);
	script_play(&script, steps, n);
	create_plain(&script);
	script_ended(&script, COSI_OK, "");
	script_done(&script);
}

static void
test_delete__lies(void **state)
{
	const struct step gone = { .expect = "DELETE /photos?", .status = 204 };
	struct script script;

	(void)state;
	script_init(&script, NULL);
	LIE(&script, delete_bucket, OURS, gone);
	LIE(&script, delete_bucket, ABSENT);
	LIE(&script, delete_bucket, OURS, FAILS("DELETE /photos?", 404, "NoSuchBucket"));
	LIE(&script, purge_bucket, OURS, FAILS("DELETE /photos?", 409, "BucketNotEmpty"),
	    SAYS("GET /photos?encoding-type=url&max-keys=500&versions=",
		 "<ListVersionsResult></ListVersionsResult>"),
	    gone);
	script_done(&script);
}

static void
test_grant__lies(void **state)
{
	struct script script;

	(void)state;
	script_init(&script, NULL);
	LIE(&script, grant, OURS, SAYS(PUT_USER, USER), PUT_DONE, GET_USER);
	script_done(&script);
}

/* Its key is unknown to the gateway. */
static void
test_grant__lies_of_an_account(void **state)
{
	struct script script;

	(void)state;
	script_init(&script, NULL);
	LIE(&script, grant, OURS, FAILS(PUT_USER, 409, "UserAlreadyExists"), GET_USER,
	    SAYS("POST /?", "<ListUserPoliciesResponse/>"),
	    FAILS("GET /admin/user?access-key=K1", 403, "AccessDenied"),
	    OK("DELETE /admin/user?access-key=K1&key=&uid=cosi-ba-1"),
	    SAYS("PUT /admin/user?access-key=K1&key=&secret-key=S1&uid=cosi-ba-1", "[" KEY "]"),
	    PUT_DONE, GET_USER);
	script_done(&script);
}

static void
test_revoke__lies(void **state)
{
	struct script script;

	(void)state;
	script_init(&script, NULL);
	LIE(&script, revoke, GET_USER, DELETE_USER, ALIVE, NO_USER);
	LIE(&script, revoke, NO_USER, ALIVE, NO_USER);
	LIE(&script, revoke_bucket, GET_USER, SAYS("POST /?", "<ListUserPoliciesResponse/>"),
	    DELETE_USER, ALIVE, NO_USER);
	LIE(&script, revoke_bucket, GET_USER, LISTED, FAILS("POST /?", 404, "NoSuchEntity"),
	    DELETE_USER, ALIVE, NO_USER);
	script_done(&script);
}

static void
test_list__lies(void **state)
{
	struct script script;

	(void)state;
	script_init(&script, NULL);
	LIE(&script, list,
	    SAYS("GET /?", "<ListAllMyBucketsResult><Buckets><Bucket><Name>photos</Name></Bucket>"
			   "</Buckets></ListAllMyBucketsResult>"),
	    OURS, SAYS("GET /admin/user?list=&max-entries=1000", "{\"keys\":[\"cosi-ba-1\"]}"),
	    GET_USER);
	script_done(&script);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_create__lies),
		cmocka_unit_test(test_adopt__lies),
		cmocka_unit_test(test_delete__lies),
		cmocka_unit_test(test_grant__lies),
		cmocka_unit_test(test_grant__lies_of_an_account),
		cmocka_unit_test(test_revoke__lies),
		cmocka_unit_test(test_list__lies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
