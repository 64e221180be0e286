/* SPDX-License-Identifier: Apache-2.0
 * test_adopt.c - untagged buckets are taken over only when they are new; and buckets that cosid's
 * user may not read. */
#include "rgw.h"

#include <stdio.h>

#include "banned.h"

static const struct cosi_bucket_params locked = { .set = COSI_P_OBJECT_LOCK, .object_lock = true };
static const struct s3_client alice = { "default", "ALICEALICEALICEALICE",
					"alice-secret-of-the-tests", NULL };

/* What the documented minimum of caps is: without buckets=read. */
static void
reopen_as_few(struct rgw_test *t)
{
	rgw_reopen_as(t, "FEWFEWFEWFEWFEWFEWFE", "few-secret-of-the-tests");
}

static const struct s3_client few = { "default", "FEWFEWFEWFEWFEWFEWFE", "few-secret-of-the-tests",
				      NULL };

static int
setup(void **state)
{
	struct rgw_test *t;

	assert_int_equal(rgw_setup(state), 0);
	t = *state;
	rgw_make_user(t, "few", few.access_key, few.secret_key,
		      "users=read, write;user-policy=read, write");
	rgw_make_user(t, "alice", alice.access_key, alice.secret_key, "");
	return 0;
}

/* A bucket that its owner made by hand, and that is as new, but not as asked for. */
static void
test_adopt__only_as_asked_for(void **state)
{
	static const char enable[] =
		"<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>";
	static const char retain[] =
		"<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled><Rule>"
		"<DefaultRetention><Mode>GOVERNANCE</Mode><Days>1</Days></DefaultRetention></Rule>"
		"</ObjectLockConfiguration>";
	const struct cosi_kv lock = { "x-amz-bucket-object-lock-enabled", "true" };
	struct rgw_test *t = *state;

	assert_int_equal(ask(t, .method = "PUT", .path = "/adopt"), 200);
	assert_int_equal(rgw_create(t, "adopt", RGW_PARAMS_A, &locked), COSI_EXISTS);
	assert_int_equal(
		ask(t, .method = "PUT", .path = "/adopt", .query = "versioning", .body = enable),
		200);
	assert_int_equal(rgw_create(t, "adopt", RGW_PARAMS_A, NULL), COSI_EXISTS);
	assert_int_equal(ask(t, .method = "DELETE", .path = "/adopt"), 204);

	assert_int_equal(ask(t, .method = "PUT", .path = "/adopt", .header = lock), 200);
	assert_int_equal(rgw_create(t, "adopt", RGW_PARAMS_A, NULL), COSI_EXISTS);
	assert_int_equal(
		ask(t, .method = "PUT", .path = "/adopt", .query = "object-lock", .body = retain),
		200);
	assert_int_equal(rgw_create(t, "adopt", RGW_PARAMS_A, &locked), COSI_EXISTS);
	assert_int_equal(ask(t, .method = "DELETE", .path = "/adopt"), 204);
	assert_int_equal(ask(t, .method = "PUT", .path = "/adopt", .header = lock), 200);
	assert_ok(t, rgw_create(t, "adopt", RGW_PARAMS_A, &locked));
	assert_ok(t, rgw_delete(t, "adopt", false));

	assert_int_equal(ask(t, .method = "PUT", .path = "/adopt"), 200);
	assert_int_equal(ask(t, .method = "POST", .path = "/adopt/object", .query = "uploads"),
			 200);
	assert_int_equal(rgw_create(t, "adopt", RGW_PARAMS_A, NULL), COSI_EXISTS);
	assert_int_equal(ask(t, .method = "DELETE", .path = "/adopt"), 204);

	assert_int_equal(ask(t, .method = "PUT", .path = "/adopt"), 200);
	assert_int_equal(ask(t, .method = "PUT", .path = "/adopt", .query = "policy",
			     .body = "{\"Version\":\"2012-10-17\",\"Statement\":[]}"),
			 204);
	assert_int_equal(rgw_create(t, "adopt", RGW_PARAMS_A, NULL), COSI_EXISTS);
	assert_int_equal(ask(t, .method = "DELETE", .path = "/adopt"), 204);
}

#define ACL(user, permission)                                                                      \
	"<AccessControlPolicy><Owner><ID>cosid</ID></Owner><AccessControlList>" GRANT(             \
		"cosid", "FULL_CONTROL")                                                           \
		GRANT(user, permission) "</AccessControlList></AccessControlPolicy>"
#define GRANT(user, permission)                                                                    \
	"<Grant><Grantee xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "                 \
	"xsi:type=\"CanonicalUser\"><ID>" user "</ID></Grantee><Permission>" permission            \
	"</Permission></Grant>"

