/* SPDX-License-Identifier: Apache-2.0
 * purge.c - list a page of versions, delete them in one request, until the list is empty.
 *
 * Versions are always named, "null" for what was written without versioning: deleting a key alone
 * would put a marker on top of it.
 */
#include <stdio.h>
#include <string.h>

#include "s3/store.h"
#include "text/text.h"
#include "text/xml.h"

#include "banned.h"

enum {
	PAGE_KEYS = 500,          /* deleting 1000 took up to 3 s on RADOS Gateway */
	PAGE_REPLY = 4 * 1048576, /* 500 keys of 1024 bytes, percent-encoded, and what is around */
	PAGE_TIME_MS = 4000,      /* a page of that size is not begun with less time */
	SMALL_KEYS = 100,         /* of a page in a hurry */
	SMALL_TIME_MS = 1000,     /* nor a small one, but for the call's first */
	MEMORY_MAX = 8 * 1048576, /* of the call's; pages stay in it until its end */
};

struct s3_purging {
	struct cosi_call *call;
	const struct s3_client *client;
	const char *bucket;
	FILE *body; /* of the multi-delete for this page */
	int page_keys;
	size_t nlisted, ndeleted, nbytes;
};

/* XML cannot say every key that S3 can: such an object goes by a request of its own. */
static int
purge_one(struct s3_purging *work, const struct s3_item *item)
{
	const struct cosi_http_reply *reply;

	if (strlen(item->name) != item->len)
		return cosi_fail(work->call, COSI_PRECONDITION,
				 "the key of an object has a NUL byte");
	reply = s3_call(work->call, work->client, .method = "DELETE",
			.path = s3_path(work->call, work->bucket, item->name),
			REST_QUERY({ "versionId", item->version }));
	if (reply == NULL)
		return -1;
	if (s3_error_is(reply, 403, "AccessDenied") || s3_error_is(reply, 400, "InvalidRequest"))
		return cosi_fail(work->call, COSI_PRECONDITION,
				 "object lock or a missing right keeps '%.64s'", item->name);
	return reply->status == 204 || s3_error_is(reply, 404, "NoSuchVersion") ||
			       s3_error_is(reply, 404, "NoSuchKey")
		       ? 0
		       : s3_fail(work->call, reply);
}

static int
purge_on_item(void *arg, const struct s3_item *item)
{
	struct s3_purging *work = arg;

	if (item->version == NULL)
		return -1;
	/* What is sent grows with it. */
	if (work->nlisted++ == (size_t)work->page_keys)
		return cosi_fail(work->call, COSI_UNAVAILABLE,
				 "the store lists more than the %d object versions requested",
				 work->page_keys);
	if (!xml_can_hold(item->name, item->len))
		return purge_one(work, item);
	(void)fputs("<Object><Key>", work->body);
	xml_write(work->body, item->name, item->len);
	(void)fputs("</Key><VersionId>", work->body);
	xml_write(work->body, item->version, strlen(item->version));
	(void)fputs("</VersionId></Object>", work->body);
	return 0;
}

static int
purge_send_delete(struct s3_purging *work, struct cosi_bytes body)
{
	const struct cosi_http_reply *reply;
	struct s3_delete_errors errors;
	char checksum[HASH_BASE64_MAX];
	struct hash hash;

	if (hash_sha256(work->call, body.data, body.len, &hash) < 0)
		return -1;
	hash_base64(&hash, checksum);
	/* S3 wants a checksum here, and MinIO insists. */
	reply = s3_call(work->call, work->client, .method = "POST",
			.path = s3_path(work->call, work->bucket, NULL),
			REST_QUERY({ "delete", NULL }),
			REST_HEADERS({ "content-type", "application/xml" },
				     { "x-amz-checksum-sha256", checksum }),
			.body = body, .flags = COSI_HTTP_SAFE, .max_reply = PAGE_REPLY);
	if (reply == NULL)
		return -1;
	work->nbytes += reply->body.len;
	if (reply->status != 200 || s3_list_read_deleted(reply->body, &errors) < 0)
		return s3_fail(work->call, reply);
	if (errors.n == 0)
		return 0;
	/* RADOS Gateway says the first, MinIO the second. */
	if (strcmp(errors.code, "AccessDenied") == 0 || strcmp(errors.code, "InvalidRequest") == 0)
		return cosi_fail(work->call, COSI_PRECONDITION,
				 "object lock or a missing right keeps %zu of its objects, '%.64s' "
				 "for one",
				 errors.n, errors.key);
	return cosi_fail(work->call, COSI_UNAVAILABLE,
			 "the store cannot delete %zu of its objects, '%.64s' for one: %s",
			 errors.n, errors.key, errors.code);
}

/* Lists a page, each item of which purge_on_item() writes into the body, and sends that. */
static int
purge_page(struct s3_purging *work)
{
	struct cosi_call *call = work->call;
	const struct cosi_http_reply *reply = s3_call(
		call, work->client, .method = "GET", .path = s3_path(call, work->bucket, NULL),
		REST_QUERY({ "versions", NULL },
			   { "max-keys", cosi_printf(call, "%d", work->page_keys) },
			   { "encoding-type", "url" }),
		.max_reply = PAGE_REPLY);
	CLEANUP_FREE char *text = NULL;
	size_t len = 0, nothing;
	struct s3_page page;
	int rc = 0;

	if (reply == NULL)
		return -1;
	work->nlisted = 0;
	work->nbytes += reply->body.len;
	work->body = open_memstream(&text, &len);
	if (work->body == NULL)
		return cosi_fail(call, COSI_EXHAUSTED, "no memory for a list of objects");
	(void)fputs("<Delete><Quiet>true</Quiet>", work->body);
	nothing = (size_t)ftell(work->body);
	if (reply->status != 200 || s3_list_read(reply->body, true, purge_on_item, work, &page) < 0)
		rc = cosi_failed(call) ? -1 : s3_fail(call, reply);
	(void)fputs("</Delete>", work->body);
	if (fclose(work->body) != 0)
		return cosi_fail(call, COSI_EXHAUSTED, "no memory for a list of objects");
	if (rc != 0 || len == nothing + strlen("</Delete>"))
		return rc;
	return purge_send_delete(work, (struct cosi_bytes){ text, len });
}

int
s3_purge(struct cosi_call *call, const struct s3_client *client, const char *bucket)
{
	struct s3_purging work = { .call = call, .client = client, .bucket = bucket };
	int64_t left_ms;

	do {
		left_ms = call->host->time_left_ms(call);
		/* The first page is begun however little time is left: a caller who never has more
		 * must come to an end, too. */
		if (work.nbytes > MEMORY_MAX || (left_ms < SMALL_TIME_MS && work.ndeleted > 0))
			return cosi_fail(call, COSI_BUSY,
					 "%zu object versions are deleted, and the retry deletes "
					 "more",
					 work.ndeleted);
		work.page_keys = left_ms >= PAGE_TIME_MS ? PAGE_KEYS : SMALL_KEYS;
		if (purge_page(&work) < 0)
			return -1;
		work.ndeleted += work.nlisted;
	} while (work.nlisted > 0);
	return 0;
}
