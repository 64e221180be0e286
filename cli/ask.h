/* SPDX-License-Identifier: Apache-2.0
 * ask.h - what the command line asks for, and what came back, in the words of neither dialect.
 */
#ifndef COSID_CLI_ASK_H
#define COSID_CLI_ASK_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cosi_module.h"

/* From ASK_STATUS on: over the admin socket, without a dialect. */
enum ask_op {
	ASK_INFO = 1,
	ASK_CREATE,
	ASK_GET,
	ASK_DELETE,
	ASK_GRANT,
	ASK_REVOKE,
	ASK_STATUS,
	ASK_RELOAD,
	ASK_LIST
};

/* Everything in it is borrowed from argv, from the arena, or constant. */
struct ask {
	enum ask_op op;
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

/* How one bucket is reached by one protocol; a member that was not told is NULL or empty. */
struct answer_info {
	uint32_t protocol; /* one of enum cosi_protocol */
	const char *bucket, *endpoint, *region, *style, *storage_account, *project;
};
enum { ANSWER_PROTOCOLS = 3 };
struct answer_bucket {
	const char *id;
	size_t ninfos;
	struct answer_info infos[ANSWER_PROTOCOLS];
};
struct answer_credentials {
	uint32_t protocol; /* one of enum cosi_protocol; 0: there are none */
	const char *key_id, *key_secret, *token, *expires, *key_name, *service_account;
};
/* Everything in it is borrowed from the arena, the ask, or constant. */
struct answer {
	const char *driver;     /* info */
	uint32_t protocols;     /* info; 0: the dialect does not tell */
	const char *account_id; /* grant */
	size_t nbuckets;        /* create, get: 1; grant: one per id */
	struct answer_bucket *buckets;
	struct answer_credentials credentials; /* grant */
};

/* The members above under the names that people and scripts read; tables end with a NULL name. */
struct answer_field {
	const char *json, *label;
	size_t offset; /* of a const char * */
};
extern const struct answer_field answer_info_fields[];
extern const struct answer_field answer_credential_fields[];
/* NULL when it was not told. */
const char *answer_field(const void *of, const struct answer_field *field);
/* "s3", "azure", "gcs"; NULL: not one protocol. */
const char *answer_protocol_name(uint32_t protocol);
/* 0: no such protocol. */
uint32_t answer_protocol_parse(const char *name);

#endif
