/* SPDX-License-Identifier: Apache-2.0
 * cleanup.h - locals of a module that clean up after themselves when their scope ends: what
 * base/cleanup.h is to the core, which modules do not see.
 *
 *   CLEANUP_FREE char *body = NULL;      json_auto_t does the same for jansson's values
 */
#ifndef LIB_TEXT_CLEANUP_H
#define LIB_TEXT_CLEANUP_H
#include <stdlib.h>

static inline void
cleanup_free(void *p)
{
	free(*(void **)p);
}

#define CLEANUP(fn)  __attribute__((cleanup(fn)))
#define CLEANUP_FREE CLEANUP(cleanup_free)

#endif
