/* SPDX-License-Identifier: Apache-2.0
 * fuzz_rgw.c - the ceph-rgw module's handlers against any answers of its gateway.
 *
 * covers: modules/ceph-rgw/admin.c modules/ceph-rgw/access.c modules/ceph-rgw/bucket.c
 */
#include "rgw_script.h"
#include "store.h"

#include "banned.h"

#define ERROR(code) "<Error><Code>" code "</Code></Error>"
#define OURS        TAG("cosi-driver", STORE_OWNER) TAG("cosi-name", "my photos")
#define KEYS        "\"keys\":[{\"user\":\"cosi-ba-1\",\"access_key\":\"K1\",\"secret_key\":\"S1\"}]"
#define USER(keys)                                                                                 \
	"{\"user_id\":\"cosi-ba-1\",\"display_name\":\"cosid:" STORE_OWNER                         \
	":ba-1\",\"suspended\":0," keys "}"
#define IAM(name, result)                                                                          \
	"<" name "Response><" name "Result>" result "</" name "Result></" name "Response>"

static const struct honest answers[] = {
	{ "GET ...?tagging=", 200, TAGS(OURS TAG("cosi-params", STORE_PARAMS)) },
	{ "GET ...?tagging=", 200, TAGS(OURS TAG("cosi-making", STORE_PARAMS)) },
	{ "GET ...?tagging=", 404, ERROR("NoSuchTagSet") },
	{ "GET ...?tagging=", 404, ERROR("NoSuchBucket") },
	{ "GET ...?tagging=", 403, ERROR("AccessDenied") },
	{ "GET ...?location=", 200, "<LocationConstraint/>" },
	{ "PUT /admin/user", 200, USER(KEYS) },
	{ "PUT /admin/user", 409, ERROR("UserAlreadyExists") },
	{ "PUT /admin/user", 409, ERROR("KeyExists") },
	{ "PUT /admin/user", 403, ERROR("AccessDenied") },
	{ "GET /admin/user?uid", 200, USER(KEYS) },
	{ "GET /admin/user?uid", 200, USER("\"keys\":[]") },
	{ "GET /admin/user?uid", 404, ERROR("NoSuchUser") },
	{ "GET /admin/user?uid", 200, "{\"user_id\":\"cosi-ba-1\",\"suspended\":1," KEYS "}" },
	{ "GET /admin/user?uid", 200, USER("\"keys\":[{\"access_key\":\"DRIVER\"}]") },
	{ "GET /admin/user?access-key", 200, USER(KEYS) },
	{ "GET /admin/user?access-key", 200,
	  "{\"user_id\":\"driver\",\"max_buckets\":1000,\"caps\":[{\"type\":\"users\",\"perm\":"
	  "\"read, write\"},{\"type\":\"user-policy\",\"perm\":\"*\"}]}" },
	{ "GET /admin/user?access-key", 403, ERROR("AccessDenied") },
	{ "GET /admin/user?list", 200,
	  "{\"keys\":[\"driver\",\"cosi-ba-1\",1],\"truncated\":false}" },
	{ "GET /admin/user?list", 200,
	  "{\"keys\":[\"cosi-ba-1\"],\"truncated\":true,\"marker\":\"m\"}" },
	{ "GET /admin/user?list", 200, "{\"keys\":[],\"truncated\":true}" },
	{ "DELETE /admin/user", 200, NULL },
	{ "DELETE /admin/user", 404, ERROR("NoSuchUser") },
	{ "DELETE /admin/user", 409, ERROR("BucketAlreadyExists") },
	{ "DELETE /admin/user", 403, ERROR("InvalidAccessKeyId") },
	{ "GET /admin/bucket", 200,
	  "{\"bucket\":\"photos\",\"owner\":\"driver\",\"bucket_quota\":{\"enabled\":false}}" },
	{ "GET /admin/bucket", 200,
	  "{\"bucket\":\"photos\",\"owner\":\"other\",\"bucket_quota\":{\"enabled\":true}}" },
	{ "GET /admin/bucket", 403, ERROR("AccessDenied") },
	{ "PUT /admin/bucket", 200, NULL },
	{ "POST /?", 200,
	  IAM("ListUserPolicies", "<PolicyNames><member>cosi</member></PolicyNames>") },
	{ "POST /?", 200,
	  IAM("GetUserPolicy",
	      "<PolicyDocument>{\"Statement\":[{\"Sid\":\"CosiReadWriteBuckets\",\"Resource\":"
	      "[\"arn:aws:s3:::photos\"]}]}</PolicyDocument>") },
	{ "POST /?", 200, "<PutUserPolicyResponse/>" },
	{ "POST /?", 404, "<Get><ErrorResponse><Error><Code>NoSuchEntity</Code></Error>" },
	{ "PUT /photos?", 200, NULL },
	{ "PUT /photos?", 409, ERROR("BucketAlreadyExists") },
	{ "PUT /photos?", 400, ERROR("InvalidLocationConstraint") },
	{ "DELETE /photos?", 204, NULL },
	{ "DELETE /photos?", 409, ERROR("BucketNotEmpty") },
	{ "GET /...&versions=", 200, "<ListVersionsResult/>" },
	{ "GET /...&uploads=", 200, "<ListMultipartUploadsResult/>" },
	{ "POST /photos?delete=", 200, "<DeleteResult/>" },
	{ "?acl=", 200,
	  "<AccessControlPolicy><Owner><ID>driver</ID></Owner><AccessControlList><Grant><Grantee>"
	  "<ID>driver</ID></Grantee><Permission>FULL_CONTROL</Permission></Grant>"
	  "</AccessControlList></AccessControlPolicy>" },
	{ "?acl=", 404, ERROR("NoSuchBucket") },
	{ "?versioning=", 200, "<VersioningConfiguration/>" },
	{ "?notification=", 200, "<NotificationConfiguration/>" },
	{ "?requestPayment=", 200,
	  "<RequestPaymentConfiguration><Payer>BucketOwner</Payer></RequestPaymentConfiguration>" },
	{ "?replication=", 200, "<ReplicationConfiguration/>" },
	{ "?publicAccessBlock=", 200, "<PublicAccessBlockConfiguration/>" },
	{ "GET /photos?policy", 405, ERROR("MethodNotAllowed") },
	{ "GET /photos?object-lock", 405, ERROR("MethodNotAllowed") },
	{ "GET /photos?lifecycle", 405, ERROR("MethodNotAllowed") },
	{ "GET /photos?cors", 405, ERROR("MethodNotAllowed") },
	{ "GET /photos?website", 501, ERROR("NotImplemented") },
	{ "HEAD /photos", 200, NULL },
	{ "HEAD /photos", 404, NULL },
	{ "GET /?", 200,
	  "<ListAllMyBucketsResult><Buckets><Bucket><Name>photos</Name></Bucket></Buckets>"
	  "</ListAllMyBucketsResult>" },
};

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct store store = {
		.module = &cosi_module,
		.honest = answers,
		.nhonest = sizeof answers / sizeof answers[0],
		.headers = { { "x-amz-request-id", "1" },
			     { "date", "Fri, 20 Nov 2026 12:00:00 GMT" },
			     { "x-rgw-quota-bucket-size", "-1" },
			     { "x-rgw-quota-bucket-objects", "-1" } },
	};
	static struct script script;
	static struct rgw_config derived;
	struct rgw_config *config;
	struct rgw *rgw;

	if (script.instance == NULL) {
		json_set_alloc_funcs(charged_malloc, charged_free);
		script_init(&script, NULL);
		host_init(&store.host, "http://rgw.example:8000");
		derived = *((struct rgw *)script.instance)->config;
	}
	rgw = script.instance;
	config = &derived;
	config->credential_key =
		size > 0 && data[0] & 0x20 ? "current-credential-key-0123456789abcdef" : NULL;
	rgw->config = config;
	/* What an earlier call of the instance knew. */
	for (size_t i = 0; i < RGW_SEEN; i++)
		atomic_store(&rgw->seen[i], 0);
	store_call(&store, rgw, data, size);
	if (size > 0 && data[0] % 7 == 3) /* the same once more: now it may be known */
		store_call(&store, rgw, data, size);
	return 0;
}
