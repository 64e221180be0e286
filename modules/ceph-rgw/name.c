/* SPDX-License-Identifier: Apache-2.0
 * name.c - which names a bucket can have here.
 *
 * The rules are RADOS Gateway's (strict form, which is its default), tried on 16.2.15: 3 to 63 of
 * [a-z0-9.-]; labels between dots begin and end with a letter or digit; not an IPv4 address; not a
 * prefix under which the gateway serves another API.
 */
#include <string.h>

#include "rgw.h"
#include "text/hash.h"

#include "banned.h"

enum { NAME_MIN = 3, NAME_MOST = 63, OLD_NAME_MOST = 255, HASH_DIGITS = 12 };

static bool
is_lower(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static bool
is_reserved(const struct rgw *rgw, const char *name)
{
	static const char *const prefixes[] = { "admin", "swift", "auth" };

	for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
		if (strcmp(name, prefixes[i]) == 0)
			return true;
	return strcmp(name, rgw->config->admin_path) == 0;
}

bool
rgw_name_is_bucket(const struct rgw *rgw, const char *name)
{
	size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				  "0123456789._-");

	return len > 0 && len <= OLD_NAME_MOST && name[len] == '\0' && strcmp(name, ".") != 0 &&
	       strcmp(name, "..") != 0 && !is_reserved(rgw, name);
}

static bool
looks_like_ipv4(const char *name)
{
	size_t ndots = 0;

	for (const char *p = name; *p != '\0'; p++)
		ndots += *p == '.' ? 1 : 0;
	return ndots == 3 && name[strspn(name, "0123456789.")] == '\0';
}

/* NULL: it can be one; else the rule that it breaks. */
static const char *
broken_rule(const struct rgw *rgw, const char *name)
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
	if (looks_like_ipv4(name))
		return "it must not look like an IPv4 address";
	return is_reserved(rgw, name) ? "the gateway serves another API under that name" : NULL;
}

/* The first characters and a hash of the whole: for any name another one, and for ever the same. */
static const char *
hashed(struct cosi_call *call, const char *asked)
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
rgw_map_name(void *instance, struct cosi_call *call, uint32_t kind, const char *asked, bool exact)
{
	const char *rule;

	if (kind != COSI_BUCKET)
		return asked;
	rule = broken_rule(instance, asked);
	if (rule == NULL)
		return asked;
	if (!exact)
		return hashed(call, asked);
	cosi_fail(call, COSI_INVALID, "'%.255s' cannot be the name of a bucket here: %s", asked,
		  rule);
	return NULL;
}
