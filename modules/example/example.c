/* SPDX-License-Identifier: Apache-2.0
 * example.c - a complete module for a small imaginary store: the one to copy.
 *
 * It needs the installed header, jansson and libcrypto.  cosi-module(7) explains the rules, and
 * store.h is the store's API.
 */
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store.h"

/* ---- settings and parameters: the daemon parses and checks them, and fills the structs ---- */

struct example_settings { /* keys of the backend in cosid.conf */
	const char *region, *admin_key;
};
static const struct cosi_key settings_keys[] = {
	COSI_STRING(struct example_settings, region, 0, "default", "region of all buckets"),
	COSI_SECRET(struct example_settings, admin_key, COSI_REQUIRED, "the administrator's key"),
};

struct example_bucket_params { /* parameters of a BucketClass; access_params are made alike */
	const char *tier;
};
static const struct cosi_key bucket_keys[] = {
	COSI_ENUM(struct example_bucket_params, tier, "hot", "hot cold", "disks of the bucket"),
};

/* One for each backend that uses the module.  Several threads use it at once: nothing in it changes
 * after open(). */
struct example {
	const struct example_settings *settings; /* the daemon's; lives as long as the instance */
	struct store store;
};

static void
example_close(void *instance)
{
	struct example *example = instance;

	store_done(&example->store);
	free(example);
}

/* Checks what the schema cannot.  It sends nothing: a store that is down must not keep the daemon
 * from starting. */
static int
example_open(struct cosi_call *call, const void *config, void **out_instance)
{
	const struct example_settings *settings = config;
	struct example *example;

	if (strlen(settings->admin_key) < 16)
		return cosi_fail(call, COSI_INVALID, "key 'admin_key' is shorter than 16 bytes");
	example = calloc(1, sizeof *example);
	if (example == NULL)
		return cosi_fail(call, COSI_EXHAUSTED, "out of memory");
	if (store_init(&example->store, call, settings->admin_key) < 0) {
		free(example);
		return -1;
	}
	example->settings = settings;
	*out_instance = example;
	return 0;
}

/* ---- names ---- */

enum { NAME_HASH_LEN = 12 };

/* The store's name for a requested name.  Pure, and the same for ever: a version that answers
 * otherwise loses buckets.  The answer follows the rules, so that f(f(x)) = f(x). */
static const char *
example_map_name(void *instance, struct cosi_call *call, uint32_t kind, const char *asked,
		 bool exact)
{
	char head[STORE_NAME_MAX - NAME_HASH_LEN] = "b", hash[NAME_HASH_LEN + 1];
	const char *rule = store_name_rule(asked);
	unsigned char digest[EVP_MAX_MD_SIZE];

	(void)instance;
	if (kind == COSI_ACCOUNT || rule == NULL)
		return asked; /* an account's is "cosi-" and [a-z0-9-], 48 characters at most */
	if (exact) {
		cosi_fail(call, COSI_INVALID, "cannot use '%.255s' as a bucket name: %s", asked,
			  rule);
		return NULL;
	}
	/* As much as fits, and a hash that keeps two such names apart. */
	if (EVP_Digest(asked, strlen(asked), digest, NULL, EVP_sha256(), NULL) != 1) {
		cosi_fail(call, COSI_INTERNAL, "cannot hash '%.255s'", asked);
		return NULL;
	}
	for (size_t i = 0; i < NAME_HASH_LEN / 2; i++)
		(void)snprintf(hash + 2 * i, 3, "%02x", digest[i]);
	for (size_t i = 0; asked[i] != '\0' && i < sizeof head - 2; i++)
		head[1 + i] = asked[i];
	for (size_t i = 1; head[i] != '\0'; i++)
		if (strchr(STORE_NAME_CHARS, head[i]) == NULL)
			head[i] = '-';
	return cosi_printf(call, "%s-%s", head, hash);
}

/* ---- the tags: all that cosid remembers of a bucket or an account ---- */

static json_t *
example_tags(const struct cosi_mark *mark)
{
	return json_pack("{s:s, s:s, s:s}", "owner", mark->owner, "name", mark->name, "params",
			 mark->params);
}

/* A text in the call's memory, which outlives the JSON; "" when there is none. */
static const char *
example_text(struct cosi_call *call, const json_t *thing, const char *key)
{
	const char *text = json_string_value(json_object_get(thing, key));

	return text != NULL ? cosi_printf(call, "%s", text) : "";
}

/* Does it have the owner's tag, and the name's, when the request has a name?  Nothing else is ever
 * changed. */
static bool
example_is_ours(struct cosi_call *call, const json_t *thing, const struct cosi_mark *mark)
{
	const json_t *tags = json_object_get(thing, "tags");

	return strcmp(example_text(call, tags, "owner"), mark->owner) == 0 &&
	       (mark->name == NULL || strcmp(example_text(call, tags, "name"), mark->name) == 0);
}

