/* SPDX-License-Identifier: Apache-2.0
 * policy.c - ids are built and parsed here alone. */
#include "policy.h"

#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "azure.h"
#include "text/text.h"

#include "banned.h"

enum { RANDOM_BYTES = 5, RANDOM_DIGITS = 8, OWNER_DIGITS = 5, PARAMS_DIGITS = 5, TAIL_DIGITS = 10 };

#define DIGITS "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567" /* hash_base32()'s */

const char *
policy_rights(uint32_t mode)
{
	switch (mode) {
	case COSI_READ_ONLY:
		return "rl";
	case COSI_WRITE_ONLY:
		return "acw";
	default:
		return "racwdl";
	}
}

/* "": the call has failed. */
static const char *
policy_digits(struct cosi_call *call, const char *text, int n)
{
	char digits[HASH_BASE32_MAX];
	struct hash hash;

	if (hash_sha256(call, text, strlen(text), &hash) < 0)
		return "";
	hash_base32(&hash, digits);
	return cosi_printf(call, "%.*s", n, digits);
}

const char *
policy_new_id(struct cosi_call *call, const struct policy_request *request)
{
	struct hash random = { .bytes = { 0 } };
	char digits[HASH_BASE32_MAX];

	if (call->host->random(call, random.bytes, RANDOM_BYTES) < 0)
		return "";
	hash_base32(&random, digits);
	return cosi_printf(call, "%s.%.*s.%s%s", request->account, RANDOM_DIGITS, digits,
			   policy_digits(call, request->owner, OWNER_DIGITS),
			   policy_digits(call, request->params, PARAMS_DIGITS));
}

/* The last ten digits of an id that cosid can have made; NULL: it cannot.  *out_len: of the account
 * before its first dot. */
static const char *
policy_tail(const char *id, size_t *out_len)
{
	const char *random = strchr(id, '.'), *tail;

	if (random == NULL || strspn(random + 1, DIGITS) != RANDOM_DIGITS)
		return NULL;
	tail = random + 1 + RANDOM_DIGITS;
	if (*tail != '.' || strspn(tail + 1, DIGITS) != TAIL_DIGITS ||
	    tail[1 + TAIL_DIGITS] != '\0')
		return NULL;
	*out_len = (size_t)(random - id);
	return tail + 1;
}

bool
policy_is_owned(struct cosi_call *call, const char *id, const char *owner, const char **out_account)
{
	size_t len;
	const char *tail = policy_tail(id, &len), *account;

	if (tail == NULL ||
	    strncmp(tail, policy_digits(call, owner, OWNER_DIGITS), OWNER_DIGITS) != 0)
		return false;
	account = cosi_printf(call, "%.*s", (int)len, id);
	if (!azure_name_is_account(account))
		return false;
	*out_account = account;
	return true;
}

bool
policy_is_of(struct cosi_call *call, const char *id, const struct policy_request *request)
{
	const char *account;

	return policy_is_owned(call, id, request->owner, &account) &&
	       strcmp(account, request->account) == 0;
}

bool
policy_has_params(struct cosi_call *call, const char *id, const struct policy_request *request)
{
	size_t len;
	const char *tail = policy_tail(id, &len);

	return tail != NULL && strcmp(tail + OWNER_DIGITS,
				      policy_digits(call, request->params, PARAMS_DIGITS)) == 0;
}

int
policy_read_time(const char *text, int64_t *out_seconds)
{
	static const char *const forms[] = { "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d" };

	for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
		struct tm tm = { 0 };
		const char *rest = strptime(text, forms[i], &tm);

		if (rest == NULL)
			continue;
		if (*rest == '.')
			rest += 1 + strspn(rest + 1, "0123456789");
		if (strcmp(rest, "Z") != 0 && (*rest != '\0' || i < 2))
			continue;
		*out_seconds = (int64_t)timegm(&tm);
		return 0;
	}
	return -1;
}