static const struct setting {
	const char *name, *body;
	struct cosi_kv header;
} settings[] = {
	{ "lifecycle",
	  "<LifecycleConfiguration><Rule><ID>r</ID><Status>Enabled</Status><Filter><Prefix>"
	  "</Prefix></Filter><Expiration><Days>1</Days></Expiration></Rule>"
	  "</LifecycleConfiguration>",
	  { NULL, NULL } },
	{ "cors",
	  "<CORSConfiguration><CORSRule><AllowedMethod>GET</AllowedMethod>"
	  "<AllowedOrigin>*</AllowedOrigin></CORSRule></CORSConfiguration>",
	  { NULL, NULL } },
	{ "notification",
	  "<NotificationConfiguration><TopicConfiguration><Id>n</Id>"
	  "<Topic>arn:aws:sns:default::topic</Topic><Event>s3:ObjectCreated:*</Event>"
	  "</TopicConfiguration></NotificationConfiguration>",
	  { NULL, NULL } },
	{ "publicAccessBlock",
	  "<PublicAccessBlockConfiguration><BlockPublicAcls>false</BlockPublicAcls>"
	  "<IgnorePublicAcls>false</IgnorePublicAcls><BlockPublicPolicy>false</BlockPublicPolicy>"
	  "<RestrictPublicBuckets>true</RestrictPublicBuckets></PublicAccessBlockConfiguration>",
	  { NULL, NULL } },
	{ "requestPayment",
	  "<RequestPaymentConfiguration><Payer>Requester</Payer></RequestPaymentConfiguration>",
	  { NULL, NULL } },
	{ "acl", "", { "x-amz-acl", "public-read" } },
	{ "acl", "", { "x-amz-acl", "authenticated-read" } },
	{ "acl", ACL("alice", "READ"), { NULL, NULL } },
};

static void
make_topic(struct rgw_test *t)
{
	struct s3_client sns = t->admin;
	const struct cosi_http_reply *reply;

	host_reset(&t->direct);
	sns.service = "sns";
	reply = s3_call(&t->direct.call, &sns, .method = "POST", .path = "/",
			REST_HEADERS({ "content-type", "application/x-www-form-urlencoded" }),
			.body = REST_TEXT("Action=CreateTopic&Name=topic"));
	assert_non_null(reply);
	assert_int_equal(reply->status, 200);
}

/* A bucket made by hand with the module's own RGW user belongs to the one who made it. */
static void
test_adopt__not_with_a_setting(void **state)
{
	struct rgw_test *t = *state;

	make_topic(t);
	for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
		const struct setting *set = &settings[i];
		int status;

		assert_int_equal(ask(t, .method = "PUT", .path = "/by-hand"), 200);
		status = ask(t, .method = "PUT", .path = "/by-hand", .query = set->name,
			     .body = set->body, .header = set->header);
		if (status != 200)
			fail_msg("%s %zu: the gateway answers %d", set->name, i, status);
		if (rgw_create(t, "by-hand", RGW_PARAMS_A, NULL) != COSI_EXISTS ||
		    strstr(t->host.text, "the bucket has no tags and is not newly created") == NULL)
			fail_msg("taken over, with '%s' %zu: %s", set->name, i, t->host.text);
		assert_int_equal(ask(t, .method = "GET", .path = "/by-hand", .query = "tagging"),
				 404);
		assert_int_equal(ask(t, .method = "DELETE", .path = "/by-hand"), 204);
	}
}

static void
set_quota(struct rgw_test *t, const char *uid, const char *what, const char *limit)
{
	const struct cosi_kv user[] = { { "quota", NULL },          { "uid", uid },
					{ "quota-type", "bucket" }, { "enabled", "true" },
					{ "max-objects", limit },   { "max-size-kb", "1024" } };
	const struct cosi_kv bucket[] = { { "quota", NULL },        { "uid", uid },
					  { "bucket", what },       { "enabled", "true" },
					  { "max-objects", limit }, { "max-size-kb", "1024" } };
	const struct cosi_http_reply *reply;

	host_reset(&t->direct);
	reply = s3_call(&t->direct.call, &t->admin, .method = "PUT",
			.path = what != NULL ? "/admin/bucket" : "/admin/user",
			.query = what != NULL ? bucket : user, .nquery = 6);
	assert_non_null(reply);
	assert_int_equal(reply->status, 200);
}

