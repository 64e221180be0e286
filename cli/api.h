/* SPDX-License-Identifier: Apache-2.0
 * api.h - one version of COSI on the wire: a request into its messages, its reply into JSON.
 *
 * The answer is the object that `-o json` prints, cosictl(1) describes it; values that the driver
 * did not give are not in it.
 */
#ifndef COSID_CLI_API_H
#define COSID_CLI_API_H
#include <jansson.h>
#include <stdbool.h>

#include "client.h"
#include "cosi_module.h"

/* ---- what the command line asks for, in the words of neither API version ---- */

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

/* ---- the versions ---- */

/* One call.  Fills the answer, an empty object.  0, or -1 with client->error. */
typedef int api_fn(struct client *client, const struct request *request, json_t *answer);

struct api {
	const char *name;             /* "v1alpha2" */
	api_fn *calls[OP_REVOKE + 1]; /* by enum op; NULL: this version has no such call */
	bool single;                  /* one bucket per access, and no choice of protocols */
};
extern const struct api api_v1alpha1, api_v1alpha2;

/* "s3", "azure", "gcs"; NULL: not one protocol. */
const char *api_protocol_name(uint32_t protocol);
/* 0: no such protocol. */
uint32_t api_protocol_parse(const char *name);
/* The request's parameters as the entries of a map field: an array of nparams pointers to messages
 * of that type, from the arena.  NULL only when the arena has failed. */
void *api_map(struct arena *arena, const struct request *request,
	      const ProtobufCMessageDescriptor *entry);
/* Sets a member, unless the value is NULL or empty. */
void api_set(json_t *object, const char *key, const char *value);

#endif
