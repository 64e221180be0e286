/* SPDX-License-Identifier: Apache-2.0
 * name.c - which names a bucket can have here.
 *
 * S3's rules, which are the gateway's unless rgw_relaxed_s3_bucket_names is set (tried on 16.2.15),
 * and no prefix under which it serves another API.
 */
#include <string.h>

#include "rgw.h"
#include "s3/name.h"
#include "s3/policy.h"

#include "banned.h"

static bool
is_reserved(const struct rgw *rgw, const char *name)
{
	static const char *const prefixes[] = { "admin", "swift", "auth" };

	for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
		if (strcmp(name, prefixes[i]) == 0)
			return true;
	return strcmp(name, rgw->config->admin_path) == 0;
}

bool
rgw_name_is_bucket(const struct rgw *rgw, const char *name)
{
	return s3_policy_name_ok(name) && strcmp(name, ".") != 0 && strcmp(name, "..") != 0 &&
	       !is_reserved(rgw, name);
}

const char *
rgw_map_name(void *instance, struct cosi_call *call, uint32_t kind, const char *asked, bool exact)
{
	const char *rule;

	if (kind != COSI_BUCKET)
		return asked;
	rule = s3_name_broken_rule(asked);
	if (rule == NULL && is_reserved(instance, asked))
		rule = "the gateway serves another API under that name";
	return s3_name_map(call, asked, rule, exact);
}
