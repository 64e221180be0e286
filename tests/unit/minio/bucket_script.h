/* SPDX-License-Identifier: Apache-2.0
 * bucket_script.h - the requests that the module sends for the bucket photos, and replies. */
#ifndef TESTS_UNIT_MINIO_BUCKET_SCRIPT_H
#define TESTS_UNIT_MINIO_BUCKET_SCRIPT_H
#include "minio_script.h"

#define OURS      TAG("cosi-driver", OWNER) TAG("cosi-name", "my photos")
#define FINISHED  TAGS(OURS TAG("cosi-params", PARAMS))
#define MAKING    TAGS(OURS TAG("cosi-making", PARAMS))
#define OTHER     TAGS(OURS TAG("cosi-making", "1:other"))
#define THERE     FAILS(PUT_BUCKET, 409, "BucketAlreadyOwnedByYou")
#define NO_TAGS   FAILS(GET_TAGS, 404, "NoSuchTagSet")
#define LIST      "GET /?"
#define VERSIONS  "GET /photos?encoding-type=url&max-keys=1&versions="
#define UPLOADS   "GET /photos?encoding-type=url&max-uploads=1&uploads="
#define NOTHING   "<ListVersionsResult></ListVersionsResult>"
#define DELETE    "DELETE /photos?"
#define NO_QUOTA  "{\"quota\":0}"
#define GET_QUOTA "GET " ADMIN "get-bucket-quota?bucket=photos"

/* GET /: the bucket was created at noon, and the server's clock says when. */
#define CREATED(when)                                                                              \
	{                                                                                          \
		.expect = LIST, .status = 200,                                                     \
		.body = "<ListAllMyBucketsResult><Buckets><Bucket><Name>photos</"                  \
			"Name><CreationDate>"                                                      \
			"2026-11-20T12:00:00.000Z</CreationDate></Bucket></Buckets>"               \
			"</ListAllMyBucketsResult>",                                               \
		.headers = {                                                                       \
			{ "date", (when) }                                                         \
		}                                                                                  \
	}
#define SETTLED  "Fri, 20 Nov 2026 12:02:00 GMT" /* twice the time of a call here */
#define TOO_SOON "Fri, 20 Nov 2026 12:01:59 GMT"

/* As the server says it of a bucket whose directory alone is there. */
#define UNDATED                                                                                    \
	{                                                                                          \
		.expect = LIST, .status = 200,                                                     \
		.body = "<ListAllMyBucketsResult><Buckets><Bucket><Name>photos</Name>"             \
			"<CreationDate>0001-01-01T00:00:00.000Z</CreationDate></Bucket></Buckets>" \
			"</ListAllMyBucketsResult>",                                               \
		.headers = {                                                                       \
			{ "date", TOO_SOON }                                                       \
		}                                                                                  \
	}

/* What a bucket is looked at for before it is taken over, as a new one answers. */
#define AS_NEW                                                                                     \
	SAYS(VERSIONS, NOTHING), SAYS(UPLOADS, NOTHING),                                           \
		FAILS("GET /photos?policy=", 404, "NoSuchBucketPolicy"),                           \
		FAILS("GET /photos?object-lock=", 404, "ObjectLockConfigurationNotFoundError"),    \
		SAYS("GET /photos?versioning=", "<VersioningConfiguration/>"),                     \
		FAILS("GET /photos?lifecycle=", 404, "NoSuchLifecycleConfiguration"),              \
		FAILS("GET /photos?encryption=", 404,                                              \
		      "ServerSideEncryptionConfigurationNotFoundError"),                           \
		FAILS("GET /photos?replication=", 404, "ReplicationConfigurationNotFoundError"),   \
		SAYS("GET /photos?notification=", "<NotificationConfiguration/>"),                 \
		FAILS("GET /photos?object-lock=", 404, "ObjectLockConfigurationNotFoundError"),    \
		SAYS(GET_QUOTA, NO_QUOTA)

static const struct cosi_bucket_params plain;

#endif
