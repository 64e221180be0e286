/* SPDX-License-Identifier: Apache-2.0
 * store.h - the flow of create, get, delete and list for stores with an S3 API.
 *
 * A bucket's state is in its tags, and a create continues from what it finds:
 *
 *   nothing ─ PUT bucket ─► untagged ─ PUT ?tagging ─► finished
 *                              └─ cosi-making ─► settings, one by one ─► finished
 *
 * A module's instance begins with a struct s3_store and uses the four handlers as its own; what
 * differs between stores is in the callbacks.
 */
#ifndef LIB_S3_STORE_H
#define LIB_S3_STORE_H
#include <stdbool.h>

#include "s3/policy.h"
#include "s3/s3.h"

/* ---- tags, those of ownership among them: setting.c ---- */

enum { S3_TAGS_MAX = 50 }; /* S3's own limit */
/* S3's longest tag value, in bytes here, so that every store takes it */
enum { S3_TAG_VALUE_MAX = 256 };

struct s3_tags {
	size_t n;
	struct cosi_kv kv[S3_TAGS_MAX];
};

/* Reads a Tagging document; texts are of the call's memory.  0, or -1: it is none, or too large. */
int s3_tags_read(struct cosi_call *call, struct cosi_bytes document, struct s3_tags *out);
/* NULL: there is no such tag. */
const char *s3_tags_find(const struct s3_tags *tags, const char *key);
/* The same key is replaced; -1 with the call failed: no room, or a text that no tag can hold. */
int s3_tags_set(struct cosi_call *call, struct s3_tags *tags, const char *key, const char *value);
/* The document, from the call's memory. */
struct cosi_bytes s3_tags_write(struct cosi_call *call, const struct s3_tags *tags);

/* The ownership tags.  cosi-params comes last in the life of a create: without it the bucket is
 * unfinished, and cosi-making says with which parameters it was begun. */
#define S3_MARK_DRIVER "cosi-driver"
#define S3_MARK_NAME   "cosi-name"
#define S3_MARK_PARAMS "cosi-params"
#define S3_MARK_MAKING "cosi-making"

/* Fills ours, unfinished and params. */
void s3_tags_judge(const struct s3_tags *tags, const struct cosi_mark *mark,
		   struct cosi_bucket *out);
/* Puts the marks among the tags that are there; finished: with cosi-params, else cosi-making. */
int s3_tags_mark(struct cosi_call *call, struct s3_tags *tags, const struct cosi_mark *mark,
		 bool finished);

/* ---- the store ---- */

/* A bucket as GET ?tagging shows it. */
struct s3_look {
	bool exists, refused; /* refused: it exists, and the store denies access to its tags */
	struct s3_tags tags;
};

/* A create on its way. */
struct s3_store;
struct s3_creation {
	struct s3_store *store;
	const struct cosi_bucket_req *req;
	int64_t begun_ms, time_ms; /* monotonic; what was left of the call then */
	struct s3_look there;
};

/* Lists what is in a store; non-zero stops. */
typedef int s3_found_fn(struct cosi_call *call, const struct cosi_found *found);

/* Those that return an int return 0, or -1 with the call failed. */
struct s3_store {
	struct s3_client client;
	bool puts_first;           /* PUT of a bucket that is there is refused, so no look is due */
	bool has_acls;             /* what is written to a bucket can be made public by an ACL */
	int64_t delete_timeout_ms; /* of DELETE bucket; 0: the backend's */

	/* Can a bucket have that name? */
	bool (*is_bucket)(const struct s3_store *store, const char *native);
	/* Does a bucket without tags exist?  NULL: GET ?tagging tells. */
	int (*exists)(const struct s3_store *store, struct cosi_call *call, const char *native,
		      bool *out);
	/* PUT bucket; *out_exists: it existed already, and nothing was changed. */
	int (*put)(struct cosi_call *call, struct s3_creation *creation, bool *out_exists);
	/* May a bucket without tags be adopted?  If it has been tagged since the look, the tags are
	 * in creation->there, and decide; without there.exists it is created anew. */
	int (*adopt)(struct cosi_call *call, struct s3_creation *creation);
	/* Has this instance created the bucket, and not finished it?  Then it may be deleted
	 * without tags.  NULL: that is not known. */
	bool (*has_made)(struct s3_store *store, const char *native);
	/* May an unfinished bucket be continued?  NULL: always. */
	int (*resume)(struct cosi_call *call, struct s3_creation *creation);
	/* Fails the call for a bucket whose tags are denied.  NULL: s3_look() fails by itself. */
	int (*refused)(const struct s3_store *store, struct cosi_call *call, const char *native);
	int (*put_quota)(const struct s3_store *store, struct cosi_call *call, const char *native,
			 const struct cosi_bucket_params *params);
	/* A bucket was finished, or deleted.  NULL: not needed. */
	void (*forget)(struct s3_store *store, const char *native);
	/* Hands over every account of the owner; positive: found() wanted no more. */
	int (*list_accounts)(const struct s3_store *store, struct cosi_call *call,
			     const char *owner, s3_found_fn *found);
	/* Fails the call with what a reply means; right: the one that AccessDenied means.  NULL:
	 * s3_fail(), where no right is to be named. */
	int (*fail)(struct cosi_call *call, const struct cosi_http_reply *reply, const char *right);
};

/* ---- handlers: instance is a struct s3_store ---- */

