/* SPDX-License-Identifier: Apache-2.0
 * access.h - grants and revokes of one account on one container, and the lists that they meet. */
#ifndef TEST_AZURE_ACCESS_H
#define TEST_AZURE_ACCESS_H
#include "azure_script.h"

#define TAIL ".6B37OHA46Y" /* of OWNER and PARAMS */
#define ID   "cosi-ba-1.ABCDEF27" TAIL
#define RW   "<Permission>racwdl</Permission>"
#define ETAG                                                                                       \
	{                                                                                          \
		"etag", "\"0x1\""                                                                  \
	}

#define ACQUIRED                                                                                   \
	{                                                                                          \
		.expect = LEASE, .status = 201, .headers = { ETAG }                                \
	}
#define WRITTEN                                                                                    \
	{                                                                                          \
		.expect = ACL_PUT, .status = 200                                                   \
	}
#define RELEASED                                                                                   \
	{                                                                                          \
		.expect = LEASE, .status = 200                                                     \
	}
#define TAKEN                                                                                      \
	{                                                                                          \
		.expect = LEASE, .status = 409, .code = "LeaseAlreadyPresent"                      \
	}
#define LIST(text)                                                                                 \
	{                                                                                          \
		.expect = ACL_GET, .status = 200, .body = (text), .headers = { ETAG }              \
	}
#define NO_CONTAINER(what)                                                                         \
	{                                                                                          \
		.expect = (what), .status = 404, .code = "ContainerNotFound"                       \
	}
#define IDS(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* A list of policies of those ids, up to the NULL, each with that in its AccessPolicy.  Two lists
 * live at a time. */
const char *list_of(const char *const ids[], const char *inside);

#endif
