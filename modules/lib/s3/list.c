/* SPDX-License-Identifier: Apache-2.0
 * list.c - readers of list pages, GET /, and all that is an owner's. */
#include "s3/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/text.h"
#include "text/xml.h"

#include "banned.h"

enum { BUCKETS_REPLY_MAX = 32 * 1048576 };

struct page_reading {
	s3_item_fn *item;
	void *arg;
	bool encoded, is_list;
	struct s3_page page;
	char *name, *version, *created; /* of the item that is being read; owned */
	size_t name_len;
};

static void
page_reset(struct page_reading *reading)
{
	free(reading->name);
	free(reading->version);
	free(reading->created);
	reading->name = reading->version = reading->created = NULL;
}

static int
page_take_name(struct page_reading *reading, const char *text, size_t len)
{
	long decoded;

	free(reading->name);
	reading->name = malloc(len + 1);
	if (reading->name == NULL)
		return -1;
	memcpy(reading->name, text, len + 1);
	reading->name_len = len;
	if (!reading->encoded)
		return 0;
	/* MinIO's '+' is a blank; a plus sign itself is encoded by every store. */
	for (char *p = reading->name; *p != '\0'; p++)
		if (*p == '+')
			*p = ' ';
	decoded = uri_decode(reading->name, len);
	reading->name_len = decoded < 0 ? 0 : (size_t)decoded;
	return decoded < 0 ? -1 : 0;
}

static int
page_take_text(char **field, const char *text)
{
	free(*field);
	*field = strdup(text);
	return *field != NULL ? 0 : -1;
}

static int
page_on_element(void *arg, const char *path, char *text, size_t len)
{
	static const char *const roots[] = { "ListAllMyBucketsResult", "ListVersionsResult",
					     "ListMultipartUploadsResult" };
	struct page_reading *reading = arg;
	const char *below = strchr(path, '/'), *leaf = strrchr(path, '/');
	struct s3_item item;
	int rc = 0;

	if (below == NULL) {
		for (size_t i = 0; i < sizeof roots / sizeof roots[0]; i++)
			reading->is_list = reading->is_list || strcmp(path, roots[i]) == 0;
		return 0;
	}
	below++;
	leaf++;
	if (strcmp(below, "Version") == 0 || strcmp(below, "DeleteMarker") == 0 ||
	    strcmp(below, "Upload") == 0 || strcmp(below, "Buckets/Bucket") == 0) {
		if (reading->name == NULL)
			return -1;
		item = (struct s3_item){ reading->name, reading->name_len, reading->version,
					 reading->created };
		if (reading->item != NULL)
			rc = reading->item(reading->arg, &item);
		reading->page.nitems++;
		page_reset(reading);
		return rc;
	}
	if (strcmp(below, "IsTruncated") == 0)
		reading->page.truncated = strcmp(text, "true") == 0;
	if (strncmp(below, "Owner/", 6) == 0 || leaf == below)
		return 0;
	if (strcmp(leaf, "Key") == 0 || strcmp(leaf, "Name") == 0)
		return page_take_name(reading, text, len);
	if (strcmp(leaf, "VersionId") == 0 || strcmp(leaf, "UploadId") == 0)
		return page_take_text(&reading->version, text);
	if (strcmp(leaf, "CreationDate") == 0)
		return page_take_text(&reading->created, text);
	return 0;
}

/* The length of a reference to a character that XML 1.0 cannot have ("&#x01;"); 0: it is none. */
static size_t
xml_bad_reference(const char *text)
{
	size_t len = 3, digits;

	if (strncmp(text, "&#x", 3) != 0)
		return 0;
	len += strspn(text + len, "0");
	digits = strspn(text + len, "0123456789abcdefABCDEF");
	if (text[len + digits] != ';' || digits > 2 || (digits == 2 && text[len] != '1'))
		return 0;
	if (digits == 1 && strchr("9aAdD", text[len]) != NULL)
		return 0;
	return len + digits + 1;
}

int
s3_list_read(struct cosi_bytes document, bool encoded, s3_item_fn *item, void *arg,
	     struct s3_page *out)
{
	CLEANUP_FREE char *copy = NULL;
	CLEANUP(page_reset)
	struct page_reading reading = { .item = item, .arg = arg, .encoded = encoded };

