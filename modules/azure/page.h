/* SPDX-License-Identifier: Apache-2.0
 * page.h - one page after the other of what List Containers or List Blobs gives.
 *
 *   const char *marker = "";
 *   do {
 *           if (page_next(azure, call, &list, &marker) != 0)
 *                   return -1;
 *   } while (marker[0] != '\0');
 */
#ifndef AZURE_PAGE_H
#define AZURE_PAGE_H
#include "azure.h"
#include "text/xml.h"

#define PAGE "EnumerationResults"

struct page_list {
	const char *container; /* whose blobs; NULL: the storage account's containers */
	const char *items;     /* the path of what holds them: a page without it is none */
	const char *most;      /* items on a page, "500" */
	const char *include;   /* NULL: nothing besides */
	size_t max_reply;      /* 0: the daemon's */
	xml_element_fn *element;
	void *arg;
};

/* Hands over the elements of the page that *marker names, "" for the first one, and sets it to that
 * of the next one, "" after the last.  A page may be empty and not be the last one.  0; or -1 with
 * the call failed. */
int page_next(const struct azure *azure, struct cosi_call *call, const struct page_list *list,
	      const char **marker);

#endif