/* Seen with the cap buckets=read, and without. */
static void
test_adopt__not_with_a_quota(void **state)
{
	struct rgw_test *t = *state;

	assert_int_equal(ask(t, .method = "PUT", .path = "/by-hand"), 200);
	set_quota(t, "cosid", "by-hand", "5");
	assert_int_equal(rgw_create(t, "by-hand", RGW_PARAMS_A, NULL), COSI_EXISTS);
	assert_int_equal(ask(t, .method = "DELETE", .path = "/by-hand"), 204);

	reopen_as_few(t);
	assert_int_equal(ask(t, .client = &few, .method = "PUT", .path = "/by-hand"), 200);
	set_quota(t, "few", "by-hand", "5");
	assert_int_equal(rgw_create(t, "by-hand", RGW_PARAMS_A, NULL), COSI_EXISTS);
	assert_int_equal(ask(t, .client = &few, .method = "DELETE", .path = "/by-hand"), 204);
	assert_int_equal(ask(t, .client = &few, .method = "PUT", .path = "/by-hand"), 200);
	assert_ok(t, rgw_create(t, "by-hand", RGW_PARAMS_A, NULL));
	assert_int_equal(t->host.nrequests, 19);
	assert_ok(t, rgw_delete(t, "by-hand", false));
	rgw_reopen(t, NULL);
}

/* A default quota that the module's user has for all of its buckets is not the bucket's own. */
static void
test_adopt__quota_of_the_user(void **state)
{
	struct rgw_test *t = *state;

	set_quota(t, "cosid", NULL, "1000");
	assert_int_equal(ask(t, .method = "PUT", .path = "/by-hand"), 200);
	assert_ok(t, rgw_create(t, "by-hand", RGW_PARAMS_A, NULL));
	assert_int_equal(t->host.nrequests, 18);
	assert_ok(t, rgw_delete(t, "by-hand", false));
}

/* What this gateway alone cannot have: websites need another API, replication another zone. */
static const struct cosi_http_reply *
one_setting(struct host *host, const struct cosi_http *request)
{
	const struct setting *set = host->arg;

	if (strcmp(request->method, "GET") == 0 && request->query != NULL &&
	    strncmp(request->query, set->name, strlen(set->name)) == 0)
		return host_reply(host, 200, set->body);
	return host_exchange(host, request);
}

static void
test_adopt__not_with_what_others_have(void **state)
{
	static struct setting cases[] = {
		{ .name = "website",
		  .body = "<WebsiteConfiguration><IndexDocument><Suffix>i</Suffix></IndexDocument>"
			  "</WebsiteConfiguration>" },
		{ .name = "replication",
		  .body = "<ReplicationConfiguration><Role></Role><Rule><ID>r</ID></Rule>"
			  "</ReplicationConfiguration>" },
	};
	struct rgw_test *t = *state;

	assert_int_equal(ask(t, .method = "PUT", .path = "/by-hand"), 200);
	t->host.script = one_setting;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		t->host.arg = &cases[i];
		assert_int_equal(rgw_create(t, "by-hand", RGW_PARAMS_A, NULL), COSI_EXISTS);
	}
	t->host.script = NULL;
	assert_ok(t, rgw_create(t, "by-hand", RGW_PARAMS_A, NULL));
	assert_ok(t, rgw_delete(t, "by-hand", false));
}

static const char deny[] =
	"{\"Version\":\"2012-10-17\",\"Statement\":[{\"Effect\":\"Deny\",\"Principal\":\"*\","
	"\"Action\":[\"s3:GetBucketTagging\"],\"Resource\":[\"arn:aws:s3:::denied\"]}]}";

/* EXISTS is final for who asks: only when it is known to be another's. */
static void
test_refused__whose_it_is(void **state)
{
	struct rgw_test *t = *state;

	assert_int_equal(ask(t, .client = &alice, .method = "PUT", .path = "/alices"), 200);
	assert_int_equal(rgw_create(t, "alices", RGW_PARAMS_A, NULL), COSI_EXISTS);
	assert_non_null(strstr(t->host.text, "another user of the gateway owns the bucket"));
	assert_int_equal(t->host.nrequests, 3);
	assert_int_equal(rgw_delete(t, "alices", true), COSI_PRECONDITION);
	reopen_as_few(t);
	assert_int_equal(rgw_create(t, "alices", RGW_PARAMS_A, NULL), COSI_DENIED);
	assert_non_null(strstr(t->host.text, "buckets=read"));
	assert_int_equal(t->host.nrequests, 2);
	rgw_reopen(t, NULL);
}

static void
test_refused__by_a_policy_that_passes(void **state)
{
	struct rgw_test *t = *state;

	assert_ok(t, rgw_create(t, "denied", RGW_PARAMS_A, NULL));
	assert_int_equal(
		ask(t, .method = "PUT", .path = "/denied", .query = "policy", .body = deny), 204);
	assert_int_equal(rgw_create(t, "denied", RGW_PARAMS_A, NULL), COSI_DENIED);
	assert_non_null(strstr(t->host.text, "the bucket policy denies access"));
	assert_int_equal(rgw_delete(t, "denied", true), COSI_PRECONDITION);
	assert_int_equal(ask(t, .method = "DELETE", .path = "/denied", .query = "policy"), 200);
	assert_ok(t, rgw_create(t, "denied", RGW_PARAMS_A, NULL));
	assert_ok(t, rgw_delete(t, "denied", false));
}