	/* RADOS Gateway 16.2 writes NextKeyMarker as it is even when it was asked to encode names:
	 * a key with a control character at the end of a page would make the page unreadable.  That
	 * element is not read here, so it may say something else. */
	if (encoded) {
		copy = malloc(document.len + 1);
		if (copy == NULL)
			return -1;
		memcpy(copy, document.data, document.len);
		copy[document.len] = '\0';
		for (char *p = strstr(copy, "&#x"); p != NULL; p = strstr(p + 1, "&#x"))
			memset(p, '?', xml_bad_reference(p));
		document.data = copy;
	}
	if (xml_read(document, page_on_element, &reading) < 0 || !reading.is_list)
		return -1;
	*out = reading.page;
	return 0;
}

struct delete_result {
	struct s3_delete_errors errors;
	bool is_one;
};

static int
delete_on_element(void *arg, const char *path, char *text, size_t len)
{
	struct delete_result *result = arg;
	struct s3_delete_errors *errors = &result->errors;

	(void)len;
	if (strcmp(path, "DeleteResult") == 0)
		result->is_one = true;
	if (strcmp(path, "DeleteResult/Error") == 0)
		errors->n++;
	if (errors->n > 0)
		return 0;
	if (strcmp(path, "DeleteResult/Error/Code") == 0)
		(void)snprintf(errors->code, sizeof errors->code, "%s", text);
	if (strcmp(path, "DeleteResult/Error/Key") == 0)
		(void)snprintf(errors->key, sizeof errors->key, "%s", text);
	return 0;
}

int
s3_list_read_deleted(struct cosi_bytes document, struct s3_delete_errors *out)
{
	struct delete_result result = { .is_one = false };

	if (xml_read(document, delete_on_element, &result) < 0 || !result.is_one)
		return -1;
	*out = result.errors;
	return 0;
}

struct buckets_reading {
	struct cosi_call *call;
	struct s3_bucket **last;
};

static int
buckets_on_item(void *arg, const struct s3_item *item)
{
	struct buckets_reading *reading = arg;
	struct s3_bucket *bucket = cosi_alloc(reading->call, sizeof *bucket);

	if (bucket == NULL)
		return -1;
	bucket->name = cosi_printf(reading->call, "%s", item->name);
	bucket->created = rest_read_date(item->created, REST_ISO);
	*reading->last = bucket;
	reading->last = &bucket->next;
	return 0;
}

int
s3_buckets_read(struct cosi_call *call, const struct s3_client *client, struct s3_buckets *out)
{
	const struct cosi_http_reply *reply =
		s3_call(call, client, .method = "GET", .path = "/", .max_reply = BUCKETS_REPLY_MAX);
	struct buckets_reading reading = { .call = call, .last = &out->first };
	struct s3_page page;

	*out = (struct s3_buckets){ .first = NULL };
	if (reply == NULL)
		return -1;
	if (reply->status != 200 ||
	    s3_list_read(reply->body, false, buckets_on_item, &reading, &page) < 0)
		return cosi_failed(call) ? -1 : s3_fail(call, reply);
	out->now = rest_read_date(rest_header(reply, "date"), REST_DATE);
	return 0;
}

/* ---- all that is an owner's ---- */

/* The owner of a bucket is in its tags, so each bucket costs a request.  0; 1: found() has stopped
 * the list; -1: the call has failed. */
static int
s3_list_buckets(const struct s3_store *store, struct cosi_call *call, const char *owner,
		s3_found_fn *found)
{
	struct s3_buckets all;
	struct s3_look look;

	if (s3_buckets_read(call, &store->client, &all) < 0)
		return -1;
	for (const struct s3_bucket *bucket = all.first; bucket != NULL; bucket = bucket->next) {
		const char *driver;

		if (s3_get_tags(store, call, bucket->name, &look) < 0)
			return -1;
		driver = s3_tags_find(&look.tags, S3_MARK_DRIVER);
		if (driver == NULL || strcmp(driver, owner) != 0)
			continue;
		if (found(call, COSI_FOUND(.kind = COSI_BUCKET, .native = bucket->name,
					   .mark = { owner, s3_tags_find(&look.tags, S3_MARK_NAME),
						     s3_tags_find(&look.tags, S3_MARK_PARAMS) },
					   .created = bucket->created)) != 0)
			return 1;
	}
	return 0;
}

int
s3_list(void *instance, struct cosi_call *call, const char *owner, s3_found_fn *found)
{
	const struct s3_store *store = instance;
	int rc = s3_list_buckets(store, call, owner, found);

	if (rc == 0)
		rc = store->list_accounts(store, call, owner, found);
	return rc < 0 ? cosi_fail(call, 0, "cannot list buckets and accounts") : 0;
}
