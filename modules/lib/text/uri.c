/* SPDX-License-Identifier: Apache-2.0
 * uri.c - percent-encoding and its reverse. */
#include "text/uri.h"

#include <stdbool.h>
#include <string.h>

#include "banned.h"

static bool
is_unreserved(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
	       c == '-' || c == '.' || c == '_' || c == '~';
}

static const char *
encode(struct cosi_call *call, const char *text, bool keep_slash)
{
	static const char hex[] = "0123456789ABCDEF";
	char *out = cosi_alloc(call, 3 * strlen(text) + 1), *p = out;

	if (out == NULL)
		return "";
	for (; *text != '\0'; text++) {
		if (is_unreserved(*text) || (keep_slash && *text == '/')) {
			*p++ = *text;
			continue;
		}
		*p++ = '%';
		*p++ = hex[(unsigned char)*text >> 4];
		*p++ = hex[(unsigned char)*text & 0xf];
	}
	return out;
}

const char *
uri_encode(struct cosi_call *call, const char *text)
{
	return encode(call, text, false);
}

const char *
uri_encode_path(struct cosi_call *call, const char *path)
{
	return encode(call, path, true);
}

static int
digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

long
uri_decode(char *text, size_t len)
{
	char *out = text;

	for (size_t i = 0; i < len; i++) {
		int high, low;

		if (text[i] != '%') {
			*out++ = text[i];
			continue;
		}
		if (len - i < 3)
			return -1;
		high = digit(text[i + 1]);
		low = digit(text[i + 2]);
		if (high < 0 || low < 0)
			return -1;
		*out++ = (char)(high << 4 | low);
		i += 2;
	}
	*out = '\0';
	return out - text;
}
