/* SPDX-License-Identifier: Apache-2.0
 * name.c - S3's rules for bucket names; keys of accounts. */
#include "s3/name.h"

#include <string.h>

#include "rest/rest.h"
#include "text/text.h"

#include "banned.h"

enum { NAME_MIN = 3, NAME_MOST = 63, KEY_DIGITS = 16, CREDENTIAL_KEY_MIN = 32 };

const char *
s3_name_broken_rule(const char *name)
{
	size_t len = strlen(name), ndots = 0;

	if (len < NAME_MIN || len > NAME_MOST)
		return "the name must be 3 to 63 bytes long";
	if (name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789.-")] != '\0')
		return "the name may contain only a-z, 0-9, '.' and '-'";
	for (size_t i = 0; i < len; i++) {
		bool first = i == 0 || name[i - 1] == '.',
		     last = name[i + 1] == '\0' || name[i + 1] == '.';

		if ((first || last) && (name[i] == '.' || name[i] == '-'))
			return "the name, and each part of it between dots, must begin and end "
			       "with a letter or a digit";
		ndots += name[i] == '.' ? 1 : 0;
	}
	if (ndots == 3 && name[strspn(name, "0123456789.")] == '\0')
		return "the name must not look like an IPv4 address";
	return NULL;
}

const char *
s3_name_map(struct cosi_call *call, const char *asked, const char *broken_rule, bool exact)
{
	static const struct rest_names names = { .what = "bucket", .max = NAME_MOST };

	return rest_name_map(call, &names, asked, broken_rule, exact);
}

/* ---- keys ---- */

const char *
s3_account_key(struct cosi_call *call, const char *module, const char *owner, const char *native)
{
	const char *id = cosi_printf(call, "cosid/%s/access-key/1/%s/%s", module, owner, native);
	char text[HASH_BASE32_MAX];
	const char *key;
	struct hash hash;

	if (hash_sha256(call, id, strlen(id), &hash) < 0)
		return NULL;
	hash_base32(&hash, text);
	key = cosi_printf(call, "COSI%.*s", KEY_DIGITS, text);
	return cosi_failed(call) ? NULL : key;
}

const char *
s3_account_secret(struct cosi_call *call, const char *module, const char *credential_key,
		  const char *owner, const char *native)
{
	const char *id = cosi_printf(call, "cosid/%s/secret-key/1/%s/%s", module, owner, native);
	const char *secret;
	char text[HASH_BASE32_MAX];
	struct hash mac;

	if (hash_hmac(call, credential_key, strlen(credential_key), id, strlen(id), &mac) < 0)
		return NULL;
	hash_base32(&mac, text);
	secret = cosi_printf(call, "%s", text);
	hash_wipe(&mac, sizeof mac);
	hash_wipe(text, sizeof text);
	return cosi_failed(call) ? NULL : secret;
}

int
s3_check_region(struct cosi_call *call, const char *region)
{
	enum { MOST = 128 };

	if (strlen(region) <= MOST)
		return 0;
	return cosi_fail(call, COSI_INVALID,
			 "key 'region' is longer than %d bytes, the most that COSI allows", MOST);
}

int
s3_account_check_key(struct cosi_call *call, const char *what, const char *credential_key)
{
	if (strlen(credential_key) >= CREDENTIAL_KEY_MIN)
		return 0;
	return cosi_fail(call, COSI_INVALID, "key '%s' has a value of less than %d bytes", what,
			 CREDENTIAL_KEY_MIN);
}
