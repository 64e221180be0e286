/* SPDX-License-Identifier: Apache-2.0
 * rgw_script.h - the scripted store (lib/script.h) as a RADOS Gateway, and an instance. */
#ifndef TEST_RGW_SCRIPT_H
#define TEST_RGW_SCRIPT_H
#include "rgw.h"
#include "script.h"

extern const struct cosi_module cosi_module;

#define GET_TAGS   "GET /photos?tagging="
#define PUT_TAGS   "PUT /photos?tagging="
#define PUT_BUCKET "PUT /photos?"
#define TAG(k, v)  "<Tag><Key>" k "</Key><Value>" v "</Value></Tag>"
#define TAGS(tags) "<Tagging><TagSet>" tags "</TagSet></Tagging>"
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

/* credential_key: NULL for keys that the gateway makes. */
void script_init(struct script *script, const char *credential_key);
void script_done(struct script *script);

#endif
