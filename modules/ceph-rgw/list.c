/* SPDX-License-Identifier: Apache-2.0
 * list.c - every bucket and account that bears an owner's mark.
 *
 * Whose something is stands in its tags or its display name alone, so each bucket of our user, and
 * each user that is named like an account, is looked at by a request of its own.
 */
#include <string.h>
#include <time.h>

#include "account.h"
#include "admin.h"
#include "s3/list.h"
#include "s3/s3_error.h"

#include "banned.h"

enum { BUCKETS_REPLY = 32 * 1048576 }; /* the gateway gives all of a user's buckets at once */

typedef int found_fn(struct cosi_call *, const struct cosi_found *);

struct bucket {
	struct bucket *next;
	const char *name;
	int64_t created;
};

struct reading {
	struct cosi_call *call;
	struct bucket *first, **last;
};

static int64_t
read_date(const char *text)
{
	struct tm tm = { 0 };
	time_t seconds;

	if (text == NULL || strptime(text, "%Y-%m-%dT%H:%M:%S", &tm) == NULL)
		return 0;
	seconds = timegm(&tm);
	return seconds > 0 ? (int64_t)seconds : 0;
}

static int
on_bucket(void *arg, const struct s3_item *item)
{
	struct reading *reading = arg;
	struct bucket *bucket = cosi_alloc(reading->call, sizeof *bucket);

	if (bucket == NULL)
		return -1;
	bucket->name = cosi_printf(reading->call, "%s", item->name);
	bucket->created = read_date(item->created);
	*reading->last = bucket;
	reading->last = &bucket->next;
	return 0;
}

static int
read_buckets(const struct rgw *rgw, struct cosi_call *call, struct bucket **out)
{
	const struct cosi_http_reply *reply =
		s3_call(call, &rgw->s3, .method = "GET", .path = "/", .max_reply = BUCKETS_REPLY);
	struct reading reading = { .call = call };
	struct s3_page page;

	reading.last = &reading.first;
	if (reply == NULL)
		return -1;
	if (reply->status != 200 ||
	    s3_list_read(reply->body, false, on_bucket, &reading, &page) != 0)
		return cosi_failed(call) ? -1 : s3_error_fail(call, reply);
	*out = reading.first;
	return 0;
}

/* 1: found() wants no more. */
static int
list_buckets(const struct rgw *rgw, struct cosi_call *call, const char *owner, found_fn *found)
{
	struct bucket *bucket;

	if (read_buckets(rgw, call, &bucket) != 0)
		return -1;
	for (; bucket != NULL; bucket = bucket->next) {
		struct rgw_look look;
		const char *driver;

		if (rgw_bucket_look(rgw, call, bucket->name, &look) != 0)
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

static int
list_account(const struct rgw *rgw, struct cosi_call *call, const char *native, const char *owner,
	     found_fn *found)
{
	const struct cosi_mark mark = { .owner = owner };
	const char *name;
	struct rgw_user user;

	if (!rgw_account_name_ok(native))
		return 0;
	if (rgw_user_get(rgw, call, native, NULL, &user) != 0)
		return -1;
	if (!user.found || !rgw_account_is_ours(call, &user, &mark))
		return 0;
	name = user.display_name + strlen(rgw_account_mark(call, owner, NULL));
	return found(call, COSI_FOUND(.kind = COSI_ACCOUNT, .native = native,
				      .mark = { owner, name, NULL })) != 0;
}

static int
list_accounts(const struct rgw *rgw, struct cosi_call *call, const char *owner, found_fn *found)
{
	const char *marker = NULL;
	struct rgw_names page;
	int rc;

	do {
		if (rgw_user_list(rgw, call, &marker, &page) != 0)
			return -1;
		for (size_t i = 0; i < page.n; i++) {
			rc = list_account(rgw, call, page.names[i], owner, found);
			if (rc != 0)
				return rc;
		}
	} while (marker != NULL);
	return 0;
}

int
rgw_list(void *instance, struct cosi_call *call, const char *owner, found_fn *found)
{
	int rc = list_buckets(instance, call, owner, found);

	if (rc == 0)
		rc = list_accounts(instance, call, owner, found);
	return rc < 0 ? cosi_fail(call, 0, "cannot list what is ours") : 0;
}
