/* SPDX-License-Identifier: Apache-2.0
 * sigv4.c - canonical request, string to sign, signature. */
#include "s3/sigv4.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "text/hash.h"
#include "text/text.h"

#include "banned.h"

enum { DAY_LEN = 8 };

void
sigv4_date(int64_t now, char out[SIGV4_DATE_MAX])
{
	time_t seconds = (time_t)now;
	struct tm tm;

	out[0] = '\0';
	if (gmtime_r(&seconds, &tm) != NULL)
		(void)strftime(out, SIGV4_DATE_MAX, "%Y%m%dT%H%M%SZ", &tm);
}

static const char *
sigv4_canonical(struct cosi_call *call, const struct sigv4_request *request, const char *names)
{
	const char *headers = text_join(call, request->headers, request->nheaders, ":", "\n", "\n");

	return cosi_printf(call, "%s\n%s\n%s\n%s\n%s\n%s", request->method, request->path,
			   request->query, headers, names, request->payload);
}

static const char *
sigv4_to_sign(struct cosi_call *call, const char *canonical, const char *date, const char *scope)
{
	struct hash hash;
	char hex[HASH_HEX_MAX];

	if (hash_sha256(call, canonical, strlen(canonical), &hash) < 0)
		return NULL;
	hash_hex(&hash, hex);
	return cosi_printf(call, "AWS4-HMAC-SHA256\n%s\n%s\n%s", date, scope, hex);
}

/* The chain of HMACs that begins with the secret; the last one signs. */
static int
sigv4_sign(struct cosi_call *call, const struct sigv4_key *key, const char *date,
	   const char *to_sign, struct hash *out)
{
	const char *secret = cosi_printf(call, "AWS4%s", key->secret_key);
	const struct cosi_bytes parts[] = {
		{ date, DAY_LEN },
		{ key->region, strlen(key->region) },
		{ key->service, strlen(key->service) },
		{ "aws4_request", strlen("aws4_request") },
		{ to_sign, strlen(to_sign) },
	};
	struct hash last;

	if (hash_hmac(call, secret, strlen(secret), parts[0].data, parts[0].len, &last) < 0)
		return -1;
	for (size_t i = 1; i < sizeof parts / sizeof parts[0]; i++) {
		if (hash_hmac(call, &last, sizeof last, parts[i].data, parts[i].len, out) < 0)
			return -1;
		last = *out;
	}
	hash_wipe(&last, sizeof last);
	return 0;
}

const char *
sigv4_authorization(struct cosi_call *call, const struct sigv4_key *key,
		    const struct sigv4_request *request)
{
	const char *names = text_join(call, request->headers, request->nheaders, NULL, ";", "");
	const char *scope, *to_sign;
	char date[SIGV4_DATE_MAX], hex[HASH_HEX_MAX];
	struct hash signature;

	sigv4_date(request->now, date);
	if (date[0] == '\0') {
		cosi_fail(call, COSI_INTERNAL, "the clock says a time that has no date");
		return NULL;
	}
	scope = cosi_printf(call, "%.*s/%s/%s/aws4_request", DAY_LEN, date, key->region,
			    key->service);
	to_sign = sigv4_to_sign(call, sigv4_canonical(call, request, names), date, scope);
	if (to_sign == NULL || sigv4_sign(call, key, date, to_sign, &signature) < 0)
		return NULL;
	hash_hex(&signature, hex);
	return cosi_printf(call, "AWS4-HMAC-SHA256 Credential=%s/%s,SignedHeaders=%s,Signature=%s",
			   key->access_key, scope, names, hex);
}
