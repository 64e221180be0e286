/* SPDX-License-Identifier: Apache-2.0
 * s3.h - one signed request to a store that speaks S3, IAM or a dialect of them.
 *
 *   reply = s3_call(call, &client, .method = "GET", .path = path, S3_QUERY({ "tagging", NULL }));
 */
#ifndef LIB_S3_S3_H
#define LIB_S3_S3_H
#include <stdbool.h>

#include "cosi_module.h"

/* Who asks; members are borrowed. */
struct s3_client {
	const char *region, *access_key, *secret_key;
	const char *service; /* NULL: "s3" */
};

enum { S3_QUERY_MAX = 16, S3_HEADERS_MAX = 8 };

struct s3_request {
	const char *method;
	const char *path;              /* not encoded, begins with '/' */
	size_t nquery, nheaders;       /* at most S3_QUERY_MAX, S3_HEADERS_MAX */
	const struct cosi_kv *query;   /* not encoded, in any order; a NULL value: "" */
	const struct cosi_kv *headers; /* names in lower case; x-amz-* are signed */
	struct cosi_bytes body;
	bool unsigned_payload; /* x-amz-content-sha256: UNSIGNED-PAYLOAD */
	uint32_t flags;        /* enum cosi_http_flag */
	int64_t timeout_ms;    /* 0: the backend's */
	size_t max_reply;      /* 0: the daemon's */
};

/* As cosi_http(): NULL means that the call has failed; every status is an answer. */
const struct cosi_http_reply *s3_send(struct cosi_call *call, const struct s3_client *client,
				      const struct s3_request *request);

#define s3_call(call, client, ...) s3_send((call), (client), &(struct s3_request){ __VA_ARGS__ })

#define S3_COUNT_(...) (sizeof(struct cosi_kv[]){ __VA_ARGS__ } / sizeof(struct cosi_kv))
#define S3_QUERY(...)                                                                              \
	.nquery = S3_COUNT_(__VA_ARGS__), .query = (const struct cosi_kv[])                        \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}
#define S3_HEADERS(...)                                                                            \
	.nheaders = S3_COUNT_(__VA_ARGS__), .headers = (const struct cosi_kv[])                    \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}
#define S3_TEXT(text)                                                                              \
	(struct cosi_bytes)                                                                        \
	{                                                                                          \
		(text), strlen(text)                                                               \
	}

#endif
