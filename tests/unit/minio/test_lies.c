/* SPDX-License-Identifier: Apache-2.0
 * test_lies.c - every reply that a call reads, in its place one that no MinIO gives: the call ends
 * there, is not OK, and its code is one that passes.
 */
#include <stdio.h>
#include <stdlib.h>

#include "bucket_script.h"

#include "banned.h"

#define KEY        "COSISUHMUOYX47S4QKKG" /* of OWNER and cosi-ba-1 */
#define POLICY     "name=cosi-ba-1." KEY
#define GET_POLICY "GET " ADMIN "info-canned-policy?" POLICY
#define PUT_POLICY "PUT " ADMIN "add-canned-policy?" POLICY
#define JOIN                                                                                       \
	"PUT " ADMIN "set-user-or-group-policy?isGroup=false&policyName=cosi-ba-1." KEY            \
	"&userOrGroup=" KEY
#define NO_USER FAILS(LOCATION, 403, "InvalidAccessKeyId")
#define PAGE    "GET /photos?encoding-type=url&max-keys=500&versions="
#define GONE                                                                                       \
	{                                                                                          \
		.expect = DELETE, .status = 204                                                    \
	}

static const struct cosi_bucket_params all = {
	.set = COSI_P_VERSIONING | COSI_P_QUOTA_SIZE | COSI_P_ANONYMOUS,
	.versioning = true,
	.quota_size = 1048576,
	.anonymous = COSI_ANON_READ,
};
static const struct cosi_bucket_params purging = { .purge = true };

/* ---- the calls ---- */

static void
create(struct script *script)
{
	script_create(script, &plain);
}

static void
create_with_settings(struct script *script)
{
	script_create(script, &all);
}

static void
get(struct script *script)
{
	(void)script_get(script);
}

static void
purge(struct script *script)
{
	script_delete(script, &purging);
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
	script_revoke(script, "cosi-ba-1", NULL);
}

static void
revoke_bucket(struct script *script)
{
	script_revoke(script, "cosi-ba-1", "photos");
}

static int
found_nothing(struct cosi_call *call, const struct cosi_found *found)
{
	(void)call, (void)found;
	return 0;
}

static void
list(struct script *script)
{
	int rc = cosi_module.list(script->instance, &script->host.call, OWNER, found_nothing);

	assert_int_equal(rc == 0, script->host.code == COSI_OK);
}

static void
probe(struct script *script)
{
	int rc = cosi_module.probe(script->instance, &script->host.call);

	assert_int_equal(rc == 0, script->host.code == COSI_OK);
}

/* ---- what they ask, and what a server says ---- */

enum { STEPS_MOST = 20 };
#define STATEMENT "{\"Version\":\"2012-10-17\",\"Statement\":[{\"Effect\":\"Deny\"}]}"

static const struct talk {
	const char *name;
	void (*make)(struct script *script);
	struct step steps[STEPS_MOST]; /* up to one without a status */
	uint32_t code;                 /* how the honest one ends */
} talks[] = {
	{ "create", create, { OK(PUT_BUCKET), OK(PUT_TAGS) }, COSI_OK },
	{ "create with settings",
	  create_with_settings,
	  { OK(PUT_BUCKET), OK(PUT_TAGS), OK("PUT /photos?versioning="),
	    OK("PUT " ADMIN "set-bucket-quota?bucket=photos"), OK("PUT /photos?policy="),
	    OK(PUT_TAGS) },
	  COSI_OK },
	{ "create again", create, { THERE, SAYS(GET_TAGS, FINISHED) }, COSI_OK },
	{ "create of an unfinished one",
	  create,
	  { THERE, SAYS(GET_TAGS, MAKING), CREATED(SETTLED), OK(PUT_TAGS) },
	  COSI_OK },
	{ "create of one without tags",
	  create,
	  { THERE, NO_TAGS, CREATED(SETTLED), AS_NEW, OK(PUT_TAGS) },
	  COSI_OK },
	{ "get", get, { SAYS(GET_TAGS, FINISHED) }, COSI_OK },
	{ "get without tags", get, { NO_TAGS, SAYS(LOCATION, LOCATED) }, COSI_OK },
	{ "delete", purge, { SAYS(GET_TAGS, FINISHED), GONE }, COSI_OK },
	{ "delete of none", purge, { NO_TAGS, FAILS(LOCATION, 404, "NoSuchBucket") }, COSI_OK },
	{ "purge",
	  purge,
	  { SAYS(GET_TAGS, FINISHED), FAILS(DELETE, 409, "BucketNotEmpty"),
	    SAYS(PAGE, "<ListVersionsResult><Version><Key>k</Key><VersionId>v</VersionId>"
		       "</Version></ListVersionsResult>"),
	    SAYS("POST /photos?delete=", "<DeleteResult/>"), SAYS(PAGE, NOTHING), GONE },
	  COSI_OK },
	{ "purge of an odd key",
	  purge,
	  { SAYS(GET_TAGS, FINISHED),
	    FAILS(DELETE, 409, "BucketNotEmpty"),
	    SAYS(PAGE, "<ListVersionsResult><Version><Key>%01</Key><VersionId>v</VersionId>"
		       "</Version></ListVersionsResult>"),
	    { .expect = "DELETE /photos/%01?versionId=v", .status = 204 },
	    SAYS(PAGE, NOTHING),
	    GONE },
	  COSI_OK },
	{ "grant",
	  grant,
	  { NO_USER, SAYS(LOCATION, LOCATED), OK(PUT_POLICY),
	    OK("PUT " ADMIN "add-user?accessKey=" KEY), OK(JOIN) },
	  COSI_OK },
	{ "grant again",
	  grant,
	  { SAYS(LOCATION, LOCATED), SAYS(GET_POLICY, STATEMENT) },
	  COSI_EXISTS },
	{ "grant of a user without rights",
	  grant,
	  { FAILS(LOCATION, 403, "AccessDenied"), SAYS(GET_POLICY, STATEMENT),
	    SAYS("GET " ADMIN "user-info?accessKey=" KEY, "{\"status\":\"enabled\"}"),
	    SAYS(LOCATION, LOCATED), OK(PUT_POLICY), OK(JOIN) },
	  COSI_OK },
	{ "revoke",
	  revoke,
	  { OK("DELETE " ADMIN "remove-user?accessKey=" KEY),
	    OK("DELETE " ADMIN "remove-canned-policy?" POLICY),
	    OK("POST " ADMIN "revoke-tokens/builtin?fullRevoke=true&user=" KEY) },
	  COSI_OK },
	{ "revoke of a bucket",
	  revoke_bucket,
	  { SAYS(GET_POLICY, STATEMENT), OK("DELETE " ADMIN "remove-user?accessKey=" KEY),
	    OK("DELETE " ADMIN "remove-canned-policy?" POLICY),
	    OK("POST " ADMIN "revoke-tokens/builtin?fullRevoke=true&user=" KEY) },
	  COSI_OK },
	{ "list",
	  list,
	  { CREATED(SETTLED), SAYS(GET_TAGS, FINISHED),
	    SAYS("GET " ADMIN "list-canned-policies?", "{}") },
	  COSI_OK },
	{ "probe",
	  probe,
	  { FAILS("GET /cosid.probe?location=", 404, "NoSuchBucket"),
	    FAILS("GET " ADMIN "user-info?accessKey=COSIDPROBE", 404, "XMinioAdminNoSuchUser"),
	    FAILS("GET " ADMIN "info-canned-policy?name=cosid.probe", 404,
		  "XMinioAdminNoSuchPolicy") },
	  COSI_OK },
};

