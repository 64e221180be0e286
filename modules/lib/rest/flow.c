/* SPDX-License-Identifier: Apache-2.0
 * flow.c - lists of many pages, documents that others change as well. */
#include <string.h>

#include "rest/rest.h"

#include "banned.h"

enum { FIRST_PAUSE_MS = 50 };

int
rest_pages(struct cosi_call *call, rest_page_fn *page, void *arg)
{
	const char *marker = "", *next;
	int rc;

	for (unsigned n = 0; n < REST_PAGES_MAX; n++) {
		next = "";
		rc = page(call, arg, marker, &next);
		if (rc != 0 || next[0] == '\0')
			return rc;
		if (strcmp(next, marker) == 0)
			return cosi_fail(call, COSI_UNAVAILABLE,
					 "the store lists the same page again and again");
		marker = next;
	}
	return cosi_fail(call, COSI_UNAVAILABLE, "the store's list has more than %d pages",
			 REST_PAGES_MAX);
}

int
rest_edit(struct cosi_call *call, const struct rest_edit *edit, void *arg)
{
	int64_t pause_ms = FIRST_PAUSE_MS;
	int step;

	for (unsigned n = 0; n < REST_EDITS_MAX; n++, pause_ms *= 2) {
		if (n > 0 && call->host->wait(call, pause_ms) < 0)
			return -1;
		if (edit->read(call, arg) < 0)
			return -1;
		step = edit->judge(call, arg);
		if (step == REST_WRITE)
			step = edit->write(call, arg);
		if (step < 0)
			return -1;
		if (step != REST_CONFLICT)
			return 0;
	}
	return cosi_fail(call, COSI_BUSY, "others changed it %d times in a row", REST_EDITS_MAX);
}