int s3_create_bucket(void *instance, struct cosi_call *call, const struct cosi_bucket_req *req,
		     struct cosi_bucket *out);
int s3_get_bucket(void *instance, struct cosi_call *call, const struct cosi_bucket_req *req,
		  struct cosi_bucket *out);
int s3_delete_bucket(void *instance, struct cosi_call *call, const struct cosi_bucket_req *req);
int s3_list(void *instance, struct cosi_call *call, const char *owner, s3_found_fn *found);

/* ---- pieces of them ---- */

/* GET ?tagging: one request, whatever the name. */
int s3_get_tags(const struct s3_store *store, struct cosi_call *call, const char *native,
		struct s3_look *out);
/* The same, and whether a bucket without tags is there at all. */
int s3_look(const struct s3_store *store, struct cosi_call *call, const char *native,
	    struct s3_look *out);
int s3_fail_absent(struct cosi_call *call, const char *native);

/* Every grant begins so: checks the account's name, fills *out_access and what *out says of each
 * bucket. */
int s3_grant_begin(const struct s3_store *store, struct cosi_call *call,
		   const struct cosi_access_req *req, struct s3_access *out_access,
		   struct cosi_access *out);
/* NOT_FOUND unless all of them exist.  Both stores take a policy for a bucket that does not: it
 * would open any later bucket of that name. */
int s3_grant_check_buckets(const struct s3_store *store, struct cosi_call *call,
			   const struct s3_access *access);

/* Does the store know the access key?  The request is for a bucket that cannot exist: its reply is
 * short for any number of buckets, and a well-formed error proves the key as well. */
int s3_probe(const struct s3_store *store, struct cosi_call *call);

/* ---- list.c: pages of ListBuckets, ListObjectVersions and ListMultipartUploads, delete results,
 * all buckets of a key's owner ---- */

/* A bucket, an object's version, a delete marker or an unfinished upload. */
struct s3_item {
	const char *name;    /* decoded; gone after the return */
	size_t len;          /* of name, which may hold any byte */
	const char *version; /* version or upload id; NULL: none */
	const char *created; /* of a bucket, as the store writes it; NULL: it does not say */
};
/* Non-zero stops.  NULL: the items are only counted. */
typedef int s3_item_fn(void *arg, const struct s3_item *item);

struct s3_page {
	size_t nitems;
	bool truncated; /* more pages follow */
};

/* Reads a page, item by item.  With `encoded`, names are percent-encoded (encoding-type=url),
 * without which keys with control characters make the page unreadable.  0, or -1: not such a page,
 * or stopped. */
int s3_list_read(struct cosi_bytes document, bool encoded, s3_item_fn *item, void *arg,
		 struct s3_page *out);

/* What a multi-delete could not delete: a 200 hides errors in its body. */
struct s3_delete_errors {
	size_t n;
	char code[65], key[256]; /* of the first one; key is cut */
};
int s3_list_read_deleted(struct cosi_bytes document, struct s3_delete_errors *out);

struct s3_bucket {
	struct s3_bucket *next;
	const char *name;
	int64_t created; /* seconds since the epoch, by the store's clock; 0: it does not say */
};
struct s3_buckets {
	struct s3_bucket *first; /* of the call's memory */
	int64_t now;             /* the store's clock, from its answer; 0: it does not say */
};
/* One request: the stores give all at once, 32 MiB of them at most.  0 or -1. */
int s3_buckets_read(struct cosi_call *call, const struct s3_client *client, struct s3_buckets *out);

/* ---- purge.c ---- */

/* Deletes every version and delete marker, page by page.  0: none is left.  BUSY: the call's time
 * is nearly up, and the retry goes on; each call begins one page at least.  PRECONDITION: the store
 * keeps a version, because object lock says so; what is on the pages before it is gone.  Unfinished
 * uploads are left to DELETE bucket. */
int s3_purge(struct cosi_call *call, const struct s3_client *client, const char *bucket);

/* ---- setting.c ---- */

/* PUT /bucket?setting, which may be repeated; text: the document.  0 on 2xx without a word. */
int s3_put_setting(struct cosi_call *call, const struct s3_client *client, const char *bucket,
		   const char *setting, const char *text);
const struct cosi_http_reply *s3_get_setting(struct cosi_call *call, const struct s3_client *client,
					     const char *bucket, const char *setting);
/* Do the parameters ask for anything beyond what PUT bucket itself does? */
bool s3_settings_wanted(const struct s3_store *store, const struct cosi_bucket_params *params);
/* Versioning, quota, anonymous access, one after another: both stores read, change and write one
 * record per bucket without a lock, so settings that are sent at once lose each other (measured:
 * 14 of 60 on RADOS Gateway, 47 to 71 of 160 on MinIO). */
int s3_settings_apply(const struct s3_store *store, struct cosi_call *call, const char *native,
		      const struct cosi_bucket_params *params);

/* A setting that every new bucket answers alike. */
struct s3_default {
	const char *setting;
	const char *absent; /* the Code of 404 when it was never set; "": it is always 200 */
	const char *mark;   /* what 200 has in it when it was; "": any 200 means that */
};
/* Is the bucket as PUT bucket leaves it: nothing in it, nothing set, neither of what all stores
 * have nor of `more`?  lock: it was put with object lock. */
int s3_is_untouched(struct cosi_call *call, const struct s3_client *client, const char *bucket,
		    bool lock, const struct s3_default *more, size_t nmore, bool *out);

#endif
