/* SPDX-License-Identifier: Apache-2.0
 * account.h - which names accounts of ours have, in every store. */
#ifndef LIB_TEXT_ACCOUNT_H
#define LIB_TEXT_ACCOUNT_H
#include <stdbool.h>

/* "cosi-" and [a-z0-9-], as the daemon makes them: whatever has another name is never touched. */
bool account_name_ok(const char *native);

#endif
