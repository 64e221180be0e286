/* SPDX-License-Identifier: Apache-2.0
 * s3.h - signed requests to a store with the S3 or IAM API, and its errors.
 *
 *   reply = s3_call(call, &client, .method = "GET", .path = s3_path(call, bucket, NULL),
 *                   REST_QUERY({ "tagging", NULL }));
 */
#ifndef LIB_S3_S3_H
#define LIB_S3_S3_H
#include <stdbool.h>

#include "cosi_module.h"
#include "rest/rest.h"

/* Who asks; members are borrowed. */
struct s3_client {
	const char *region, *access_key, *secret_key;
	const char *service; /* NULL: "s3" */
};

/* As rest_send().  Headers x-amz-* are signed; x-amz-content-sha256 is the hash of the body where
 * the request does not say it, as S3_UNSIGNED does. */
const struct cosi_http_reply *s3_send(struct cosi_call *call, const struct s3_client *client,
				      const struct rest_request *request);
#define s3_call(call, client, ...) s3_send((call), (client), &(struct rest_request){ __VA_ARGS__ })
#define S3_UNSIGNED                                                                                \
	{                                                                                          \
		"x-amz-content-sha256", "UNSIGNED-PAYLOAD"                                         \
	}

/* "/bucket" or "/bucket/key", encoded; key NULL: the bucket itself. */
const char *s3_path(struct cosi_call *call, const char *bucket, const char *key);

/* The codes of S3's and IAM's error documents (XML) and of those of the admin APIs of RADOS Gateway
 * and MinIO (JSON).  Message is mostly empty on RADOS Gateway: status and code decide. */
extern const struct rest_api s3_api;
/* rest_error_is(), rest_fail(). */
bool s3_error_is(const struct cosi_http_reply *reply, int status, const char *code);
int s3_fail(struct cosi_call *call, const struct cosi_http_reply *reply);

#endif
