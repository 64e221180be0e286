/* SPDX-License-Identifier: Apache-2.0
 * azure.h - what the files of this module share: the instance, and who does what.
 *
 *   azure.c    the module, its settings, open, probe     name.c     which names there are
 *   bucket.c   create, get, delete                       grant.c    a policy, and a SAS for it
 *   revoke.c   and away with it                          list.c     what bears our marks
 *   edit.c     one change of a container's policies      acl.c      a list of them as XML
 *   policy.c   their ids and rights                      lease.c    keeps other daemons off
 *   walk.c     all containers of the account             page.c     a list, page by page
 *   send.c     one signed request                        sign.c     what is signed, and how
 *   fault.c    what a refusal means
 */
#ifndef AZURE_AZURE_H
#define AZURE_AZURE_H
#include <stdbool.h>
#include <stdint.h>

#include "cosi_module.h"
#include "sign.h"

struct azure_config {
	const char *account, *account_key, *token_form;
	int64_t sas_lifetime; /* ms; 0: tokens have no end */
	bool lease;
	/* Entra ID's, which are refused. */
	const char *tenant_id, *client_id, *client_secret, *federated_token_file;
};

struct azure {
	const struct azure_config *config;
	struct azure_key key;
};

/* ---- name.c ---- */
/* Can a container have that name? */
bool azure_name_is_container(const char *name);
/* "cosi-" and [a-z0-9-], as short as a policy's id needs it: any other account is never touched. */
bool azure_name_is_account(const char *native);
const char *azure_map_name(void *instance, struct cosi_call *call, uint32_t kind, const char *asked,
			   bool exact);

/* ---- send.c ---- */
struct azure_request {
	const char *method;
	const char *container; /* a legal name; NULL: the account */
	const char *comp;      /* what of it; NULL: itself */
	size_t nquery, nheaders;
	const struct cosi_kv *query;   /* besides comp; not encoded, in any order */
	const struct cosi_kv *headers; /* x-ms-*, in lower case, in any order */
	struct cosi_bytes body;        /* XML */
	const char *unmodified_since;  /* Last-Modified, as it was told; NULL: in any case */
	size_t max_reply;              /* 0: the daemon's */
};
enum { AZURE_QUERY_MAX = 6, AZURE_HEADERS_MAX = 6 };

/* As cosi_http(): NULL means that the call has failed; every status is an answer.  Each of these
 * requests may be sent twice. */
const struct cosi_http_reply *azure_send(const struct azure *azure, struct cosi_call *call,
					 const struct azure_request *request);
#define azure_ask(azure, call, ...)                                                                \
	azure_send((azure), (call), &(struct azure_request){ __VA_ARGS__ })

#define AZURE_COUNT_(...) (sizeof(struct cosi_kv[]){ __VA_ARGS__ } / sizeof(struct cosi_kv))
#define AZURE_QUERY(...)                                                                           \
	.nquery = AZURE_COUNT_(__VA_ARGS__), .query = (const struct cosi_kv[])                     \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}
#define AZURE_HEADERS(...)                                                                         \
	.nheaders = AZURE_COUNT_(__VA_ARGS__), .headers = (const struct cosi_kv[])                 \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}

/* ---- bucket.c ---- */
int azure_create_bucket(void *instance, struct cosi_call *call, const struct cosi_bucket_req *req,
			struct cosi_bucket *out);
int azure_get_bucket(void *instance, struct cosi_call *call, const struct cosi_bucket_req *req,
		     struct cosi_bucket *out);
int azure_delete_bucket(void *instance, struct cosi_call *call, const struct cosi_bucket_req *req);

/* ---- grant.c, revoke.c, list.c ---- */
int azure_grant(void *instance, struct cosi_call *call, const struct cosi_access_req *req,
		struct cosi_access *out);
int azure_revoke(void *instance, struct cosi_call *call, const struct cosi_access_req *req);
int azure_list(void *instance, struct cosi_call *call, const char *owner,
	       int (*found)(struct cosi_call *, const struct cosi_found *));

#endif
