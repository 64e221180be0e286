/* SPDX-License-Identifier: Apache-2.0
 * param_hash.h - the ownership tag cosi-params: with which parameters a bucket or an account
 * was created.
 *
 * "1:" + 64 hex digits of SHA-256 over what was given explicitly, in canonical spelling, sorted by
 * key; `backend` and `whenNotEmpty` do not count.  A grant's also holds its buckets, sorted by
 * native name, and their modes.  A parameter that a later version adds changes no hash that exists.
 */
#ifndef COSID_ROUTING_PARAM_HASH_H
#define COSID_ROUTING_PARAM_HASH_H
#include "base/arena.h"
#include "cosi_module.h"

/* From the arena; never NULL, but empty when the arena has failed, which it has, too, once
 * libcrypto gets no memory. */
const char *param_hash(const struct cosi_kv *given, size_t ngiven,
		       const struct cosi_bucket_ref *const *buckets, size_t nbuckets,
		       struct arena *arena);

#endif
