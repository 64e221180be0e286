/* SPDX-License-Identifier: Apache-2.0
 * api_version.c - the versions of the API that are served, and what their answers are made of. */
#include "rpc/api_version.h"

#include "banned.h"

const struct api_version *const api_versions[] = { &api_v1alpha1, &api_v1alpha2, NULL };

char *
api_text(const char *text)
{
	return text != NULL ? (char *)(uintptr_t)text : (char *)(uintptr_t)protobuf_c_empty_string;
}

void *
api_alloc(struct arena *arena, size_t size, struct status *status)
{
	void *memory = arena_alloc(arena, size);

	if (memory == NULL)
		status_no_memory(status);
	return memory;
}

const char *
api_date(enum utc_form form, int64_t epoch_s, struct arena *arena, struct status *status)
{
	char *text = api_alloc(arena, UTC_MAX, status);

	if (text == NULL || utc_format(text, form, epoch_s) == 0)
		return text;
	status_fail(status, COSI_INTERNAL, "%lld is not a date", (long long)epoch_s);
	return NULL;
}