/* The module's user made the bucket just before, with another ACL: the gateway answers 409 then,
 * too. */
static const struct cosi_http_reply *
made_just_before(struct host *host, const struct cosi_http *request)
{
	struct rgw_test *t = host->arg;
	const struct cosi_kv acl = { "x-amz-acl", "public-read" };

	if (strcmp(request->method, "PUT") == 0)
		assert_int_equal(ask(t, .method = "PUT", .path = "/raced", .header = acl), 200);
	return host_exchange(host, request);
}

static void
test_conflict__says_what_is_known(void **state)
{
	struct rgw_test *t = *state;

	t->host.script = made_just_before;
	t->host.arg = t;
	assert_int_equal(rgw_create(t, "raced", RGW_PARAMS_A, NULL), COSI_EXISTS);
	t->host.script = NULL;
	assert_non_null(strstr(t->host.text, "for another user or with another ACL or placement"));
	assert_int_equal(ask(t, .method = "DELETE", .path = "/raced"), 204);
}

static bool
puts_bucket(const struct cosi_http *request)
{
	return strcmp(request->method, "PUT") == 0 &&
	       (request->query == NULL || request->query[0] == '\0');
}

/* Another daemon made the bucket just before, and the PUT arrives while RGW is still making it:
 * 409, although the bucket belongs to the same user (16.2: once in some hundred creates by two
 * daemons). */
static const struct cosi_http_reply *
met_half_way(struct host *host, const struct cosi_http *request)
{
	struct rgw_test *t = host->arg;

	if (!puts_bucket(request))
		return host_exchange(host, request);
	assert_int_equal(ask(t, .method = "PUT", .path = "/raced"), 200);
	return host_reply(host, 409, "<Error><Code>BucketAlreadyExists</Code></Error>");
}

/* Every PUT is refused, whatever user owns the bucket. */
static const struct cosi_http_reply *
always_refused(struct host *host, const struct cosi_http *request)
{
	if (!puts_bucket(request))
		return host_exchange(host, request);
	return host_reply(host, 409, "<Error><Code>BucketAlreadyExists</Code></Error>");
}

/* The other daemon deletes the bucket while this one reads its owner. */
static const struct cosi_http_reply *
gone_meanwhile(struct host *host, const struct cosi_http *request)
{
	if (request->query != NULL && strncmp(request->query, "acl", strlen("acl")) == 0)
		return host_reply(host, 404, "<Error><Code>NoSuchBucket</Code></Error>");
	return met_half_way(host, request);
}

static void
test_conflict__with_another_daemon_passes(void **state)
{
	struct rgw_test *t = *state;

	t->host.arg = t;
	t->host.script = always_refused; /* and by then it is gone again */
	assert_int_equal(rgw_create(t, "raced", RGW_PARAMS_A, NULL), COSI_BUSY);
	t->host.script = gone_meanwhile;
	assert_int_equal(rgw_create(t, "raced", RGW_PARAMS_A, NULL), COSI_BUSY);
	assert_non_null(strstr(t->host.text, "the bucket was deleted by another request"));
	assert_int_equal(ask(t, .method = "DELETE", .path = "/raced"), 204);
	t->host.script = met_half_way;
	assert_int_equal(rgw_create(t, "raced", RGW_PARAMS_A, NULL), COSI_BUSY);
	assert_non_null(strstr(t->host.text, "another daemon is creating the bucket"));
	/* But one that stays, and to which every PUT is refused, is not ours to make. */
	t->host.script = always_refused;
	assert_int_equal(rgw_create(t, "raced", RGW_PARAMS_A, NULL), COSI_EXISTS);
	t->host.script = NULL;
	assert_ok(t, rgw_create(t, "raced", RGW_PARAMS_A, NULL));
	assert_ok(t, rgw_delete(t, "raced", false));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_adopt__only_as_asked_for),
		cmocka_unit_test(test_adopt__not_with_a_setting),
		cmocka_unit_test(test_adopt__not_with_a_quota),
		cmocka_unit_test(test_adopt__not_with_what_others_have),
		cmocka_unit_test(test_refused__whose_it_is),
		cmocka_unit_test(test_refused__by_a_policy_that_passes),
		cmocka_unit_test(test_conflict__says_what_is_known),
		cmocka_unit_test(test_conflict__with_another_daemon_passes),
		cmocka_unit_test(test_adopt__quota_of_the_user),
	};

	return cmocka_run_group_tests(tests, setup, rgw_teardown);
}
