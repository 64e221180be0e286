/* SPDX-License-Identifier: Apache-2.0
 * page.c - asks for a page, and finds where the next one begins. */
#include "page.h"

#include <string.h>

#include "fault.h"

#include "banned.h"

struct reading {
	struct cosi_call *call;
	const struct page_list *list;
	const char *marker; /* of the next page; "": none */
	bool is_one;
};

static int
on_element(void *arg, const char *path, char *text, size_t len)
{
	struct reading *reading = arg;

	if (strcmp(path, reading->list->items) == 0)
		reading->is_one = true;
	if (strcmp(path, PAGE "/NextMarker") == 0)
		reading->marker = cosi_printf(reading->call, "%s", text);
	return reading->list->element(reading->list->arg, path, text, len);
}

static const struct cosi_http_reply *
ask(const struct azure *azure, struct cosi_call *call, const struct page_list *list,
    const char *marker)
{
	struct cosi_kv query[3] = { { "maxresults", list->most } };
	size_t n = 1;

	if (list->include != NULL)
		query[n++] = (struct cosi_kv){ "include", list->include };
	if (marker[0] != '\0')
		query[n++] = (struct cosi_kv){ "marker", marker };
	return azure_ask(azure, call, .method = "GET", .container = list->container, .comp = "list",
			 .query = query, .nquery = n, .max_reply = list->max_reply);
}

int
page_next(const struct azure *azure, struct cosi_call *call, const struct page_list *list,
	  const char **marker)
{
	struct reading reading = { .call = call, .list = list, .marker = "" };
	const struct cosi_http_reply *reply = ask(azure, call, list, *marker);

	if (reply == NULL)
		return -1;
	if (azure_is_absent(call, reply))
		return cosi_fail(call, COSI_BUSY, "it went while it was looked at");
	if (!azure_answered(reply, 200) || xml_read(reply->body, on_element, &reading) != 0 ||
	    !reading.is_one)
		return cosi_failed(call) ? -1 : azure_fail(call, reply);
	if (reading.marker[0] != '\0' && strcmp(reading.marker, *marker) == 0)
		return cosi_fail(call, COSI_UNAVAILABLE,
				 "the store lists the same page again and again");
	*marker = reading.marker;
	return 0;
}
