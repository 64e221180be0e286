/* SPDX-License-Identifier: Apache-2.0
 * scope.h - locals of a module that clean up after themselves when their scope ends: what
 * base/cleanup.h is to the core, which modules do not see.
 *
 *   SCOPE_FREE char *body = NULL;      json_auto_t does the same for jansson's values
 */
#ifndef LIB_TEXT_SCOPE_H
#define LIB_TEXT_SCOPE_H
#include <stdlib.h>

static inline void
scope_free(void *p)
{
	free(*(void **)p);
}

#define SCOPE(fn)  __attribute__((cleanup(fn)))
#define SCOPE_FREE SCOPE(scope_free)

#endif
