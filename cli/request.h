/* SPDX-License-Identifier: Apache-2.0
 * request.h - what the command line asks for, in the words of neither API version. */
#ifndef COSID_CLI_REQUEST_H
#define COSID_CLI_REQUEST_H
#include <stddef.h>
#include <stdint.h>

#include "cosi_module.h"

/* From OP_STATUS on: over the admin socket, without an API version. */
enum op {
	OP_INFO = 1,
	OP_CREATE,
	OP_GET,
	OP_DELETE,
	OP_GRANT,
	OP_REVOKE,
	OP_STATUS,
	OP_RELOAD,
	OP_LIST
};

/* Everything in it is borrowed from argv, from the arena, or constant. */
struct request {
	enum op op;
	size_t nids; /* list: the backend, if one is named; create: the one name; get, delete: the
			one id; grant, revoke: >= 1 */
	const char *const *ids;
	size_t nparams; /* no key twice */
	const struct cosi_kv *params;
	const char *account;    /* grant: --account */
	const char *account_id; /* revoke: --account-id */
	uint32_t protocols;     /* enum cosi_protocol; grant, revoke: at most one; 0: not given */
	uint32_t mode;          /* enum cosi_mode; 0: not given */
};

#endif
