/* SPDX-License-Identifier: Apache-2.0
 * walk.c - List Containers. */
#include "walk.h"

#include <string.h>
#include <strings.h>

#include "fault.h"
#include "marks.h"
#include "text/xml.h"

#include "banned.h"

#define LIST      "EnumerationResults"
#define CONTAINER LIST "/Containers/Container"
#define META      CONTAINER "/Metadata/"

/* A container's metadata has 8 KiB at most. */
enum { PAGE_CONTAINERS = 500, PAGE_REPLY = 8 * 1048576 };

struct page {
	struct cosi_call *call;
	struct container *first, **last;
	struct container container; /* the one that is being read */
	const char *marker;         /* of the next page; "": none */
	bool is_one;
};

/* Metadata's names are the same in any case; a list shows the one that they were written in. */
static bool
is_mark(const char *path, const char *mark)
{
	size_t len = strlen(META);

	return strncmp(path, META, len) == 0 && strcasecmp(path + len, mark) == 0;
}

static int
on_element(void *arg, const char *path, char *text, size_t len)
{
	struct page *page = arg;
	struct container *container;

	(void)len;
	if (strcmp(path, LIST) == 0)
		page->is_one = true;
	if (strcmp(path, LIST "/NextMarker") == 0)
		page->marker = cosi_printf(page->call, "%s", text);
	if (strcmp(path, CONTAINER "/Name") == 0)
		page->container.name = cosi_printf(page->call, "%s", text);
	if (is_mark(path, MARK_DRIVER))
		page->container.driver = cosi_printf(page->call, "%s", text);
	if (is_mark(path, MARK_NAME))
		page->container.request = cosi_printf(page->call, "%s", text);
	if (is_mark(path, MARK_PARAMS))
		page->container.params = cosi_printf(page->call, "%s", text);
	if (strcmp(path, CONTAINER) != 0)
		return 0;
	container = cosi_alloc(page->call, sizeof *container);
	if (container == NULL || page->container.name == NULL)
		return -1;
	*container = page->container;
	*page->last = container;
	page->last = &container->next;
	page->container = (struct container){ .next = NULL };
	return 0;
}

static int
read_page(const struct azure *azure, struct cosi_call *call, const char *marker, struct page *out)
{
	const struct cosi_kv query[] = {
		{ "include", "metadata" },
		{ "maxresults", cosi_printf(call, "%d", PAGE_CONTAINERS) },
		{ "marker", marker },
	};
	const struct cosi_http_reply *reply =
		azure_ask(azure, call, .method = "GET", .comp = "list", .query = query,
			  .nquery = marker[0] != '\0' ? 3 : 2, .max_reply = PAGE_REPLY);

	*out = (struct page){ .call = call, .marker = "" };
	out->last = &out->first;
	if (reply == NULL)
		return -1;
	if (!azure_answered(reply, 200) || xml_read(reply->body, on_element, out) != 0 ||
	    !out->is_one || (out->marker[0] != '\0' && strcmp(out->marker, marker) == 0))
		return cosi_failed(call) ? -1 : azure_fail(call, reply);
	return 0;
}

int
walk_containers(const struct azure *azure, struct cosi_call *call, walk_fn *each, void *arg)
{
	const char *marker = "";
	struct page page;
	int rc = 0;

	do {
		if (read_page(azure, call, marker, &page) != 0)
			return -1;
		for (const struct container *it = page.first; it != NULL && rc == 0; it = it->next)
			if (azure_name_is_container(it->name))
				rc = each(arg, call, it);
		marker = page.marker;
	} while (rc == 0 && marker[0] != '\0');
	return rc;
}
