/* SPDX-License-Identifier: Apache-2.0
 * list.c - every bucket and account that bears an owner's mark.
 *
 * Whose something is stands in its tags or its display name alone, so each bucket of our user, and
 * each user that is named like an account, is looked at by a request of its own.
 */
#include <string.h>

#include "account.h"
#include "admin.h"
#include "s3/buckets.h"
#include "text/account.h"

#include "banned.h"

/* 1: found() wants no more. */
static int
list_buckets(const struct rgw *rgw, struct cosi_call *call, const char *owner, s3_found_fn *found)
{
	struct s3_buckets all;

	if (s3_buckets_read(call, &rgw->s3, &all) != 0)
		return -1;
	for (const struct s3_bucket *bucket = all.first; bucket != NULL; bucket = bucket->next) {
		struct rgw_look look;

		if (rgw_bucket_look(rgw, call, bucket->name, &look) != 0)
			return -1;
		if (s3_buckets_found(call, bucket, &look.tags, owner, found) != 0)
			return 1;
	}
	return 0;
}

static int
list_account(const struct rgw *rgw, struct cosi_call *call, const char *native, const char *owner,
	     s3_found_fn *found)
{
	const struct cosi_mark mark = { .owner = owner };
	const char *name;
	struct rgw_user user;

	if (!account_name_ok(native))
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
list_accounts(const struct rgw *rgw, struct cosi_call *call, const char *owner, s3_found_fn *found)
{
	const char *marker = NULL;
	struct rgw_names page = { 0 };
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
rgw_list(void *instance, struct cosi_call *call, const char *owner, s3_found_fn *found)
{
	int rc = list_buckets(instance, call, owner, found);

	if (rc == 0)
		rc = list_accounts(instance, call, owner, found);
	return rc < 0 ? cosi_fail(call, 0, "cannot list what is ours") : 0;
}
