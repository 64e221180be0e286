/* SPDX-License-Identifier: Apache-2.0
 * name.c - which names a bucket can have here, and how a name stands in a tag. */
#include <string.h>

#include "minio.h"
#include "s3/name.h"
#include "text/hash.h"

#include "banned.h"

enum { TAG_MOST = 128 };

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
	if (rule == NULL)
		return asked;
	if (!exact)
		return s3_name_hashed(call, asked);
	cosi_fail(call, COSI_INVALID, "'%.255s' cannot be the name of a bucket here: %s", asked,
		  rule);
	return NULL;
}

/* The server takes [a-zA-Z0-9+._:/@ =-] in tags, which is less than S3 does. */
int
minio_name_mark(struct cosi_call *call, const struct cosi_mark *mark, struct cosi_mark *out)
{
	char hex[HASH_HEX_MAX];
	struct hash hash;
	size_t len;

	*out = *mark;
	if (mark->name == NULL)
		return 0;
	len = strspn(mark->name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				 "0123456789+._:/@-");
	if (mark->name[len] == '\0' && len <= TAG_MOST)
		return 0;
	if (hash_sha256(call, mark->name, strlen(mark->name), &hash) != 0)
		return -1;
	hash_hex(&hash, hex);
	out->name = cosi_printf(call, "=sha256:%s", hex);
	return cosi_failed(call) ? -1 : 0;
}
