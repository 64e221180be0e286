/* SPDX-License-Identifier: Apache-2.0
 * look.c - is a bucket there, and what does it bear? */
#include <string.h>

#include "admin.h"
#include "text/cleanup.h"
#include "text/xml.h"

#include "banned.h"

int
minio_bucket_tags(const struct minio *minio, struct cosi_call *call, const char *native,
		  struct s3_tags *out)
{
	const struct cosi_http_reply *reply =
		s3_call(call, &minio->s3, .method = "GET", .path = s3_path(call, native, NULL),
			REST_QUERY({ "tagging", NULL }));

	out->n = 0;
	if (reply == NULL)
		return -1;
	if (reply->status == 200 && s3_tags_read(call, reply->body, out) == 0)
		return 0;
	if (s3_error_is(reply, 404, "NoSuchTagSet") || s3_error_is(reply, 404, "NoSuchBucket"))
		return 0;
	return minio_fail(call, reply, "s3:GetBucketTagging");
}

static int
on_location(void *arg, const char *path, char *text, size_t len)
{
	char **out = arg;

	(void)len;
	if (strcmp(path, "LocationConstraint") == 0)
		*out = strdup(text);
	return 0;
}

/* The only request that the server takes with any region in its signature; it answers its own. */
int
minio_bucket_located(const struct minio *minio, struct cosi_call *call,
		     const struct cosi_http_reply *reply)
{
	CLEANUP_FREE char *region = NULL;

	if (reply->status != 200)
		return minio_fail(call, reply, "s3:GetBucketLocation");
	if (xml_read(reply->body, on_location, &region) != 0 || region == NULL)
		return s3_fail(call, reply);
	if (region[0] == '\0' || strcmp(region, minio->config->region) == 0)
		return 0;
	return minio_fail_region(call, region);
}

int
minio_bucket_exists(const struct minio *minio, struct cosi_call *call, const char *native,
		    bool *out)
{
	const struct cosi_http_reply *reply;

	*out = false;
	if (!minio_name_is_bucket(native))
		return 0;
	reply = s3_call(call, &minio->s3, .method = "GET", .path = s3_path(call, native, NULL),
			REST_QUERY({ "location", NULL }));
	if (reply == NULL)
		return -1;
	if (s3_error_is(reply, 404, "NoSuchBucket") || s3_error_is(reply, 400, "InvalidBucketName"))
		return 0;
	*out = true;
	return minio_bucket_located(minio, call, reply);
}

/* A bucket without tags may not be there at all: GET ?tagging answers the same for both. */
int
minio_bucket_look(const struct minio *minio, struct cosi_call *call, const char *native,
		  struct s3_tags *out, bool *out_exists)
{
	out->n = 0;
	*out_exists = false;
	if (!minio_name_is_bucket(native))
		return 0;
	if (minio_bucket_tags(minio, call, native, out) != 0)
		return -1;
	*out_exists = out->n > 0;
	return *out_exists ? 0 : minio_bucket_exists(minio, call, native, out_exists);
}

void
minio_bucket_judge(const struct minio *minio, const struct s3_tags *tags,
		   const struct cosi_mark *mark, struct cosi_bucket *out)
{
	s3_tags_judge(tags, mark, out);
	out->protocols = COSI_S3;
	out->region = minio->config->region;
}
