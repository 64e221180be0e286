/* SPDX-License-Identifier: Apache-2.0
 * fuzz_acl.c - any bytes as a container's list of policies: what is read is given back as it was.
 * What reads it is modules/azure/policy.c, all of which fuzz_azure.c reaches.
 */
#include "host.h"
#include "input.h"
#include "policy.h"

#include "banned.h"

static void
check_same(const struct acl *one, const struct acl *other)
{
	must(one->n == other->n);
	for (size_t i = 0; i < one->n; i++) {
		const struct acl_policy *a = &one->policies[i], *b = &other->policies[i];

		must(strcmp(a->id, b->id) == 0 && strcmp(a->expiry, b->expiry) == 0 &&
		     strcmp(a->permission, b->permission) == 0);
		must(a->text.len == b->text.len &&
		     memcmp(a->text.data, b->text.data, a->text.len) == 0);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cosi_bytes written;
	struct acl acl, again;
	struct host host;
	char *text;

	host_init(&host, NULL);
	text = cosi_alloc(&host.call, size + 1); /* an answer's body ends with a NUL */
	memcpy(text, data, size);
	if (acl_read(&host.call, (struct cosi_bytes){ text, size }, &acl) == 0 && acl.n > 0) {
		written = acl_write(&host.call, &acl, "");
		must(acl_read(&host.call, written, &again) == 0);
		check_same(&acl, &again);
	}
	host_done(&host);
	return 0;
}
