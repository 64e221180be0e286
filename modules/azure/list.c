/* SPDX-License-Identifier: Apache-2.0
 * list.c - List Blobs and List Containers; every container and account of one owner.
 *
 * The list of containers has their owners; each container's own list of policies has those of its
 * accounts, regardless of the container's owner: access can be granted to existing containers.
 */
#include <string.h>
#include <strings.h>

#include "azure.h"
#include "edit.h"
#include "policy.h"
#include "text/text.h"

#include "banned.h"

#define RESULTS   "EnumerationResults"
#define BLOBS     RESULTS "/Blobs"
#define CONTAINER RESULTS "/Containers/Container"

struct azure_page {
	struct cosi_call *call;
	const char *items; /* the element that holds them; a page without it is none */
	const char *next;  /* the marker of the next page; "": this is the last one */
	bool is_page;
	xml_element_fn *element;
	void *arg;
};

static int
azure_page_element(void *arg, const char *path, char *text, size_t len)
{
	struct azure_page *page = arg;

	if (strcmp(path, page->items) == 0)
		page->is_page = true;
	if (strcmp(path, RESULTS "/NextMarker") == 0)
		page->next = cosi_printf(page->call, "%s", text);
	return page->element(page->arg, path, text, len);
}

/* Reads one page; an empty page need not be the last one. */
static int
azure_read_page(const struct azure *azure, struct azure_page *page, struct rest_request *request,
		struct cosi_kv *query, size_t nquery, const char *marker, const char **out_next)
{
	struct cosi_call *call = page->call;
	const struct cosi_http_reply *reply;

	if (marker[0] != '\0')
		query[nquery++] = (struct cosi_kv){ "marker", marker };
	request->method = "GET";
	request->query = query;
	request->nquery = nquery;
	request->flags = COSI_HTTP_SAFE;
	page->next = "";
	reply = rest_send(call, &azure_api, azure, request);
	if (reply == NULL)
		return -1;
	if (azure_is_absent(reply))
		return cosi_fail(call, COSI_BUSY, "the container was deleted by another request");
	if (reply->status != 200 || xml_read(reply->body, azure_page_element, page) < 0 ||
	    !page->is_page)
		return cosi_failed(call) ? -1 : azure_fail(call, reply);
	*out_next = page->next;
	return 0;
}

/* ---- blobs ---- */

struct azure_blobs {
	const struct azure *azure;
	const char *container;
	bool has;
};

static int
azure_blob_element(void *arg, const char *path, char *text, size_t len)
{
	struct azure_blobs *blobs = arg;

	(void)text;
	(void)len;
	if (strcmp(path, BLOBS "/Blob") == 0)
		blobs->has = true;
	return 0;
}

static int
azure_blob_page(struct cosi_call *call, void *arg, const char *marker, const char **out_next)
{
	struct azure_blobs *blobs = arg;
	struct cosi_kv query[4] = { { "restype", "container" },
				    { "comp", "list" },
				    { "maxresults", "1" } };
	struct rest_request request = { .path = cosi_printf(call, "/%s", blobs->container) };
	struct azure_page page = {
		.call = call, .items = BLOBS, .element = azure_blob_element, .arg = blobs
	};

	if (azure_read_page(blobs->azure, &page, &request, query, 3, marker, out_next) < 0)
		return -1;
	return blobs->has ? 1 : 0;
}

int
azure_has_blobs(const struct azure *azure, struct cosi_call *call, const char *container,
		bool *out_has)
{
	struct azure_blobs blobs = { .azure = azure, .container = container };

	if (rest_pages(call, azure_blob_page, &blobs) < 0)
		return -1;
	*out_has = blobs.has;
	return 0;
}

/* ---- containers ---- */

enum { CONTAINERS_REPLY_MAX = 8 * 1048576 }; /* 500 times 8 KiB of metadata, and more */

struct azure_containers {
	struct cosi_call *call;
	const struct azure *azure;
	azure_container_fn *each;
	void *arg;
	struct azure_container *first, **last; /* of the page */
	struct azure_container reading;
};

/* Names of metadata are the same in any case; a list has them as they were written. */
static bool
azure_is_meta(const char *path, const char *name)
{
	size_t len = strlen(CONTAINER "/Metadata/");

	return strncmp(path, CONTAINER "/Metadata/", len) == 0 && strcasecmp(path + len, name) == 0;
}

