/* SPDX-License-Identifier: Apache-2.0
 * text.c - joining, percent-encoding and its reverse. */
#include "text/text.h"

#include <stdbool.h>
#include <string.h>

#include "banned.h"

static char *
text_put(char *at, const char *text)
{
	size_t len = strlen(text);

	memcpy(at, text, len);
	return at + len;
}

const char *
text_join(struct cosi_call *call, const struct cosi_kv *parts, size_t nparts, const char *colon,
	  const char *comma, const char *end)
{
	size_t size = strlen(end) + 1;
	char *out, *at;

	for (size_t i = 0; i < nparts; i++) {
		size += strlen(parts[i].key) + strlen(comma);
		if (colon != NULL)
			size += strlen(colon) + strlen(parts[i].value);
	}
	out = at = cosi_alloc(call, size);
	if (out == NULL)
		return "";
	for (size_t i = 0; i < nparts; i++) {
		at = text_put(at, parts[i].key);
		if (colon != NULL)
			at = text_put(text_put(at, colon), parts[i].value);
		at = text_put(at, i + 1 < nparts ? comma : end);
	}
	return out;
}

static bool
is_unreserved(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
	       c == '-' || c == '.' || c == '_' || c == '~';
}

static const char *
uri_encode_but(struct cosi_call *call, const char *text, bool keep_slash)
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
	return uri_encode_but(call, text, false);
}

const char *
uri_encode_path(struct cosi_call *call, const char *path)
{
	return uri_encode_but(call, path, true);
}

static int
hex_digit(char c)
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
		high = hex_digit(text[i + 1]);
		low = hex_digit(text[i + 2]);
		if (high < 0 || low < 0)
			return -1;
		*out++ = (char)(high << 4 | low);
		i += 2;
	}
	*out = '\0';
	return out - text;
}
