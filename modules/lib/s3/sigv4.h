/* SPDX-License-Identifier: Apache-2.0
 * sigv4.h - AWS Signature Version 4 in the Authorization header.
 *
 * Source: "Create a signed AWS API request" and "Signature Calculations for the Authorization
 * Header" (AWS documentation); the S3 rules: the path is encoded once and not normalised.
 */
#ifndef LIB_S3_SIGV4_H
#define LIB_S3_SIGV4_H
#include <stddef.h>
#include <stdint.h>

#include "cosi_module.h"

enum { SIGV4_DATE_MAX = 17 };

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
	int64_t now;                   /* seconds since the epoch: the time that x-amz-date says */
};

/* "20130524T000000Z", the value of x-amz-date. */
void sigv4_date(int64_t now, char out[SIGV4_DATE_MAX]);
/* The value of the header Authorization, from the call's memory; NULL: the call has failed. */
const char *sigv4_authorization(struct cosi_call *call, const struct sigv4_key *key,
				const struct sigv4_request *request);

#endif
