/* SPDX-License-Identifier: Apache-2.0
 * access.c - accounts: a record of who may do what, and keys that follow from its name.
 *
 * The keys are made of the credential key, the owner and the account alone.  So a repeated grant
 * gives the same ones, a second daemon too, and the record, which a gateway reads, has no secret.
 */
#include <errno.h>
#include <string.h>

#include "posix.h"
#include "record.h"
#include "text/hash.h"

#include "banned.h"

/* The lengths of Amazon's, which every client can hold: 100 and 200 bits. */
enum { KEY_ID_LEN = 20, KEY_SECRET_LEN = 40 };

static const char *const mode_names[] = {
	[COSI_READ_WRITE] = "readWrite",
	[COSI_READ_ONLY] = "readOnly",
	[COSI_WRITE_ONLY] = "writeOnly",
};

/* The first len characters of BASE32(HMAC-SHA256(credential key, "what\nowner\naccount")). */
static const char *
derive(const struct posix *posix, struct cosi_call *call, const char *what, const char *owner,
       const char *account, int len)
{
	const char *message = cosi_printf(call, "%s\n%s\n%s", what, owner, account);
	const char *key = posix->instance->config->credential_key, *result;
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

static int
check_buckets(const struct posix *posix, struct cosi_call *call, const struct cosi_access_req *req)
{
	enum posix_entry entry;

	for (size_t i = 0; i < req->nbuckets; i++) {
		const char *name = req->buckets[i]->native;

		if (posix_name_check(call, name) < 0 || posix_look(posix, call, name, &entry) < 0)
			return -1;
		if (entry != POSIX_DIRECTORY)
			return cosi_fail(call, COSI_NOT_FOUND, "bucket '%s' does not exist", name);
	}
	return 0;
}

/* The buckets of a grant as its record has them; NULL with the call failed. */
static json_t *
bucket_list(struct cosi_call *call, const struct cosi_access_req *req)
{
	json_t *list = json_array();
	int failed = list == NULL ? -1 : 0;

	for (size_t i = 0; i < req->nbuckets; i++) {
		const struct cosi_bucket_ref *bucket = req->buckets[i];

		failed |=
			json_array_append_new(list, json_pack("{s:s, s:s}", "name", bucket->native,
							      "mode", mode_names[bucket->mode]));
	}
	if (failed == 0)
		return list;
	json_decref(list);
	(void)posix_fail(call, ENOMEM, "grant", req->native);
	return NULL;
}

static int
write_new(const struct posix *posix, struct cosi_call *call, const struct cosi_access_req *req,
	  json_t *buckets, const char *key_id)
{
	json_auto_t *record = record_new(call, &req->mark);

	if (record == NULL)
		return -1;
	if (json_object_set_new(record, "accessKeyId", json_string(key_id)) < 0 ||
	    json_object_set(record, "buckets", buckets) < 0)
		return posix_fail(call, ENOMEM, "grant", req->native);
	return record_write(posix, call, COSI_ACCOUNT, req->native, record);
}

static int
check_same(struct cosi_call *call, const struct cosi_access_req *req, const json_t *record,
	   const json_t *buckets, const char *key_id)
{
	if (!record_is_ours(record, &req->mark))
		return cosi_fail(call, COSI_PRECONDITION,
				 "cannot grant '%s': it belongs to '%s', which calls it '%s'",
				 req->native, record_text(record, "owner"),
				 record_text(record, "name"));
	if (strcmp(record_text(record, "params"), req->mark.params) != 0 ||
	    !json_equal(json_object_get(record, "buckets"), buckets))
		return cosi_fail(call, COSI_EXISTS,
				 "cannot grant '%s': it exists with other buckets, modes or "
				 "parameters",
				 req->native);
	if (strcmp(record_text(record, "accessKeyId"), key_id) != 0)
		return cosi_fail(call, COSI_PRECONDITION,
				 "cannot grant '%s': it was made with another credential_key",
				 req->native);
	return 0;
}

int
posix_grant(void *instance, struct cosi_call *call, const struct cosi_access_req *req,
	    struct cosi_access *out)
{
	SCOPE_ROOT struct posix posix = posix_enter(instance, call);
	const char *owner = req->mark.owner;
	json_auto_t *record = NULL;
	json_auto_t *buckets = NULL;
	SCOPE_LOCK int lock = record_lock(&posix, call, COSI_ACCOUNT, req->native);

	if (lock < 0 || check_buckets(&posix, call, req) < 0 ||
	    record_read(&posix, call, COSI_ACCOUNT, req->native, &record) < 0)
		return -1;
	out->key_id = derive(&posix, call, "id", owner, req->native, KEY_ID_LEN);
	out->key_secret = derive(&posix, call, "secret", owner, req->native, KEY_SECRET_LEN);
	buckets = bucket_list(call, req);
	if (cosi_failed(call))
		return -1;
	if ((record == NULL ? write_new(&posix, call, req, buckets, out->key_id)
			    : check_same(call, req, record, buckets, out->key_id)) < 0)
		return -1;
	for (size_t i = 0; i < req->nbuckets; i++)
		posix_describe(out->buckets[i]);
	return 0;
}

static bool
is_revoked(const struct cosi_access_req *req, const char *bucket)
{
	for (size_t i = 0; i < req->nbuckets; i++)
		if (strcmp(req->buckets[i]->native, bucket) == 0)
			return true;
	return req->nbuckets == 0;
}

/* Takes the revoked buckets out of the record; how many are left. */
static size_t
take_out(json_t *record, const struct cosi_access_req *req)
{
	json_t *buckets = json_object_get(record, "buckets");
	size_t i = 0;

	while (i < json_array_size(buckets)) {
		if (is_revoked(req, record_text(json_array_get(buckets, i), "name")))
			(void)json_array_remove(buckets, i); /* it is there: cannot fail */
		else
			i++;
	}
	return i;
}

int
posix_revoke(void *instance, struct cosi_call *call, const struct cosi_access_req *req)
{
	SCOPE_ROOT struct posix posix = posix_enter(instance, call);
	json_auto_t *record = NULL;
	SCOPE_LOCK int lock = record_lock(&posix, call, COSI_ACCOUNT, req->native);

	if (lock < 0 || record_read(&posix, call, COSI_ACCOUNT, req->native, &record) < 0)
		return -1;
	if (record == NULL)
		return 0;
	if (!record_is_ours(record, &req->mark))
		return cosi_fail(call, COSI_PRECONDITION, "cannot revoke '%s': it belongs to '%s'",
				 req->native, record_text(record, "owner"));
	if (take_out(record, req) == 0)
		return record_remove(&posix, call, COSI_ACCOUNT, req->native);
	return record_write(&posix, call, COSI_ACCOUNT, req->native, record);
}
