/* SPDX-License-Identifier: Apache-2.0
 * name.c - which names a bucket can have here. */
#include <string.h>

#include "minio.h"
#include "s3/name.h"

#include "banned.h"

/* NULL: a bucket can have it.  The server refuses all others in every request. */
static const char *
broken_rule(const char *name)
{
	const char *rule = s3_name_broken_rule(name);

	if (rule == NULL && strcmp(name, "minio") == 0)
		return "the server has its own pages under that name";
	return rule;
}

bool
minio_name_is_bucket(const char *name)
{
	return broken_rule(name) == NULL;
}

const char *
minio_map_name(void *instance, struct cosi_call *call, uint32_t kind, const char *asked, bool exact)
{
	const char *rule = kind == COSI_BUCKET ? broken_rule(asked) : NULL;

	(void)instance;
	return s3_name_map(call, asked, rule, exact);
}