/* What a create or a grant found under its name: did the same request make it? */
static int
example_check_same(struct cosi_call *call, const char *what, const json_t *thing,
		   const struct cosi_mark *mark)
{
	if (thing == NULL)
		return cosi_fail(call, COSI_BUSY, "the %s was deleted by another request", what);
	if (!example_is_ours(call, thing, mark))
		return cosi_fail(call,
				 strcmp(what, "bucket") == 0 ? COSI_EXISTS : COSI_PRECONDITION,
				 "the %s exists and is not cosid's", what);
	if (strcmp(example_text(call, json_object_get(thing, "tags"), "params"), mark->params) != 0)
		return cosi_fail(call, COSI_EXISTS, "the %s exists with other parameters", what);
	return 0;
}

/* ---- buckets ---- */

static int
example_check_bucket(const struct example *example, struct cosi_call *call, const char *name)
{
	json_auto_t *bucket = NULL;
	int rc = store_get_bucket(&example->store, call, name, &bucket);

	return rc == 1 ? cosi_fail(call, COSI_NOT_FOUND, "bucket '%s' does not exist", name) : rc;
}

static void
example_describe(const struct example *example, struct cosi_bucket *out)
{
	out->protocols = COSI_S3;
	out->region = example->settings->region; /* endpoint and style have good defaults */
}

/* The tags go in with the bucket, by one request.  A store that takes them afterwards has buckets
 * that are `unfinished`: modules/ceph-rgw shows that. */
static int
example_create_bucket(void *instance, struct cosi_call *call, const struct cosi_bucket_req *req,
		      struct cosi_bucket *out)
{
	const struct example_bucket_params *params = req->params;
	const struct example *example = instance;
	json_auto_t *tags = example_tags(&req->mark);
	json_auto_t *there = NULL;
	int rc = store_put_bucket(&example->store, call, req->native, tags, params->tier);

	if (rc == 1 && store_get_bucket(&example->store, call, req->native, &there) >= 0)
		rc = example_check_same(call, "bucket", there, &req->mark);
	if (rc != 0)
		return cosi_fail(call, 0, "cannot create bucket '%s'", req->native);
	example_describe(example, out);
	out->ours = true;
	out->params = req->mark.params;
	return 0;
}

/* Any bucket: one that is not `ours` can be granted, and not deleted. */
static int
example_get_bucket(void *instance, struct cosi_call *call, const struct cosi_bucket_req *req,
		   struct cosi_bucket *out)
{
	const struct example *example = instance;
	json_auto_t *bucket = NULL;

	if (store_get_bucket(&example->store, call, req->native, &bucket) < 0)
		return cosi_fail(call, 0, "cannot read bucket '%s'", req->native);
	if (bucket == NULL)
		return cosi_fail(call, COSI_NOT_FOUND, "bucket '%s' does not exist", req->native);
	example_describe(example, out);
	out->ours = example_is_ours(call, bucket, &req->mark);
	if (out->ours)
		out->params = example_text(call, json_object_get(bucket, "tags"), "params");
	return 0;
}

static int
example_delete_bucket(void *instance, struct cosi_call *call, const struct cosi_bucket_req *req)
{
	const struct example *example = instance;
	json_auto_t *bucket = NULL;
	int rc = store_get_bucket(&example->store, call, req->native, &bucket);

	if (rc == 1)
		return 0; /* gone, and the store said so */
	if (rc == 0 && !example_is_ours(call, bucket, &req->mark))
		rc = cosi_fail(call, COSI_PRECONDITION, "the bucket is not cosid's");
	if (rc == 0)
		rc = store_delete_bucket(&example->store, call, req->native, req->common->purge);
	return rc < 0 ? cosi_fail(call, 0, "cannot delete bucket '%s'", req->native) : 0;
}

/* ---- accounts ---- */

static json_t *
example_buckets(const struct cosi_access_req *req)
{
	static const char *const modes[] = { [COSI_READ_WRITE] = "readWrite",
					     [COSI_READ_ONLY] = "readOnly",
					     [COSI_WRITE_ONLY] = "writeOnly" };
	json_t *buckets = json_object();

	for (size_t i = 0; i < req->nbuckets; i++)
		(void)json_object_set_new(buckets, req->buckets[i]->native,
					  json_string(modes[req->buckets[i]->mode]));
	return buckets;
}

/* The store makes the keys, and shows them to the administrator at any time.  For one that shows
 * them once, derive them from a secret of the settings and the account's name, as modules/posix
 * does: a repeated grant must answer the same keys. */
static int
example_grant(void *instance, struct cosi_call *call, const struct cosi_access_req *req,
	      struct cosi_access *out)
{
	const struct example *example = instance;
	json_auto_t *tags = example_tags(&req->mark);
	json_auto_t *buckets = example_buckets(req);
	json_auto_t *account = NULL;
	int rc = 0;

