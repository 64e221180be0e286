/* SPDX-License-Identifier: Apache-2.0
 * minio_script.h - the scripted store (lib/script.h) as a MinIO server, and an instance. */
#ifndef TEST_MINIO_SCRIPT_H
#define TEST_MINIO_SCRIPT_H
#include "minio.h"
#include "script.h"

extern const struct cosi_module cosi_module;

#define ADMIN      "/minio/admin/v3/"
#define GET_TAGS   "GET /photos?tagging="
#define PUT_TAGS   "PUT /photos?tagging="
#define PUT_BUCKET "PUT /photos?"
#define LOCATION   "GET /photos?location="
#define TAG(k, v)  "<Tag><Key>" k "</Key><Value>" v "</Value></Tag>"
#define TAGS(tags) "<Tagging><TagSet>" tags "</TagSet></Tagging>"
#define LOCATED    "<LocationConstraint>us-east-1</LocationConstraint>"
#define OK(request)                                                                                \
	{                                                                                          \
		.expect = (request), .status = 200                                                 \
	}
#define FAILS(request, number, why)                                                                \
	{                                                                                          \
		.expect = (request), .status = (number), .code = (why)                             \
	}
#define SAYS(request, text)                                                                        \
	{                                                                                          \
		.expect = (request), .status = 200, .body = (text)                                 \
	}

/* An instance with two previous credential keys. */
void script_init(struct script *script);
void script_done(struct script *script);

#endif
