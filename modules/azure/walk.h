/* SPDX-License-Identifier: Apache-2.0
 * walk.h - all containers of the storage account, page by page. */
#ifndef AZURE_WALK_H
#define AZURE_WALK_H
#include "azure.h"

struct container {
	struct container *next;
	const char *name;
	const char *driver, *request, *params; /* its marks, as they stand there; NULL: none */
};

/* 0: go on; 1: enough; -1: the call has failed. */
typedef int walk_fn(void *arg, struct cosi_call *call, const struct container *container);

/* What each() stopped with; 0: it has seen all.  Containers of the storage account's own, such as
 * $logs, are left out. */
int walk_containers(const struct azure *azure, struct cosi_call *call, walk_fn *each, void *arg);

#endif
