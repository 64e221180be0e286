/* SPDX-License-Identifier: Apache-2.0
 * fuzz_minio.c - the minio module's handlers against any answers of its server.
 *
 * covers: modules/minio/admin.c modules/minio/account.c modules/minio/access.c
 *         modules/minio/bucket.c modules/lib/s3/list.c modules/lib/s3/setting.c
 *         modules/lib/s3/store.c modules/lib/s3/purge.c modules/lib/s3/s3.c
 */
#include "minio_script.h"
#include "store.h"

#include "banned.h"

#define ERROR(code)  "<Error><Code>" code "</Code></Error>"
#define VERSIONS(of) "<ListVersionsResult>" of "</ListVersionsResult>"
#define OBJECT(key)  "<Version><Key>" key "</Key><VersionId>null</VersionId></Version>"
#define KEY          "COSISUHMUOYX47S4QKKG" /* of the owner and cosi-ba-1 */

static const struct honest answers[] = {
	{ "?location=", 200, LOCATED },
	{ "?location=", 403, ERROR("InvalidAccessKeyId") },
	{ "?location=", 403, ERROR("SignatureDoesNotMatch") },
	{ "?location=", 403, ERROR("AccessDenied") },
	{ "?location=", 404, ERROR("NoSuchBucket") },
	{ "?location=", 400,
	  "<Error><Code>AuthorizationHeaderMalformed</Code><Region>east</Region></Error>" },
	{ "GET ...?tagging=", 200,
	  TAGS(TAG("cosi-driver", STORE_OWNER) TAG("cosi-name", "my photos")
		       TAG("cosi-params", STORE_PARAMS)) },
	{ "GET ...?tagging=", 200,
	  TAGS(TAG("cosi-driver", STORE_OWNER) TAG("cosi-name", "my photos")
		       TAG("cosi-making", STORE_PARAMS)) },
	{ "GET ...?tagging=", 200,
	  TAGS(TAG("cosi-driver", STORE_OWNER) TAG("cosi-name", "my photos")
		       TAG("cosi-making", "1:00")) },
	{ "GET ...?tagging=", 404, ERROR("NoSuchTagSet") },
	{ "GET ...?tagging=", 404, ERROR("NoSuchBucket") },
	{ "GET ...?tagging=", 403, ERROR("AccessDenied") },
	{ "PUT /minio/admin", 200, NULL },
	{ "PUT /minio/admin", 404, "{\"Code\":\"XMinioAdminNoSuchUser\"}" },
	{ "PUT /minio/admin", 403, "{\"Code\":\"XMinioInvalidIAMCredentials\"}" },
	{ "PUT /minio/admin", 426, "{\"Code\":\"XMinioAdminVersionMismatch\"}" },
	{ "PUT /minio/admin", 400, "{\"Code\":\"XMinioAdminConfigBadJSON\"}" },
	{ "PUT /...?", 200, NULL },
	{ "PUT /photos?", 409, ERROR("BucketAlreadyOwnedByYou") },
	{ "DELETE /...?", 204, NULL },
	{ "DELETE /photos?", 409, ERROR("BucketNotEmpty") },
	{ "DELETE /minio", 404, "{\"Code\":\"XMinioAdminNoSuchUser\"}" },
	{ "DELETE /minio", 404, "{\"Code\":\"XMinioAdminNoSuchPolicy\"}" },
	{ "DELETE /minio", 400, "{\"Code\":\"XMinioIAMPolicyInUse\"}" },
	{ "GET /...&versions=", 200, VERSIONS("") },
	{ "GET /...&versions=", 200,
	  VERSIONS("<IsTruncated>true</IsTruncated>" OBJECT("a+%2F") OBJECT("%01")) },
	{ "GET /...&versions=", 200,
	  VERSIONS("<NextKeyMarker>&#x01;&#x1F;&#xA;</NextKeyMarker>" OBJECT("b")) },
	{ "GET /...&uploads=", 200, "<ListMultipartUploadsResult/>" },
	{ "POST /photos?delete=", 200, "<DeleteResult/>" },
	{ "POST /photos?delete=", 200,
	  "<DeleteResult><Error><Key>a</Key><Code>InvalidRequest</Code></Error></DeleteResult>" },
	{ "?policy=", 404, ERROR("NoSuchBucketPolicy") },
	{ "?object-lock=", 404, ERROR("ObjectLockConfigurationNotFoundError") },
	{ "?object-lock=", 200, "<ObjectLockConfiguration/>" },
	{ "?versioning=", 200, "<VersioningConfiguration/>" },
	{ "?versioning=", 200, "<VersioningConfiguration><Status>Enabled</Status>" },
	{ "?lifecycle=", 404, ERROR("NoSuchLifecycleConfiguration") },
	{ "?encryption=", 404, ERROR("ServerSideEncryptionConfigurationNotFoundError") },
	{ "?replication=", 404, ERROR("ReplicationConfigurationNotFoundError") },
	{ "?notification=", 200, "<NotificationConfiguration/>" },
	{ "get-bucket-quota?", 200, "{\"quota\":0}" },
	{ "get-bucket-quota?", 200, "{\"quota\":1}" },
	{ "GET /?", 200,
	  "<ListAllMyBucketsResult><Buckets><Bucket><Name>photos</Name><CreationDate>"
	  "2026-11-20T11:00:00.000Z</CreationDate></Bucket></Buckets></ListAllMyBucketsResult>" },
	{ "GET /?", 200,
	  "<ListAllMyBucketsResult><Buckets><Bucket><Name>photos</Name><CreationDate>"
	  "2026-11-20T11:59:59.000Z</CreationDate></Bucket></Buckets></ListAllMyBucketsResult>" },
	{ "info-canned-policy?", 404, "{\"Code\":\"XMinioAdminNoSuchPolicy\"}" },
	{ "info-canned-policy?", 200,
	  "{\"Statement\":[{\"Sid\":\"CosiReadWriteBuckets\",\"Resource\":"
	  "[\"arn:aws:s3:::photos\",\"arn:aws:s3:::videos\"]},"
	  "{\"Sid\":\"CosiParams10123456789abcdef0123456789abcdef\"}]}" },
	{ "user-info?", 200, "{\"status\":\"enabled\",\"policyName\":\"\"}" },
	{ "user-info?", 404, "{\"Code\":\"XMinioAdminNoSuchUser\"}" },
	{ "list-canned-policies?", 200,
	  "{\"readonly\":{},\"a.b\":{},\"cosi-ba-1." KEY "\":{},\"cosi-ba-2.x\":{}}" },
	{ "list-canned-policies?", 200, "{\"cosi-ba-1." KEY "\":[]}" },
	{ "POST /minio", 200, NULL },
	{ "POST /minio", 426, "{\"Code\":\"XMinioAdminVersionMismatch\"}" },
};

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct store store = {
		.module = &cosi_module,
		.honest = answers,
		.nhonest = sizeof answers / sizeof answers[0],
		.headers = { { "x-amz-request-id", "1" },
			     { "date", "Fri, 20 Nov 2026 12:00:00 GMT" } },
	};
	static struct script script;
	struct minio *minio;

	if (script.instance == NULL) {
		json_set_alloc_funcs(charged_malloc, charged_free);
		script_init(&script);
		host_init(&store.host, "http://minio.example:9000");
	}
	minio = script.instance;
	memset(minio->made.list, 0, sizeof minio->made.list);
	memset(minio->undated.list, 0, sizeof minio->undated.list);
	atomic_store(&minio->longest_ms, 0);
	store_call(&store, minio, data, size);
	return 0;
}
