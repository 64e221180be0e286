/* SPDX-License-Identifier: Apache-2.0
 * test_bucket.c - create and delete against a scripted gateway. */
#include "rgw_script.h"

#include "banned.h"

#define ABSENT FAILS(GET_TAGS, 404, "NoSuchBucket")
#define MARKS  TAG("cosi-driver", OWNER) TAG("cosi-name", "my photos")
#define ALIVE  "GET /admin/user?access-key=DRIVER&stats=true"
#define QUOTA  "PUT /admin/bucket?bucket=photos&quota=&uid=driver"
#define OWN    "{\"user_id\":\"driver\"}"
#define DELETE "DELETE /photos?"

static const struct cosi_bucket_params plain,
	versioned = { .set = COSI_P_VERSIONING, .versioning = true };

static void
test_create__looks_first(void **state)
{
	struct script script;

	(void)state;
	script_init(&script, NULL);
	PLAY(&script, ABSENT, OK(PUT_BUCKET), OK(PUT_TAGS));
	script_create(&script, &plain);
	script_ended(&script, COSI_OK, "");
	assert_string_equal(script.sent[2].body, TAGS(MARKS TAG("cosi-params", PARAMS)));
	PLAY(&script, SAYS(GET_TAGS, TAGS(MARKS TAG("cosi-params", PARAMS))));
	script_create(&script, &plain);
	script_ended(&script, COSI_OK, "");
	PLAY(&script, ABSENT, FAILS(PUT_BUCKET, 409, "BucketAlreadyExists"), ABSENT);
	script_create(&script, &plain);
	script_ended(&script, COSI_BUSY, "another daemon is creating the bucket");
	script_done(&script);
}

static void
test_create__settings_one_by_one(void **state)
{
	const struct cosi_bucket_params all = {
		.set = COSI_P_VERSIONING | COSI_P_QUOTA_OBJECTS | COSI_P_ANONYMOUS | COSI_P_REGION,
		.versioning = true,
		.quota_objects = 7,
		.anonymous = COSI_ANON_WRITE,
		.region = ":cold",
	};
	struct script script;

	(void)state;
	script_init(&script, NULL);
	PLAY(&script, ABSENT, OK(PUT_BUCKET), OK(PUT_TAGS), OK("PUT /photos?versioning="),
	     SAYS(ALIVE, OWN), OK(QUOTA), OK("PUT /photos?publicAccessBlock="),
	     OK("PUT /photos?policy="), OK(PUT_TAGS));
	script_create(&script, &all);
	script_ended(&script, COSI_OK, "");
	assert_string_equal(script.sent[1].body,
			    "<CreateBucketConfiguration><LocationConstraint>:cold"
			    "</LocationConstraint></CreateBucketConfiguration>");
	assert_string_equal(script.sent[2].body, TAGS(MARKS TAG("cosi-making", PARAMS)));
	assert_string_equal(script.sent[5].body,
			    "{\"enabled\":true,\"max_size\":-1,\"max_objects\":7}");
	assert_string_equal(script_sent(&script, 5, "x-amz-content-sha256"), "UNSIGNED-PAYLOAD");
	assert_string_equal(script.sent[8].body, TAGS(MARKS TAG("cosi-params", PARAMS)));
	script_done(&script);
}

static void
test_create__goes_on(void **state)
{
	struct script script;

	(void)state;
	script_init(&script, NULL);
	PLAY(&script, SAYS(GET_TAGS, TAGS(MARKS TAG("cosi-making", PARAMS))),
	     OK("PUT /photos?versioning="), OK(PUT_TAGS));
	script_create(&script, &versioned);
	script_ended(&script, COSI_OK, "");
	/* A late request may have set the tags of a bucket back that is in use. */
	PLAY(&script, SAYS(GET_TAGS, TAGS(MARKS TAG("cosi-making", "1:other"))));
	script_create(&script, &versioned);
	script_ended(&script, COSI_EXISTS, "begun with other parameters: delete it first");
	script_done(&script);
}

static void
test_create__denied_by_the_gateway(void **state)
{
	static const char info[] = "GET /admin/bucket?bucket=photos";
	const struct step denied = FAILS(GET_TAGS, 403, "AccessDenied");
	struct script script;

	(void)state;
	script_init(&script, NULL);
	PLAY(&script, denied, FAILS(info, 403, "AccessDenied"));
	script_create(&script, &plain);
	script_ended(&script, COSI_DENIED, "the cap 'buckets=read' would tell");
	PLAY(&script, denied, SAYS(info, "{\"bucket\":\"photos\",\"owner\":\"somebody\"}"),
	     SAYS(ALIVE, OWN));
	script_create(&script, &plain);
	script_ended(&script, COSI_EXISTS, "another user of the gateway owns the bucket");
	PLAY(&script, denied, SAYS(info, "{\"bucket\":\"photos\",\"owner\":\"driver\"}"),
	     SAYS(ALIVE, OWN));
	script_create(&script, &plain);
	script_ended(&script, COSI_DENIED, "the bucket policy denies access");
	script_done(&script);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_create__looks_first),
		cmocka_unit_test(test_create__settings_one_by_one),
		cmocka_unit_test(test_create__goes_on),
		cmocka_unit_test(test_create__denied_by_the_gateway),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
