/* SPDX-License-Identifier: Apache-2.0
 * list.c - every bucket and account that bears an owner's mark.
 *
 * Whose a bucket is stands in its tags, so each one is looked at by a request of its own; whose an
 * account is follows from the name of its policy, and all names come in one answer.
 */
#include <jansson.h>
#include <string.h>

#include "account.h"
#include "admin.h"
#include "s3/buckets.h"
#include "text/account.h"

#include "banned.h"

/* 1: found() wants no more. */
static int
list_buckets(const struct minio *minio, struct cosi_call *call, const char *owner,
	     s3_found_fn *found)
{
	struct s3_buckets all;

	if (s3_buckets_read(call, &minio->s3, &all) != 0)
		return -1;
	for (const struct s3_bucket *bucket = all.first; bucket != NULL; bucket = bucket->next) {
		struct s3_tags tags;

		if (minio_bucket_tags(minio, call, bucket->name, &tags) != 0)
			return -1;
		if (s3_buckets_found(call, bucket, &tags, owner, found) != 0)
			return 1;
	}
	return 0;
}

static int
list_account(struct cosi_call *call, const char *policy, const char *owner, s3_found_fn *found)
{
	const char *dot = strrchr(policy, '.'), *native;
	struct minio_account account;

	if (dot == NULL)
		return 0;
	native = cosi_printf(call, "%.*s", (int)(dot - policy), policy);
	if (!account_name_ok(native))
		return 0;
	if (minio_account_names(call, owner, native, &account) != 0)
		return -1;
	if (strcmp(account.policy, policy) != 0)
		return 0;
	return found(call, COSI_FOUND(.kind = COSI_ACCOUNT, .native = native,
				      .mark = { .owner = owner })) != 0;
}

static int
list_accounts(const struct minio *minio, struct cosi_call *call, const char *owner,
	      s3_found_fn *found)
{
	struct cosi_bytes document;
	json_auto_t *root = NULL;
	const char *policy;
	json_t *unused;
	int rc;

	if (minio_policy_names(minio, call, &document) != 0)
		return -1;
	root = json_loadb(document.data, document.len, 0, NULL);
	if (!json_is_object(root))
		return cosi_fail(call, COSI_UNAVAILABLE, "the server's policies cannot be read");
	json_object_foreach(root, policy, unused) {
		rc = list_account(call, policy, owner, found);
		if (rc != 0)
			return rc;
	}
	return 0;
}

int
minio_list(void *instance, struct cosi_call *call, const char *owner, s3_found_fn *found)
{
	int rc = list_buckets(instance, call, owner, found);

	if (rc == 0)
		rc = list_accounts(instance, call, owner, found);
	return rc < 0 ? cosi_fail(call, 0, "cannot list what is ours") : 0;
}
