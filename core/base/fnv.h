/* SPDX-License-Identifier: Apache-2.0
 * fnv.h - FNV-1a of texts, for tables in memory that compare what they find, or begin it at random.
 */
#ifndef COSID_BASE_FNV_H
#define COSID_BASE_FNV_H
#include <stddef.h>
#include <stdint.h>

#define FNV_START UINT64_C(0xcbf29ce484222325)

/* Goes on from hash, with the terminating NUL, so that "ab", "c" and "a", "bc" differ; NULL counts
 * as the empty text. */
static inline uint64_t
fnv_text(uint64_t hash, const char *text)
{
	const unsigned char *p = (const unsigned char *)(text != NULL ? text : "");

	do
		hash = (hash ^ *p) * UINT64_C(0x100000001b3);
	while (*p++ != '\0');
	return hash;
}

#endif
