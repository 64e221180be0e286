/* SPDX-License-Identifier: Apache-2.0
 * verify.h - what a module answered, checked and copied before anybody else sees it. */
#ifndef COSID_MODULE_VERIFY_H
#define COSID_MODULE_VERIFY_H
#include "module/backend.h"

/* Bytes.  128 is COSI's limit for a string of an answer and what an id may measure as a whole; a
 * SAS or an HMAC secret does not fit, so those have their own. */
enum {
	VERIFY_NAME_MAX = 128,
	VERIFY_URL_MAX = 2048,
	VERIFY_SAS_MAX = 2048,
	VERIFY_SECRET_MAX = 4096,
	VERIFY_PATH_MAX = 1024, /* GCS: projects/P/serviceAccounts/S/keys/K */
};

/* 0, or -1 with call->status: the call needs more memory than it may use, which the module may not
 * have noticed. */
int verify_memory(struct module_call *call);
/* The outcome of a handler that returned `result`: 0, or -1 with call->status. */
int verify_result(struct module_call *call, int result);
/* native: as asked for.  needed: protocols that the bucket must serve, 0: any.  Fills in what has a
 * default; every string becomes a copy in the call's arena.  0, or -1 with INTERNAL. */
int verify_bucket(struct module_call *call, const char *native, uint32_t needed,
		  struct cosi_bucket *bucket);
int verify_access(struct module_call *call, const struct cosi_access_req *req,
		  struct cosi_access *access);
/* A native name as it stands in an id: [A-Za-z0-9.-], and as long as an id leaves room for. */
bool verify_is_native(const struct module_call *call, const char *name);

#endif
