/* SPDX-License-Identifier: Apache-2.0
 * likeness.h - are two instances the same: same code, same settings, same secrets?
 *
 * A reload hands an instance that would come out the same to the next generation, with its
 * connections, tokens and breakers.
 */
#ifndef COSID_MODULE_LIKENESS_H
#define COSID_MODULE_LIKENESS_H
#include "module/backend.h"
#include "module/instance.h"

/* Digests everything that the instance is made of into instance->likeness: the loaded file, the
 * backend's keys for the way to the store, the module's own settings with the values of its
 * secrets, and which version of the certificates is on disk.  What the scheduler alone reads
 * (accept_new, existing_buckets, max_calls) is left out.  0, or -1: it cannot be digested. */
int likeness_take(const struct backend *backend, struct instance *instance);
bool likeness_same(const struct instance *a, const struct instance *b);

#endif