/* A reply in the place of the server's.  With the header that all of the server's have, what it
 * says must be wrong for every request. */
static const struct step lies[] = {
	{ .status = 200, .foreign = true },
	{ .status = 204, .foreign = true },
	{ .status = 200, .body = "{}", .foreign = true },
	{ .status = 200, .body = "<html><body>It works!</body></html>", .foreign = true },
	{ .status = 401, .foreign = true },
	{ .status = 403, .code = "AccessDenied", .foreign = true },
	{ .status = 403, .code = "InvalidAccessKeyId", .foreign = true },
	{ .status = 404, .foreign = true },
	{ .status = 404, .code = "NoSuchBucket", .foreign = true },
	{ .status = 404, .code = "NoSuchTagSet", .foreign = true },
	{ .status = 404, .code = "XMinioAdminNoSuchPolicy", .foreign = true },
	{ .status = 409, .code = "BucketAlreadyOwnedByYou", .foreign = true },
	{ .status = 409, .code = "BucketNotEmpty", .foreign = true },
	{ .status = 200, .body = "<html><body>It works!</body></html>" },
	{ .status = 200, .body = "{\"a\":[]}" },
	{ .status = 200, .body = "[]" },
	{ .status = 200, .body = "{\"Statements\":[]}" },
	{ .status = 200, .body = "{\"Statement\":7}" },
	{ .status = 200, .body = "<Result/>" },
};

static size_t
talk_len(const struct talk *talk)
{
	size_t n = 0;

	while (n < STEPS_MOST && talk->steps[n].status != 0)
		n++;
	return n;
}

static void
tell(const struct talk *talk, size_t number, const struct step *lie)
{
	struct step steps[STEPS_MOST];
	struct script script;

	memcpy(steps, talk->steps, sizeof steps);
	if (lie != NULL) {
		steps[number] = *lie;
		steps[number].expect = talk->steps[number].expect;
	}
	script_init(&script);
	script_play(&script, steps, lie != NULL ? number + 1 : number);
	talk->make(&script);
	if (lie == NULL)
		script_ended(&script, talk->code, "");
	else if (script.ncalls != number + 1 || script.host.code != COSI_UNAVAILABLE)
		fail_msg("%s, request %zu: code %u after %u requests to %d '%s'%s: %s", talk->name,
			 number + 1, script.host.code, script.ncalls, lie->status,
			 lie->body != NULL ? lie->body : "", lie->foreign ? " of another" : "",
			 script.host.text);
	script_done(&script);
}

static void
test_lie__in_the_place_of_any_reply(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof talks / sizeof talks[0]; i++) {
		size_t n = talk_len(&talks[i]);

		tell(&talks[i], n, NULL);
		for (size_t number = 0; number < n; number++)
			for (size_t k = 0; k < sizeof lies / sizeof lies[0]; k++)
				tell(&talks[i], number, &lies[k]);
	}
}

/* Said by the server itself to what is no PUT of a bucket: it passes, too. */
static void
test_lie__bucket_exists_to_everything(void **state)
{
	static const struct step exists = { .status = 409, .code = "BucketAlreadyOwnedByYou" };

	(void)state;
	for (size_t i = 0; i < sizeof talks / sizeof talks[0]; i++)
		for (size_t number = 0; number < talk_len(&talks[i]); number++)
			if (strcmp(talks[i].steps[number].expect, PUT_BUCKET) != 0)
				tell(&talks[i], number, &exists);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lie__in_the_place_of_any_reply),
		cmocka_unit_test(test_lie__bucket_exists_to_everything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
