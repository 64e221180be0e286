/* SPDX-License-Identifier: Apache-2.0
 * access.c - puts lists and requests together. */
#include "access.h"

#include <stdio.h>

#include "banned.h"

enum { LIST_MAX = 2048 };

const char *
list_of(const char *const ids[], const char *inside)
{
	static char lists[2][LIST_MAX];
	static int last;
	char *text = lists[last ^= 1];
	size_t len = (size_t)snprintf(text, LIST_MAX, "<SignedIdentifiers>");

	for (size_t i = 0; ids[i] != NULL; i++)
		len += (size_t)snprintf(text + len, LIST_MAX - len,
					"<SignedIdentifier><Id>%s</Id><AccessPolicy>%s"
					"</AccessPolicy></SignedIdentifier>",
					ids[i], inside);
	(void)snprintf(text + len, LIST_MAX - len, "</SignedIdentifiers>");
	return text;
}
