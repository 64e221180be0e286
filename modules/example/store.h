/* SPDX-License-Identifier: Apache-2.0
 * store.h - the HTTP API of the imaginary store: a function for each of its requests.
 *
 * example_store.py is the store.  It keeps buckets, which applications use by S3, and accounts:
 *
 *   GET    /v1/buckets?after=NAME           {"items": [BUCKET...], "more": true}, sorted by name
 *   PUT    /v1/buckets/NAME                 makes what the body says: {"tags": ..., "tier": ...}
 *   GET    /v1/buckets/NAME                 {"name": ..., "created": 1700000000, "tags": ...}
 *   DELETE /v1/buckets/NAME?purge=true
 *   GET, PUT, GET /v1/accounts...           the same, with {"buckets": {"photos": "readOnly"},
 *                                           "keyId": ..., "keySecret": ...}
 *   DELETE /v1/accounts/NAME?buckets=A,B    takes those away, and the account with its last one
 *
 * The administrator's key stands in the header Authorization; a refusal is {"error": CODE}.
 *
 * The functions return 0 when the request is done; 1 when the store has refused it because a bucket
 * or account exists already (put) or does not exist (get, delete); -1 when the call has failed.
 * What they put into *out is for json_decref().
 */
#ifndef STORE_H
#define STORE_H
#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include <cosi_module.h>

enum { STORE_NAME_MIN = 3, STORE_NAME_MAX = 63 };
#define STORE_NAME_CHARS "abcdefghijklmnopqrstuvwxyz0123456789-"

/* Several threads use it at once: nothing in it changes after store_init(). */
struct store {
	char *authorization; /* the header's value; it contains the key, so it is a secret */
};

int store_init(struct store *store, struct cosi_call *call, const char *admin_key);
void store_done(struct store *store);

/* Why the store refuses the name; NULL: it does not. */
const char *store_name_rule(const char *name);

int store_put_bucket(const struct store *store, struct cosi_call *call, const char *name,
		     const json_t *tags, const char *tier);
/* Any name: one that the store refuses does not exist. */
int store_get_bucket(const struct store *store, struct cosi_call *call, const char *name,
		     json_t **out);
int store_delete_bucket(const struct store *store, struct cosi_call *call, const char *name,
			bool purge);

int store_put_account(const struct store *store, struct cosi_call *call, const char *name,
		      const json_t *tags, const json_t *buckets, json_t **out);
int store_get_account(const struct store *store, struct cosi_call *call, const char *name,
		      json_t **out);
/* buckets: "A,B"; NULL: all of them. */
int store_delete_account(const struct store *store, struct cosi_call *call, const char *name,
			 const char *buckets);

/* The page after that name ("": the first) of all buckets or accounts; "items" is an array. */
int store_list(const struct store *store, struct cosi_call *call, uint32_t kind, const char *after,
	       json_t **out);

#endif
