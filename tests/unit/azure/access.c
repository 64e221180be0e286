/* SPDX-License-Identifier: Apache-2.0
 * access.c - puts lists and requests together. */
#include "access.h"

#include <stdio.h>

#include "banned.h"

enum { LIST_MAX = 2048 };

const char *
list_of(const char *const ids[], const char *inside)
{
	static char lists[2][LIST_MAX];
	static int last;
	char *text = lists[last ^= 1];
	size_t len = (size_t)snprintf(text, LIST_MAX, "<SignedIdentifiers>");

	for (size_t i = 0; ids[i] != NULL; i++)
		len += (size_t)snprintf(text + len, LIST_MAX - len,
					"<SignedIdentifier><Id>%s</Id><AccessPolicy>%s"
					"</AccessPolicy></SignedIdentifier>",
					ids[i], inside);
	(void)snprintf(text + len, LIST_MAX - len, "</SignedIdentifiers>");
	return text;
}

void
try_grant(struct script *script, struct cosi_bucket *out_bucket, struct cosi_access *out)
{
	static const struct cosi_bucket_ref photos = { "photos", COSI_READ_WRITE };
	static const struct cosi_bucket_ref *const refs[] = { &photos };
	struct cosi_bucket *const buckets[] = { out_bucket };
	const struct cosi_access_req req = {
		.native = "cosi-ba-1",
		.mark = { OWNER, "ba-1", PARAMS },
		.protocol = COSI_AZURE,
		.auth = COSI_AUTH_KEY,
		.nbuckets = 1,
		.buckets = refs,
	};
	int rc;

	*out_bucket = (struct cosi_bucket){ .ours = false };
	*out = (struct cosi_access){ .buckets = buckets };
	rc = azure_grant(script->instance, &script->host.call, &req, out);
	assert_int_equal(rc == 0, script->host.code == COSI_OK);
}
