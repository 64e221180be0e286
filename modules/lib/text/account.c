/* SPDX-License-Identifier: Apache-2.0
 * account.c - one rule for all stores. */
#include "text/account.h"

#include <string.h>

#include "banned.h"

#define PREFIX "cosi-"

bool
account_name_ok(const char *native)
{
	size_t len = strlen(PREFIX);

	return strncmp(native, PREFIX, len) == 0 && native[len] != '\0' &&
	       native[strspn(native, "abcdefghijklmnopqrstuvwxyz0123456789-")] == '\0';
}
