/* SPDX-License-Identifier: Apache-2.0
 * adopt.c - buckets that were left half made.
 *
 * A create that was cut off after its first request leaves a bucket without any mark, and MinIO's
 * buckets have no owner that could be asked.  Such a bucket is taken over when nothing has happened
 * to it and it is new; not at once, because another daemon may be about to mark it.
 */
#include <inttypes.h>
#include <string.h>

#include "admin.h"
#include "s3/bucket.h"
#include "s3/buckets.h"

#include "banned.h"

/* By the server's clock alone. */
static int
age_ms(const struct minio *minio, struct cosi_call *call, const char *native, int64_t *out)
{
	struct s3_buckets all;
	const struct s3_bucket *bucket;

	if (s3_buckets_read(call, &minio->s3, &all) != 0)
		return -1;
	for (bucket = all.first; bucket != NULL; bucket = bucket->next)
		if (strcmp(bucket->name, native) == 0)
			break;
	if (bucket == NULL || bucket->created == 0 || all.now == 0)
		return cosi_fail(call, COSI_BUSY, "the server does not say when it was made");
	*out = (all.now - bucket->created) * 1000;
	return 0;
}

static int
check_settled(struct cosi_call *call, int64_t age, int64_t settle_ms)
{
	if (age >= settle_ms)
		return 0;
	return cosi_fail(call, COSI_BUSY,
			 "it is half made, and another daemon may be at it for %" PRId64 " s yet",
			 (settle_ms - age) / 1000 + 1);
}

int
minio_adopt_settled(const struct minio *minio, struct cosi_call *call, const char *native,
		    int64_t settle_ms)
{
	int64_t age;

	if (age_ms(minio, call, native, &age) != 0)
		return -1;
	return check_settled(call, age, settle_ms);
}

/* Whoever set one of these has plans with the bucket. */
static int
has_new_settings(const struct minio *minio, struct cosi_call *call, const char *native, bool *out)
{
	static const struct s3_bucket_setting settings[] = {
		{ "lifecycle", "NoSuchLifecycleConfiguration", "" },
		{ "encryption", "ServerSideEncryptionConfigurationNotFoundError", "" },
		{ "replication", "ReplicationConfigurationNotFoundError", "" },
		{ "notification", "", "<Event>" },
		{ "object-lock", "ObjectLockConfigurationNotFoundError", "<Rule>" },
	};
	int64_t quota;

	*out = true;
	for (size_t i = 0; *out && i < sizeof settings / sizeof settings[0]; i++)
		if (s3_bucket_unset(call, &minio->s3, native, &settings[i], out) != 0)
			return cosi_fail(call, 0, "cannot look at its '%s'", settings[i].name);
	if (!*out)
		return 0;
	if (minio_quota_get(minio, call, native, &quota) != 0)
		return cosi_fail(call, 0, "cannot look at its quota");
	*out = quota == 0;
	return 0;
}

int
minio_adopt_looks_new(const struct minio *minio, struct cosi_call *call, const char *native,
		      bool lock, bool *out)
{
	if (s3_bucket_untouched(call, &minio->s3, native, lock, out) != 0)
		return -1;
	return *out ? has_new_settings(minio, call, native, out) : 0;
}

int
minio_adopt_check_age(const struct minio *minio, struct cosi_call *call, const char *native,
		      int64_t settle_ms)
{
	int64_t age;

	if (age_ms(minio, call, native, &age) != 0)
		return -1;
	if (age > minio->config->adopt_window)
		return cosi_fail(call, COSI_EXISTS,
				 "it bears no marks, and is older than adopt_window");
	return check_settled(call, age, settle_ms);
}
