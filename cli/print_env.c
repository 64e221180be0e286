/* SPDX-License-Identifier: Apache-2.0
 * print_env.c - lines for eval "$(cosictl -o env grant ...)", under the names that the tools read.
 *
 * AWS_* is what every S3 client knows; AZURE_STORAGE_* the az tool; GS_* and GOOGLE_* gsutil's
 * relatives.  No name begins with COSI_: COSI reserves that for its drivers.
 */
#include <stdio.h>
#include <string.h>

#include "print.h"
#include "text.h"

#include "banned.h"

struct output {
	struct arena *arena;
	const char *error; /* the first; later variables are not looked at */
	const char *lines; /* printed only when all is well */
};

static void
variable(struct output *out, const char *name, const char *value)
{
	if (value == NULL || value[0] == '\0' || out->error != NULL)
		return;
	if (!text_is_plain(value)) {
		out->error = arena_printf(
			out->arena, "cannot write '%s' for a shell: control characters", name);
		return;
	}
	out->lines = arena_printf(out->arena, "%sexport %s=%s\n", out->lines, name,
				  text_shell_quote(out->arena, value));
}

static void
info(struct output *out, const struct answer_info *info)
{
	if (info->protocol == COSI_S3) {
		variable(out, "AWS_ENDPOINT_URL", info->endpoint);
		variable(out, "AWS_REGION", info->region);
		variable(out, "AWS_DEFAULT_REGION", info->region);
	} else if (info->protocol == COSI_AZURE) {
		variable(out, "AZURE_STORAGE_ACCOUNT", info->storage_account);
	} else {
		variable(out, "GOOGLE_CLOUD_PROJECT", info->project);
	}
}

/* The first one as BUCKET, all of them as BUCKETS: names hold no blank. */
static void
buckets(struct output *out, const struct answer *answer)
{
	const char *names = NULL, *ids = NULL;

	for (size_t i = 0; i < answer->nbuckets; i++) {
		const struct answer_bucket *bucket = &answer->buckets[i];
		const char *name = bucket->ninfos > 0 ? bucket->infos[0].bucket : NULL;

		ids = ids == NULL ? bucket->id : arena_printf(out->arena, "%s %s", ids, bucket->id);
		if (name != NULL)
			names = names == NULL ? name
					      : arena_printf(out->arena, "%s %s", names, name);
	}
	if (answer->nbuckets == 0)
		return;
	if (answer->buckets[0].ninfos > 0)
		variable(out, "BUCKET", answer->buckets[0].infos[0].bucket);
	for (size_t i = 0; i < answer->buckets[0].ninfos; i++)
		info(out, &answer->buckets[0].infos[i]);
	variable(out, "BUCKET_ID", answer->buckets[0].id);
	if (answer->nbuckets > 1) {
		variable(out, "BUCKETS", names);
		variable(out, "BUCKET_IDS", ids);
	}
}

static void
credentials(struct output *out, const struct answer_credentials *given)
{
	const char *query = given->token != NULL ? strchr(given->token, '?') : NULL;

	if (given->protocol == COSI_S3) {
		variable(out, "AWS_ACCESS_KEY_ID", given->key_id);
		variable(out, "AWS_SECRET_ACCESS_KEY", given->key_secret);
		/* Left over from another key pair it would spoil this one. */
		out->lines = arena_printf(out->arena, "%sunset AWS_SESSION_TOKEN\n", out->lines);
	} else if (given->protocol == COSI_AZURE) {
		variable(out, "AZURE_STORAGE_SAS_URL", query != NULL ? given->token : NULL);
		variable(out, "AZURE_STORAGE_SAS_TOKEN", query != NULL ? query + 1 : given->token);
	} else if (given->protocol == COSI_GCS) {
		variable(out, "GS_ACCESS_KEY_ID", given->key_id);
		variable(out, "GS_SECRET_ACCESS_KEY", given->key_secret);
		variable(out, "GOOGLE_SERVICE_ACCOUNT", given->service_account);
		variable(out, "GOOGLE_PRIVATE_KEY_NAME", given->key_name);
	}
	variable(out, "CREDENTIALS_EXPIRE", given->expires);
}

const char *
print_env(struct arena *arena, const struct ask *ask, const struct answer *answer)
{
	struct output out = { .arena = arena, .lines = "" };

	(void)ask;
	variable(&out, "DRIVER_NAME", answer->driver);
	variable(&out, "ACCOUNT_ID", answer->account_id);
	buckets(&out, answer);
	credentials(&out, &answer->credentials);
	if (out.error == NULL)
		(void)fputs(out.lines, stdout);
	return out.error;
}
