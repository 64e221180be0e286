/* SPDX-License-Identifier: Apache-2.0
 * test_bucket_end.c - get and delete against such answers. */
#include <stdio.h>

#include "bucket_script.h"

#include "banned.h"

static const struct cosi_bucket_params purging = { .purge = true };

static void
test_get__there_or_not(void **state)
{
	struct cosi_bucket bucket;
	struct script script;

	(void)state;
	script_init(&script);
	PLAY(&script, SAYS(GET_TAGS, FINISHED));
	bucket = script_get(&script);
	script_ended(&script, COSI_OK, "");
	assert_true(bucket.ours);
	assert_string_equal(bucket.params, PARAMS);
	assert_string_equal(bucket.region, "us-east-1");
	PLAY(&script, NO_TAGS, SAYS(LOCATION, LOCATED));
	bucket = script_get(&script);
	script_ended(&script, COSI_OK, "");
	assert_false(bucket.ours);
	PLAY(&script, NO_TAGS, FAILS(LOCATION, 404, "NoSuchBucket"));
	bucket = script_get(&script);
	script_ended(&script, COSI_NOT_FOUND, "there is no bucket 'photos'");
	PLAY(&script, NO_TAGS, SAYS(LOCATION, "<LocationConstraint>eu</LocationConstraint>"));
	bucket = script_get(&script);
	script_ended(&script, COSI_PRECONDITION, "region is 'eu'");
	PLAY(&script, NO_TAGS, SAYS(LOCATION, "<html/>"));
	bucket = script_get(&script);
	script_ended(&script, COSI_UNAVAILABLE, "does it serve S3?");
	script_done(&script);
}

static void
test_delete__ours_alone_and_empty(void **state)
{
	struct script script;

	(void)state;
	script_init(&script);
	PLAY(&script, SAYS(GET_TAGS, FINISHED), { .expect = DELETE, .status = 204 });
	script_delete(&script, &plain);
	script_ended(&script, COSI_OK, "");
	PLAY(&script, NO_TAGS, FAILS(LOCATION, 404, "NoSuchBucket"));
	script_delete(&script, &plain);
	script_ended(&script, COSI_OK, "");
	PLAY(&script, { .expect = GET_TAGS, .status = 404, .foreign = true });
	script_delete(&script, &plain);
	script_ended(&script, COSI_UNAVAILABLE, "is not from");
	PLAY(&script, NO_TAGS, SAYS(LOCATION, LOCATED));
	script_delete(&script, &purging);
	script_ended(&script, COSI_PRECONDITION, "the bucket has no tags");
	PLAY(&script, SAYS(GET_TAGS, FINISHED), FAILS(DELETE, 409, "BucketNotEmpty"));
	script_delete(&script, &plain);
	script_ended(&script, COSI_PRECONDITION, "not empty");
	script_done(&script);
}

/* A create that was cut before the tags: this instance knows whose bucket it is, another does not.
 */
static void
test_delete__without_tags_of_ones_own(void **state)
{
	const struct step is_there = SAYS(LOCATION, LOCATED);
	struct script script;

	(void)state;
	script_init(&script);
	PLAY(&script, OK(PUT_BUCKET), FAILS(PUT_TAGS, 503, "SlowDown"));
	script_create(&script, &plain);
	PLAY(&script, NO_TAGS, is_there, FAILS(DELETE, 503, "SlowDown"));
	script_delete(&script, &plain);
	script_ended(&script, COSI_BUSY, "SlowDown");
	PLAY(&script, NO_TAGS, is_there, FAILS(DELETE, 409, "BucketNotEmpty"));
	script_delete(&script, &purging);
	script_ended(&script, COSI_PRECONDITION, "the bucket has no tags");
	PLAY(&script, NO_TAGS, is_there, { .expect = DELETE, .status = 204 });
	script_delete(&script, &plain);
	script_ended(&script, COSI_OK, "");
	PLAY(&script, NO_TAGS, is_there);
	script_delete(&script, &plain);
	script_ended(&script, COSI_PRECONDITION, "the bucket has no tags");
	PLAY(&script, OK(PUT_BUCKET), FAILS(PUT_TAGS, 503, "SlowDown"));
	script_create(&script, &plain);
	PLAY(&script, SAYS(GET_TAGS, TAGS(TAG("team", "photos"))));
	script_delete(&script, &plain);
	script_ended(&script, COSI_PRECONDITION, "do not say that cosid created it");
	script_done(&script);
}

static void
test_delete__purged_to_the_end(void **state)
{
	static const char page[] = "GET /photos?encoding-type=url&max-keys=500&versions=";
	static const char two[] = "<ListVersionsResult><Version><Key>a%26b</Key><VersionId>v1"
				  "</VersionId></Version><DeleteMarker><Key>c</Key><VersionId>v2"
				  "</VersionId></DeleteMarker></ListVersionsResult>";
	struct script script;

	(void)state;
	script_init(&script);
	PLAY(&script, SAYS(GET_TAGS, FINISHED), FAILS(DELETE, 409, "BucketNotEmpty"),
	     SAYS(page, two), SAYS("POST /photos?delete=", "<DeleteResult/>"), SAYS(page, NOTHING),
	     { .expect = DELETE, .status = 204 });
	script_delete(&script, &purging);
	script_ended(&script, COSI_OK, "");
	assert_string_equal(script.sent[3].body,
			    "<Delete><Quiet>true</Quiet><Object><Key>a&#38;b</Key><VersionId>v1"
			    "</VersionId></Object><Object><Key>c</Key><VersionId>v2</VersionId>"
			    "</Object></Delete>");
	assert_string_not_equal(script_sent(&script, 3, "x-amz-checksum-sha256"), "");
	PLAY(&script, SAYS(GET_TAGS, FINISHED), FAILS(DELETE, 409, "BucketNotEmpty"),
	     SAYS(page, two),
	     SAYS("POST /photos?delete=", "<DeleteResult><Error><Key>c</Key><Code>InvalidRequest"
					  "</Code></Error></DeleteResult>"));
	script_delete(&script, &purging);
	script_ended(&script, COSI_PRECONDITION, "object lock or a missing right keeps 1");
	PLAY(&script, SAYS(GET_TAGS, FINISHED), FAILS(DELETE, 409, "BucketNotEmpty"),
	     SAYS(page, NOTHING), FAILS(DELETE, 409, "BucketNotEmpty"));
	script_delete(&script, &purging);
	script_ended(&script, COSI_BUSY, "objects are written while the bucket is purged");
	script_done(&script);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_get__there_or_not),
		cmocka_unit_test(test_delete__ours_alone_and_empty),
		cmocka_unit_test(test_delete__without_tags_of_ones_own),
		cmocka_unit_test(test_delete__purged_to_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