static int
azure_container_element(void *arg, const char *path, char *text, size_t len)
{
	struct azure_containers *walk = arg;
	struct azure_container *container;

	(void)len;
	if (strcmp(path, CONTAINER "/Name") == 0)
		walk->reading.name = cosi_printf(walk->call, "%s", text);
	if (azure_is_meta(path, META_OWNER))
		walk->reading.owner = cosi_printf(walk->call, "%s", text);
	if (azure_is_meta(path, META_NAME))
		walk->reading.request = cosi_printf(walk->call, "%s", text);
	if (azure_is_meta(path, META_PARAMS))
		walk->reading.params = cosi_printf(walk->call, "%s", text);
	if (strcmp(path, CONTAINER) != 0)
		return 0;
	container = cosi_alloc(walk->call, sizeof *container);
	if (container == NULL || walk->reading.name == NULL)
		return -1;
	*container = walk->reading;
	*walk->last = container;
	walk->last = &container->next;
	walk->reading = (struct azure_container){ .next = NULL };
	return 0;
}

static int
azure_container_page(struct cosi_call *call, void *arg, const char *marker, const char **out_next)
{
	struct azure_containers *walk = arg;
	struct cosi_kv query[4] = { { "comp", "list" },
				    { "maxresults", "500" },
				    { "include", "metadata" } };
	struct rest_request request = { .path = "/", .max_reply = CONTAINERS_REPLY_MAX };
	struct azure_page page = { .call = call,
				   .items = RESULTS "/Containers",
				   .element = azure_container_element,
				   .arg = walk };
	int rc;

	walk->first = NULL;
	walk->last = &walk->first;
	walk->reading = (struct azure_container){ .next = NULL };
	rc = azure_read_page(walk->azure, &page, &request, query, 3, marker, out_next);
	for (struct azure_container *it = walk->first; it != NULL && rc == 0; it = it->next)
		if (azure_name_is_container(it->name))
			rc = walk->each(walk->arg, call, it);
	return rc;
}

int
azure_each_container(const struct azure *azure, struct cosi_call *call, azure_container_fn *each,
		     void *arg)
{
	struct azure_containers walk = { .call = call, .azure = azure, .each = each, .arg = arg };

	return rest_pages(call, azure_container_page, &walk);
}

/* ---- the handler ---- */

typedef int azure_found_fn(struct cosi_call *, const struct cosi_found *);

struct azure_listing {
	struct edit edit; /* first */
	const struct azure *azure;
	const char *owner;
	azure_found_fn *found;
	bool enough;
};

/* A value of metadata; one that cannot be decoded stays as it is. */
static const char *
list_decode(struct cosi_call *call, const char *value)
{
	char *text;

	if (value == NULL)
		return NULL;
	text = cosi_printf(call, "%s", value);
	return uri_decode(text, strlen(text)) >= 0 ? text : value;
}

static enum edit_verdict
list_judge(struct cosi_call *call, struct edit *edit, struct acl *acl, const char **more)
{
	struct azure_listing *list = (struct azure_listing *)edit;
	const char *account;

	(void)more;
	for (size_t i = 0; i < acl->n && !list->enough; i++)
		if (policy_is_owned(call, acl->policies[i].id, list->owner, &account))
			list->enough =
				list->found(call,
					    COSI_FOUND(.kind = COSI_ACCOUNT, .native = account,
						       .mark = { .owner = list->owner })) != 0;
	return EDIT_KEEP;
}

static int
list_container(void *arg, struct cosi_call *call, const struct azure_container *container)
{
	struct azure_listing *list = arg;
	const char *owner = list_decode(call, container->owner);

	if (owner != NULL && strcmp(owner, list->owner) == 0)
		list->enough =
			list->found(call,
				    COSI_FOUND(.kind = COSI_BUCKET, .native = container->name,
					       .mark = { list->owner,
							 list_decode(call, container->request),
							 container->params })) != 0;
	if (list->enough)
		return 1;
	list->edit = (struct edit){ .container = container->name, .judge = list_judge };
	if (edit_policies(list->azure, call, &list->edit) < 0)
		return cosi_fail(call, 0, "cannot read the policies of container '%s'",
				 container->name);
	return list->enough ? 1 : 0;
}

int
azure_list(void *instance, struct cosi_call *call, const char *owner, azure_found_fn *found)
{
	struct azure_listing list = { .azure = instance, .owner = owner, .found = found };

	if (azure_each_container(instance, call, list_container, &list) < 0)
		return cosi_fail(call, 0, "cannot list the storage account");
	return 0;
}
