/* SPDX-License-Identifier: Apache-2.0
 * s3.h - signed requests to a store with the S3 or IAM API, and its errors; AWS Signature Version 4
 * in the header Authorization.
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

/* ---- AWS Signature Version 4 ----
 *
 * Source: "Create a signed AWS API request" and "Signature Calculations for the Authorization
 * Header" (AWS documentation); the S3 rules: the path is encoded once and not normalised. */

struct sigv4_key {
	const char *access_key, *secret_key, *region, *service;
};

struct sigv4_request {
	const char *method;
	const char *path;  /* as it goes over the wire */
	const char *query; /* the same; sorted by name, every name followed by '='; "" when there is
			      none */
	size_t nheaders;   /* the signed ones, host and x-amz-date among them */
	const struct cosi_kv *headers; /* names in lower case, sorted */
	const char *payload;           /* hex SHA-256 of the body, or "UNSIGNED-PAYLOAD" */
	const char *date;              /* the value of x-amz-date: REST_BASIC */
};

/* The value of the header Authorization, from the call's memory; NULL: the call has failed. */
const char *sigv4_authorization(struct cosi_call *call, const struct sigv4_key *key,
				const struct sigv4_request *request);

#endif
