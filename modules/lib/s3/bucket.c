/* SPDX-License-Identifier: Apache-2.0
 * bucket.c - settings and marks of a new bucket, and whether one is still new; the probe. */
#include "s3/bucket.h"

#include <string.h>

#include "s3/list.h"

#include "banned.h"

int
s3_bucket_probe(struct cosi_call *call, const struct s3_client *client,
		const struct cosi_http_reply **out_refusal)
{
	const struct cosi_http_reply *reply =
		s3_call(call, client, .method = "GET", .path = "/cosid.probe",
			REST_QUERY({ "location", NULL }));

	if (reply == NULL)
		return -1;
	*out_refusal = reply->status == 200 || s3_error_is(reply, 404, "NoSuchBucket") ||
				       s3_error_is(reply, 403, "AccessDenied")
			       ? NULL
			       : reply;
	return 0;
}

int
s3_bucket_put(struct cosi_call *call, const struct s3_client *client, const char *bucket,
	      const char *setting, const char *text)
{
	const struct cosi_http_reply *reply = s3_call(
		call, client, .method = "PUT", .path = s3_path(call, bucket, NULL),
		REST_QUERY({ setting, NULL }), .body = REST_TEXT(text), .flags = COSI_HTTP_SAFE);

	if (reply == NULL)
		return -1;
	return reply->status / 100 == 2 && reply->body.len == 0 ? 0 : s3_fail(call, reply);
}

int
s3_bucket_version(struct cosi_call *call, const struct s3_client *client, const char *bucket)
{
	static const char enabled[] =
		"<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>";

	if (s3_bucket_put(call, client, bucket, "versioning", enabled) != 0)
		return cosi_fail(call, 0, "cannot switch versioning on");
	return 0;
}

int
s3_bucket_mark(struct cosi_call *call, const struct s3_client *client, const char *bucket,
	       struct s3_tags *tags, const struct cosi_mark *mark, bool finished)
{
	if (s3_tags_mark(call, tags, mark, finished) != 0)
		return -1;
	return s3_bucket_put(call, client, bucket, "tagging", s3_tags_write(call, tags).data);
}

/* ---- is it as new? ---- */

static int
ignore_item(void *arg, const struct s3_item *item)
{
	(void)arg;
	(void)item;
	return 0;
}

static const struct cosi_http_reply *
get(struct cosi_call *call, const struct s3_client *client, const char *bucket, const char *what)
{
	return s3_call(call, client, .method = "GET", .path = s3_path(call, bucket, NULL),
		       REST_QUERY({ what, NULL }));
}

static int
lists_nothing(struct cosi_call *call, const struct s3_client *client, const char *bucket,
	      const char *what, const char *limit, bool *out)
{
	const struct cosi_http_reply *reply =
		s3_call(call, client, .method = "GET", .path = s3_path(call, bucket, NULL),
			REST_QUERY({ what, NULL }, { limit, "1" }, { "encoding-type", "url" }));
	struct s3_page page;

	if (reply == NULL)
		return -1;
	if (reply->status != 200 || s3_list_read(reply->body, true, ignore_item, NULL, &page) != 0)
		return s3_fail(call, reply);
	*out = page.nitems == 0;
	return 0;
}

static int
has_no_policy(struct cosi_call *call, const struct s3_client *client, const char *bucket, bool *out)
{
	const struct cosi_http_reply *reply = get(call, client, bucket, "policy");

	if (reply == NULL)
		return -1;
	*out = s3_error_is(reply, 404, "NoSuchBucketPolicy");
	return *out || reply->status == 200 ? 0 : s3_fail(call, reply);
}

static int
has_lock(struct cosi_call *call, const struct s3_client *client, const char *bucket, bool wanted,
	 bool *out)
{
	const struct cosi_http_reply *reply = get(call, client, bucket, "object-lock");
	bool none;

	if (reply == NULL)
		return -1;
	none = s3_error_is(reply, 404, "ObjectLockConfigurationNotFoundError");
	if (!none && reply->status != 200)
		return s3_fail(call, reply);
	*out = none != wanted;
	return 0;
}

static int
has_versioning(struct cosi_call *call, const struct s3_client *client, const char *bucket,
	       bool wanted, bool *out)
{
	const struct cosi_http_reply *reply = get(call, client, bucket, "versioning");

	if (reply == NULL)
		return -1;
	if (reply->status != 200)
		return s3_fail(call, reply);
	*out = (strstr(reply->body.data, "<Status>") != NULL) == wanted;
	return 0;
}

int
s3_bucket_untouched(struct cosi_call *call, const struct s3_client *client, const char *bucket,
		    bool lock, bool *out)
{
	if (lists_nothing(call, client, bucket, "versions", "max-keys", out) != 0)
		return -1;
	if (*out && lists_nothing(call, client, bucket, "uploads", "max-uploads", out) != 0)
		return -1;
	if (*out && has_no_policy(call, client, bucket, out) != 0)
		return -1;
	if (*out && has_lock(call, client, bucket, lock, out) != 0)
		return -1;
	return *out ? has_versioning(call, client, bucket, lock, out) : 0;
}

int
s3_bucket_unset(struct cosi_call *call, const struct s3_client *client, const char *bucket,
		const struct s3_bucket_setting *setting, bool *out)
{
	const struct cosi_http_reply *reply = get(call, client, bucket, setting->name);

	if (reply == NULL)
		return -1;
	*out = true;
	if (reply->status == 200) {
		*out = setting->mark[0] != '\0' && strstr(reply->body.data, setting->mark) == NULL;
		return 0;
	}
	if (s3_error_is(reply, 404, setting->absent) ||
	    s3_error_is(reply, 405, "MethodNotAllowed") ||
	    s3_error_is(reply, 501, "NotImplemented"))
		return 0;
	return s3_fail(call, reply);
}