	for (size_t i = 0; i < req->nbuckets && rc == 0; i++)
		rc = example_check_bucket(example, call, req->buckets[i]->native);
	if (rc == 0)
		rc = store_put_account(&example->store, call, req->native, tags, buckets, &account);
	if (rc == 1 && store_get_account(&example->store, call, req->native, &account) >= 0)
		rc = example_check_same(call, "account", account, &req->mark);
	/* A revoke of some buckets has left the tags as they were. */
	if (rc == 0 && !json_equal(json_object_get(account, "buckets"), buckets))
		rc = cosi_fail(call, COSI_EXISTS, "the account exists with other buckets or modes");
	if (rc != 0)
		return cosi_fail(call, 0, "cannot grant '%s'", req->native);
	out->key_id = example_text(call, account, "keyId");
	out->key_secret = example_text(call, account, "keySecret");
	for (size_t i = 0; i < req->nbuckets; i++)
		example_describe(example, out->buckets[i]);
	return 0;
}

/* Takes the named buckets away; without any, all of them.  Repeated, it finds less to do, and ends
 * in the same: there is no undo. */
static int
example_revoke(void *instance, struct cosi_call *call, const struct cosi_access_req *req)
{
	const struct example *example = instance;
	const char *buckets = NULL;
	json_auto_t *account = NULL;
	int rc = 0;

	for (size_t i = 0; i < req->nbuckets; i++)
		buckets = i == 0 ? req->buckets[i]->native
				 : cosi_printf(call, "%s,%s", buckets, req->buckets[i]->native);
	/* The name may come from any caller. */
	if (strncmp(req->native, "cosi-", 5) == 0 && store_name_rule(req->native) == NULL)
		rc = store_get_account(&example->store, call, req->native, &account);
	if (rc == 1)
		return 0; /* gone, and the store said so */
	if (rc == 0 && !example_is_ours(call, account, &req->mark))
		rc = cosi_fail(call, COSI_PRECONDITION, "the account is not cosid's");
	if (rc == 0)
		rc = store_delete_account(&example->store, call, req->native, buckets);
	return rc < 0 ? cosi_fail(call, 0, "cannot revoke '%s'", req->native) : 0;
}

/* ---- probe and list ---- */

static int
example_probe(void *instance, struct cosi_call *call)
{
	const struct example *example = instance;
	json_auto_t *page = NULL;

	if (store_list(&example->store, call, COSI_BUCKET, "", &page) < 0)
		return cosi_fail(call, 0, "cannot use the store");
	return 0;
}

/* Page by page.  1: found() wants no more. */
static int
example_list_kind(const struct example *example, struct cosi_call *call, uint32_t kind,
		  const char *owner, int (*found)(struct cosi_call *, const struct cosi_found *))
{
	const char *after = "";
	bool more = true;

	while (more) {
		json_auto_t *page = NULL;
		json_t *thing;
		size_t i;

		if (store_list(&example->store, call, kind, after, &page) < 0)
			return -1;
		json_array_foreach(json_object_get(page, "items"), i, thing) {
			const json_t *tags = json_object_get(thing, "tags");

			after = example_text(call, thing, "name");
			if (example_is_ours(call, thing, &(struct cosi_mark){ .owner = owner }) &&
			    found(call,
				  COSI_FOUND(.kind = kind, .native = after,
					     .mark = { owner, example_text(call, tags, "name"),
						       example_text(call, tags, "params") },
					     .created = json_integer_value(
						     json_object_get(thing, "created")))) != 0)
				return 1;
		}
		more = json_is_true(json_object_get(page, "more")) && i > 0;
	}
	return 0;
}

static int
example_list(void *instance, struct cosi_call *call, const char *owner,
	     int (*found)(struct cosi_call *, const struct cosi_found *))
{
	int rc = example_list_kind(instance, call, COSI_BUCKET, owner, found);

	if (rc == 0)
		rc = example_list_kind(instance, call, COSI_ACCOUNT, owner, found);
	return rc < 0 ? cosi_fail(call, 0, "cannot list the store") : 0;
}

/* ---- the module.  A missing handler returns UNIMPLEMENTED. ---- */

COSI_MODULE = {
	COSI_MODULE_HEAD,
	.name = "example",
	.version = "1.0",
	.summary = "buckets of an imaginary store",
	.flags = COSI_NETWORK,
	.protocols = COSI_S3,
	.auth = COSI_AUTH_KEY,
	.common_params = COSI_P_WHEN_NOT_EMPTY,
	.config = COSI_SCHEMA(struct example_settings, settings_keys),
	.bucket_params = COSI_SCHEMA(struct example_bucket_params, bucket_keys),
	.open = example_open,
	.close = example_close,
	.probe = example_probe,
	.map_name = example_map_name,
	.create_bucket = example_create_bucket,
	.get_bucket = example_get_bucket,
	.delete_bucket = example_delete_bucket,
	.grant = example_grant,
	.revoke = example_revoke,
	.list = example_list,
};
