/* SPDX-License-Identifier: Apache-2.0
 * access.c - accounts: a record of the buckets and modes, and keys derived from the account's name.
 *
 * The keys depend on the credential key, the owner and the account alone, so that a repeated grant
 * and a second daemon return the same ones, and the record, which a gateway reads, has no secret.
 */
#include <errno.h>
#include <string.h>

#include "posix.h"
#include "record.h"
#include "rest/rest.h"
#include "text/text.h"

#include "banned.h"

/* The lengths of Amazon's keys, which every client can hold: 100 and 200 bits. */
enum { KEY_ID_LEN = 20, KEY_SECRET_LEN = 40 };

/* The first len characters of BASE32(HMAC-SHA256(credential key, "what\nowner\naccount")). */
static const char *
fs_derive_key(const struct fs *fs, struct cosi_call *call, const char *what, const char *owner,
	      const char *account, int len)
{
	const char *message = cosi_printf(call, "%s\n%s\n%s", what, owner, account);
	const char *key = fs->instance->config->credential_key, *result;
	char text[HASH_BASE32_MAX];
	struct hash hash;

	if (hash_hmac(call, key, strlen(key), message, strlen(message), &hash) < 0)
		return "";
	hash_base32(&hash, text);
	result = cosi_printf(call, "%.*s", len, text);
	hash_wipe(text, sizeof text);
	hash_wipe(&hash, sizeof hash);
	return result;
}

/* The buckets of a grant as its record has them: all of them exist.  NULL: the call has failed. */
static json_t *
fs_pack_buckets(const struct fs *fs, struct cosi_call *call, const struct cosi_access_req *req)
{
	static const char *const modes[] = { [COSI_READ_WRITE] = "readWrite",
					     [COSI_READ_ONLY] = "readOnly",
					     [COSI_WRITE_ONLY] = "writeOnly" };
	json_auto_t *list = json_array();
	enum fs_entry entry;

	for (size_t i = 0; i < req->nbuckets; i++) {
		const struct cosi_bucket_ref *bucket = req->buckets[i];

		if (fs_check_name(call, bucket->native) < 0 ||
		    fs_lookup(fs, call, bucket->native, &entry) < 0)
			return NULL;
		if (entry != FS_DIRECTORY) {
			cosi_fail(call, COSI_NOT_FOUND, "bucket '%s' does not exist",
				  bucket->native);
			return NULL;
		}
		if (json_array_append_new(list, json_pack("{s:s, s:s}", "name", bucket->native,
							  "mode", modes[bucket->mode])) < 0) {
			fs_fail(call, ENOMEM, "grant", req->native);
			return NULL;
		}
	}
	return json_incref(list);
}

/* The account has a record: did a request like this one write it? */
static int
fs_check_account(struct cosi_call *call, const struct cosi_access_req *req, const json_t *record,
		 const json_t *buckets, const char *key_id)
{
	if (!record_is_ours(record, &req->mark))
		return cosi_fail(
			call, COSI_PRECONDITION,
			"cannot grant '%s': the account belongs to '%s', whose name for it is '%s'",
			req->native, record_text(record, "owner"), record_text(record, "name"));
	if (strcmp(record_text(record, "params"), req->mark.params) != 0 ||
	    !json_equal(json_object_get(record, "buckets"), buckets))
		return cosi_fail(
			call, COSI_EXISTS,
			"cannot grant '%s': the account exists with other buckets, modes or "
			"parameters",
			req->native);
	if (strcmp(record_text(record, "accessKeyId"), key_id) != 0)
		return cosi_fail(
			call, COSI_PRECONDITION,
			"cannot grant '%s': the account was created with another credential_key",
			req->native);
	return 0;
}

int
fs_grant(void *instance, struct cosi_call *call, const struct cosi_access_req *req,
	 struct cosi_access *out)
{
	CLEANUP_ROOT struct fs fs = fs_open_root(instance, call);
	const char *owner = req->mark.owner;
	json_auto_t *record = NULL;
	json_auto_t *buckets = NULL;
	CLEANUP_LOCK int lock = record_lock(&fs, call, COSI_ACCOUNT, req->native, false);

	if (lock < 0 || (buckets = fs_pack_buckets(&fs, call, req)) == NULL ||
	    record_read(&fs, call, COSI_ACCOUNT, req->native, &record) < 0)
		return -1;
	out->key_id = fs_derive_key(&fs, call, "id", owner, req->native, KEY_ID_LEN);
	out->key_secret = fs_derive_key(&fs, call, "secret", owner, req->native, KEY_SECRET_LEN);
	if (cosi_failed(call))
		return -1;
	if (record != NULL) {
		if (fs_check_account(call, req, record, buckets, out->key_id) < 0 ||
		    record_sync(&fs, call, COSI_ACCOUNT, req->native) < 0)
			return -1;
	} else {
		record = record_new(call, &req->mark);
		if (record == NULL)
			return -1;
		if (json_object_set_new(record, "accessKeyId", json_string(out->key_id)) < 0 ||
		    json_object_set(record, "buckets", buckets) < 0)
			return fs_fail(call, ENOMEM, "grant", req->native);
		if (record_write(&fs, call, COSI_ACCOUNT, req->native, record) < 0)
			return -1;
	}
	for (size_t i = 0; i < req->nbuckets; i++)
		fs_describe(out->buckets[i]);
	return 0;
}

int
fs_revoke(void *instance, struct cosi_call *call, const struct cosi_access_req *req)
{
	CLEANUP_ROOT struct fs fs = fs_open_root(instance, call);
	json_auto_t *record = NULL;
	json_t *buckets;
	CLEANUP_LOCK int lock = record_lock(&fs, call, COSI_ACCOUNT, req->native, true);

	if (lock < 0 || record_read(&fs, call, COSI_ACCOUNT, req->native, &record) < 0)
		return -1;
	if (record == NULL)
		return record_sync(&fs, call, COSI_ACCOUNT, req->native);
	if (!record_is_ours(record, &req->mark))
		return cosi_fail(call, COSI_PRECONDITION,
				 "cannot revoke '%s': the account belongs to '%s'", req->native,
				 record_text(record, "owner"));
	buckets = json_object_get(record, "buckets");
	for (size_t i = json_array_size(buckets); i-- > 0;)
		if (rest_is_revoked(req, record_text(json_array_get(buckets, i), "name")))
			(void)json_array_remove(buckets, i); /* i is valid: it cannot fail */
	if (json_array_size(buckets) == 0)
		return record_remove(&fs, call, COSI_ACCOUNT, req->native);
	return record_write(&fs, call, COSI_ACCOUNT, req->native, record);
}
