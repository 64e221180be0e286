/* SPDX-License-Identifier: Apache-2.0
 * env.h - secrets out of the environment, where they do not stay. */
#ifndef COSID_CONFIG_ENV_H
#define COSID_CONFIG_ENV_H
#include "base/secret.h"

/* The value of a variable, owned here and good until the next env_take() of that name; NULL with
 * *out_reason, as it follows "the variable is ".  What stood in the environment is overwritten,
 * so that neither children nor /proc/PID/environ have it; it is kept for the next reload.  One
 * thread at a time. */
const struct secret *env_take(const char *name, size_t most, const char **out_reason);

#endif
