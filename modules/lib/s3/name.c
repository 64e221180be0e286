/* SPDX-License-Identifier: Apache-2.0
 * name.c - S3's rules for bucket names. */
#include "s3/name.h"

#include <string.h>

#include "text/hash.h"

#include "banned.h"

enum { NAME_MIN = 3, NAME_MOST = 63, HASH_DIGITS = 12 };

static bool
is_lower(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static bool
looks_like_ipv4(const char *name)
{
	size_t ndots = 0;

	for (const char *p = name; *p != '\0'; p++)
		ndots += *p == '.' ? 1 : 0;
	return ndots == 3 && name[strspn(name, "0123456789.")] == '\0';
}

const char *
s3_name_broken_rule(const char *name)
{
	size_t len = strlen(name);

	if (len < NAME_MIN || len > NAME_MOST)
		return "it must be 3 to 63 bytes long";
	if (name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789.-")] != '\0')
		return "only a-z, 0-9, '.' and '-' can stand in it";
	for (size_t i = 0; i < len; i++) {
		bool first = i == 0 || name[i - 1] == '.',
		     last = name[i + 1] == '\0' || name[i + 1] == '.';

		if ((first || last) && !is_lower(name[i]))
			return "it, and each part of it between dots, must begin and end with a "
			       "letter or a digit";
	}
	return looks_like_ipv4(name) ? "it must not look like an IPv4 address" : NULL;
}

const char *
s3_name_hashed(struct cosi_call *call, const char *asked)
{
	char head[NAME_MOST - HASH_DIGITS], hex[HASH_HEX_MAX];
	struct hash hash;
	size_t n = 0;

	if (hash_sha256(call, asked, strlen(asked), &hash) != 0)
		return NULL;
	hash_hex(&hash, hex);
	for (const char *p = asked; *p != '\0' && n < sizeof head - 1; p++) {
		char c = *p >= 'A' && *p <= 'Z' ? (char)(*p - 'A' + 'a') : *p;

		if (is_lower(c) || n > 0)
			head[n++] = is_lower(c) ? c : '-';
	}
	return n > 0 ? cosi_printf(call, "%.*s-%.*s", (int)n, head, HASH_DIGITS, hex)
		     : cosi_printf(call, "bucket-%.*s", HASH_DIGITS, hex);
}

const char *
s3_name_map(struct cosi_call *call, const char *asked, const char *broken_rule, bool exact)
{
	if (broken_rule == NULL)
		return asked;
	if (!exact)
		return s3_name_hashed(call, asked);
	cosi_fail(call, COSI_INVALID, "'%.255s' cannot be the name of a bucket here: %s", asked,
		  broken_rule);
	return NULL;
}
