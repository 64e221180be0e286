/* SPDX-License-Identifier: Apache-2.0
 * walk.c - List Containers. */
#include "walk.h"

#include <string.h>
#include <strings.h>

#include "marks.h"
#include "page.h"

#include "banned.h"

#define CONTAINERS PAGE "/Containers"
#define CONTAINER  CONTAINERS "/Container"
#define META       CONTAINER "/Metadata/"

#define PAGE_CONTAINERS "500"

/* A container's metadata has 8 KiB at most. */
enum { PAGE_REPLY = 8 * 1048576 };

struct page {
	struct cosi_call *call;
	struct container *first, **last;
	struct container container; /* the one that is being read */
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

int
walk_containers(const struct azure *azure, struct cosi_call *call, walk_fn *each, void *arg)
{
	struct page page;
	const struct page_list list = {
		.items = CONTAINERS,
		.most = PAGE_CONTAINERS,
		.include = "metadata",
		.max_reply = PAGE_REPLY,
		.element = on_element,
		.arg = &page,
	};
	const char *marker = "";
	int rc = 0;

	do {
		page = (struct page){ .call = call, .last = &page.first };
		if (page_next(azure, call, &list, &marker) != 0)
			return -1;
		for (const struct container *it = page.first; it != NULL && rc == 0; it = it->next)
			if (azure_name_is_container(it->name))
				rc = each(arg, call, it);
	} while (rc == 0 && marker[0] != '\0');
	return rc;
}
