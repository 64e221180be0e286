/* SPDX-License-Identifier: Apache-2.0
 * text.c - reads no further than the limit: a module may forget the NUL. */
#include "module/text.h"

#include <string.h>

#include "base/parse.h"

#include "banned.h"

bool
text_is_clean(const char *text, size_t least, size_t most)
{
	size_t len = text == NULL ? 0 : strnlen(text, most + 1);

	return text != NULL && len >= least && len <= most && chars_clean_len(text, len) == len;
}

bool
text_is_url(const char *text, size_t most)
{
	size_t skip;

	if (!text_is_clean(text, 1, most))
		return false;
	skip = strncmp(text, "http://", 7) == 0 ? 7 : strncmp(text, "https://", 8) == 0 ? 8 : 0;
	return skip > 0 && text[skip] != '\0' && strpbrk(text, " \"<>") == NULL;
}

void
text_clean(char *text)
{
	size_t len = strlen(text);

	for (size_t i = chars_clean_len(text, len); i < len;
	     i += chars_clean_len(text + i, len - i))
		text[i++] = '?';
}
