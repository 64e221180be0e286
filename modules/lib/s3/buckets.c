/* SPDX-License-Identifier: Apache-2.0
 * buckets.c - GET /, and the dates in its answer. */
#include "s3/buckets.h"

#include <string.h>

#include "rest/rest.h"
#include "s3/list.h"

#include "banned.h"

enum { REPLY_MAX = 32 * 1048576 };

struct reading {
	struct cosi_call *call;
	struct s3_bucket **last;
};

static int
on_bucket(void *arg, const struct s3_item *item)
{
	struct reading *reading = arg;
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
		s3_call(call, client, .method = "GET", .path = "/", .max_reply = REPLY_MAX);
	struct reading reading = { .call = call, .last = &out->first };
	struct s3_page page;

	*out = (struct s3_buckets){ .first = NULL };
	if (reply == NULL)
		return -1;
	if (reply->status != 200 ||
	    s3_list_read(reply->body, false, on_bucket, &reading, &page) != 0)
		return cosi_failed(call) ? -1 : s3_fail(call, reply);
	out->now = rest_read_date(rest_header(reply, "date"), REST_DATE);
	return 0;
}

int
s3_buckets_found(struct cosi_call *call, const struct s3_bucket *bucket, const struct s3_tags *tags,
		 const char *owner, s3_found_fn *found)
{
	const char *driver = s3_tags_find(tags, S3_MARK_DRIVER);

	if (driver == NULL || strcmp(driver, owner) != 0)
		return 0;
	return found(call, COSI_FOUND(.kind = COSI_BUCKET, .native = bucket->name,
				      .mark = { owner, s3_tags_find(tags, S3_MARK_NAME),
						s3_tags_find(tags, S3_MARK_PARAMS) },
				      .created = bucket->created));
}
