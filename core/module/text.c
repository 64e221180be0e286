/* SPDX-License-Identifier: Apache-2.0
 * text.c - reads no further than the limit: a module may forget the NUL. */
#include "module/text.h"

#include <stdint.h>
#include <string.h>

#include "base/parse.h"

#include "banned.h"

/* Bytes of the first character that may stand in a text, 0 when there is none. */
static size_t
clean_char(const char *text, size_t len)
{
	uint32_t c;
	size_t n = parse_utf8_char(text, len, &c);

	return n > 0 && (c < ' ' || (c >= 0x7f && c < 0xa0)) ? 0 : n;
}

bool
text_is_clean(const char *text, size_t least, size_t most)
{
	size_t len = text == NULL ? 0 : strnlen(text, most + 1);
	size_t n = 1;

	if (text == NULL || len < least || len > most)
		return false;
	for (size_t i = 0; i < len && n > 0; i += n)
		n = clean_char(text + i, len - i);
	return n > 0;
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
	size_t len = strlen(text), n;

	for (size_t i = 0; i < len; i += n) {
		n = clean_char(text + i, len - i);
		if (n == 0) {
			text[i] = '?';
			n = 1;
		}
	}
}
