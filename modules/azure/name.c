/* SPDX-License-Identifier: Apache-2.0
 * name.c - names of containers and accounts.
 *
 * Source of the container's rules: "Naming and referencing containers, blobs, and metadata" (REST
 * reference).  $root, $logs and $web break them, and belong to the storage account itself.
 */
#include <string.h>

#include "azure.h"
#include "policy.h"
#include "text/account.h"
#include "text/hash.h"

#include "banned.h"

enum { NAME_MIN = 3, NAME_MOST = 63, HASH_DIGITS = 12 };

static bool
is_lower(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

/* NULL: a container can have it. */
static const char *
broken_rule(const char *name)
{
	size_t len = strlen(name);

	if (len < NAME_MIN || len > NAME_MOST)
		return "it must be 3 to 63 bytes long";
	if (name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-")] != '\0')
		return "only a-z, 0-9 and '-' can stand in it";
	if (!is_lower(name[0]) || !is_lower(name[len - 1]))
		return "it must begin and end with a letter or a digit";
	if (strstr(name, "--") != NULL)
		return "two '-' must not stand side by side";
	return NULL;
}

bool
azure_name_is_container(const char *name)
{
	return broken_rule(name) == NULL;
}

bool
azure_name_is_account(const char *native)
{
	return strlen(native) <= POLICY_ACCOUNT_MAX && account_name_ok(native);
}

/* The first characters, without two '-' in a row, and a hash of the whole: at most `most`
 * bytes. */
static const char *
hashed(struct cosi_call *call, const char *asked, size_t most)
{
	char head[NAME_MOST] = "", hex[HASH_HEX_MAX];
	struct hash hash;
	size_t n = 0;

	if (hash_sha256(call, asked, strlen(asked), &hash) != 0)
		return NULL;
	hash_hex(&hash, hex);
	for (const char *p = asked; *p != '\0' && n < most - 1 - HASH_DIGITS; p++) {
		char c = *p >= 'A' && *p <= 'Z' ? (char)(*p - 'A' + 'a') : *p;

		if (is_lower(c))
			head[n++] = c;
		else if (n > 0 && head[n - 1] != '-')
			head[n++] = '-';
	}
	if (n > 0 && head[n - 1] == '-')
		n--;
	return n > 0 ? cosi_printf(call, "%.*s-%.*s", (int)n, head, HASH_DIGITS, hex)
		     : cosi_printf(call, "bucket-%.*s", HASH_DIGITS, hex);
}

const char *
azure_map_name(void *instance, struct cosi_call *call, uint32_t kind, const char *asked, bool exact)
{
	const char *rule = broken_rule(asked);

	(void)instance;
	if (kind == COSI_ACCOUNT)
		return strlen(asked) <= POLICY_ACCOUNT_MAX
			       ? asked
			       : hashed(call, asked, POLICY_ACCOUNT_MAX);
	if (rule == NULL)
		return asked;
	if (!exact)
		return hashed(call, asked, NAME_MOST);
	cosi_fail(call, COSI_INVALID, "'%.255s' cannot be the name of a container: %s", asked,
		  rule);
	return NULL;
}
