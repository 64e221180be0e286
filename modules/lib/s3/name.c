/* SPDX-License-Identifier: Apache-2.0
 * name.c - S3's rules for bucket names. */
#include "s3/name.h"

#include <string.h>

#include "rest/rest.h"

#include "banned.h"

enum { NAME_MIN = 3, NAME_MOST = 63 };

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
s3_name_map(struct cosi_call *call, const char *asked, const char *broken_rule, bool exact)
{
	static const struct rest_names names = { .what = "bucket", .max = NAME_MOST };

	return rest_name_map(call, &names, asked, broken_rule, exact);
}
