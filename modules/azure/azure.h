/* SPDX-License-Identifier: Apache-2.0
 * azure.h - what the files of this module share.
 *
 *   azure.c    the module, its settings, names, open, probe
 *   bucket.c   create, get, delete
 *   access.c   grant, revoke: a policy, and a SAS for it
 *   list.c     lists of containers and blobs, everything of one owner
 *   edit.c     changes a container's list of policies
 *   policy.c   that list as XML; ids and rights of policies
 *   api.c      signatures, and what refusals mean
 */
#ifndef AZURE_AZURE_H
#define AZURE_AZURE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cosi_module.h"
#include "rest/rest.h"
#include "text/xml.h"

struct azure_config {
	const char *account, *account_key, *token_form;
	int64_t sas_lifetime; /* ms; 0: tokens do not expire */
	bool lease;
	/* Entra ID's, which are refused. */
	const char *tenant_id, *client_id, *client_secret, *federated_token_file;
};

enum { AZURE_KEY_MAX = 64 };
struct azure_key {
	uint8_t bytes[AZURE_KEY_MAX + 2]; /* libcrypto decodes whole triples */
	size_t len;
};

struct azure {
	const struct azure_config *config;
	struct azure_key key;
};

/* ---- azure.c ---- */

/* Can a container have that name? */
bool azure_name_is_container(const char *name);
/* "cosi-" and [a-z0-9-], short enough for a policy's id: no other account is ever touched. */
bool azure_name_is_account(const char *native);
const char *azure_map_name(void *instance, struct cosi_call *call, uint32_t kind, const char *asked,
			   bool exact);

/* ---- api.c ---- */

/* Metadata of a container: the owner's tags.  The names have letters alone, because servers
 * disagree about the order of any other ones, and headers are signed in order.  Values are
 * percent-encoded. */
#define META_OWNER  "cosidriver"
#define META_NAME   "cosiname"
#define META_PARAMS "cosiparams"
#define META_HEADER "x-ms-meta-"

/* 0; or -1 when it is not the base64 of 1 to AZURE_KEY_MAX bytes. */
int azure_key_read(const char *base64, struct azure_key *out);
/* Base64 of the text's HMAC-SHA256, from the call's memory; "" when the call has failed. */
const char *azure_key_sign(struct cosi_call *call, const struct azure_key *key, const char *text);

/* What Shared Key signs of a message whose headers are sorted, and hold x-ms-date. */
const char *azure_sign_text(struct cosi_call *call, const char *account,
			    const struct rest_message *message);

/* The query that grants what the container's stored access policy of that id allows: sv, si, sr,
 * sig, encoded. */
const char *azure_sign_sas(struct cosi_call *call, const struct azure_key *key, const char *account,
			   const char *container, const char *policy);

extern const struct rest_api azure_api;
/* rest_call() of this api.  Each request of this module may be sent twice. */
#define azure_send(azure, call, ...)                                                               \
	rest_call((call), &azure_api, (azure), .flags = COSI_HTTP_SAFE, __VA_ARGS__)
/* A request on a container, whose name is legal: the query begins with restype. */
#define AZURE_ON(call, container)                                                                  \
	.path = cosi_printf((call), "/%s", (container)), REST_QUERY({ "restype", "container" })
#define AZURE_ON_COMP(call, container, comp)                                                       \
	.path = cosi_printf((call), "/%s", (container)),                                           \
	REST_QUERY({ "restype", "container" }, { "comp", (comp) })

/* Did it say that there is no such container? */
bool azure_is_absent(const struct cosi_http_reply *reply);
/* rest_fail() of this api.  Never COSI_NOT_FOUND: what is absent unexpectedly was deleted by
 * another request, BUSY. */
int azure_fail(struct cosi_call *call, const struct cosi_http_reply *reply);

/* ---- list.c ---- */

/* Does the container hold any blob? */
int azure_has_blobs(const struct azure *azure, struct cosi_call *call, const char *container,
		    bool *out_has);

struct azure_container {
	struct azure_container *next;
	const char *name;
	const char *owner, *request, *params; /* its metadata, still encoded; NULL: none */
};
/* 0: continue; 1: stop; -1: the call has failed. */
typedef int azure_container_fn(void *arg, struct cosi_call *call,
			       const struct azure_container *container);
/* Every container of the storage account but those of its own, such as $logs.  What each() stopped
 * with; 0: it saw all of them. */
int azure_each_container(const struct azure *azure, struct cosi_call *call,
			 azure_container_fn *each, void *arg);

/* ---- the handlers: bucket.c, access.c, list.c ---- */

int azure_create_bucket(void *instance, struct cosi_call *call, const struct cosi_bucket_req *req,
			struct cosi_bucket *out);
int azure_get_bucket(void *instance, struct cosi_call *call, const struct cosi_bucket_req *req,
		     struct cosi_bucket *out);
int azure_delete_bucket(void *instance, struct cosi_call *call, const struct cosi_bucket_req *req);
int azure_grant(void *instance, struct cosi_call *call, const struct cosi_access_req *req,
		struct cosi_access *out);
int azure_revoke(void *instance, struct cosi_call *call, const struct cosi_access_req *req);
int azure_list(void *instance, struct cosi_call *call, const char *owner,
	       int (*found)(struct cosi_call *, const struct cosi_found *));

#endif
