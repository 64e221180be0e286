/* SPDX-License-Identifier: Apache-2.0
 * print.c - an answer as text, as JSON, as lines for eval "$(cosictl -o env grant ...)".
 *
 * The members are those of cosictl(1), which only ever grow; a member without a value is absent.
 */
#include "print.h"

#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "text.h"

#include "banned.h"

/* ---- text: a label and a value per line ---------------------------------------------- */

static void
print_line(struct arena *arena, const char *label, const char *value)
{
	(void)printf("%-20s %s\n", label, text_escape(arena, value, strlen(value)));
}

/* "accessKeyId" of "s3" becomes "s3 access key id". */
static const char *
member_label(struct arena *arena, const char *protocol, const char *key)
{
	const char *label = protocol[0] != '\0' ? arena_printf(arena, "%s ", protocol) : "";

	for (const char *p = key; *p != '\0'; p++) {
		bool capital = *p >= 'A' && *p <= 'Z';

		label = arena_printf(arena, "%s%s%c", label, capital ? " " : "",
				     capital ? *p - 'A' + 'a' : *p);
	}
	return label;
}

/* protocol: the one that the members are of, or empty. */
static void
print_members(struct arena *arena, const char *protocol, json_t *object)
{
	json_t *value, *item;
	const char *key, *name;
	size_t i;

	json_object_foreach(object, key, value) {
		const char *names = "";

		if (json_is_string(value))
			print_line(arena,
				   strcmp(key, "name") == 0 ? "driver"
							    : member_label(arena, protocol, key),
				   json_string_value(value));
		json_object_foreach(value, name, item)
			print_members(arena, name, item);
		json_array_foreach(value, i, item) {
			if (json_is_object(item))
				print_members(arena, "", item);
			else
				names = arena_printf(arena, "%s%s%s", names, i > 0 ? " " : "",
						     json_string_value(item));
		}
		if (names[0] != '\0')
			print_line(arena, key, names);
	}
}

static void
print_text(struct arena *arena, const struct request *request, json_t *answer)
{
	print_members(arena, "", answer);
	if (request->op == OP_DELETE) {
		print_line(arena, "deleted", request->ids[0]);
		(void)puts("Revoke the accesses that named it before a bucket of the same name is "
			   "made:\n"
			   "on some stores their keys would open the new one.");
	}
	for (size_t i = 0; request->op == OP_REVOKE && i < request->nids; i++)
		print_line(arena, "revoked",
			   arena_printf(arena, "%s from %s", request->ids[i], request->account_id));
}

/* ---- env: under the names that the stores' tools read --------------------------------- */

/* AWS_* is what every S3 client knows; AZURE_STORAGE_* the az tool; GS_* and GOOGLE_* gsutil's
 * relatives.  No name begins with COSI_: COSI reserves that for its drivers. */
static const struct {
	const char *protocol, *key, *variable;
} variables[] = {
	{ "s3", "endpoint", "AWS_ENDPOINT_URL" },
	{ "s3", "region", "AWS_REGION" },
	{ "s3", "region", "AWS_DEFAULT_REGION" },
	{ "s3", "accessKeyId", "AWS_ACCESS_KEY_ID" },
	{ "s3", "accessSecretKey", "AWS_SECRET_ACCESS_KEY" },
	{ "azure", "storageAccount", "AZURE_STORAGE_ACCOUNT" },
	{ "gcs", "project", "GOOGLE_CLOUD_PROJECT" },
	{ "gcs", "accessKeyId", "GS_ACCESS_KEY_ID" },
	{ "gcs", "accessSecretKey", "GS_SECRET_ACCESS_KEY" },
	{ "gcs", "serviceAccount", "GOOGLE_SERVICE_ACCOUNT" },
	{ "gcs", "privateKeyName", "GOOGLE_PRIVATE_KEY_NAME" },
};

struct environment {
	struct arena *arena;
	const char *error; /* the first; later variables are not looked at */
	const char *lines; /* printed only when all is well */
};

static const char *
member_text(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

static void export(struct environment *environment, const char *name, const char *value)
{
	size_t len = value != NULL ? strlen(value) : 0;

	if (len == 0 || environment->error != NULL)
		return;
	if (chars_clean_len(value, len) < len)
		environment->error =
			arena_printf(environment->arena,
				     "cannot write '%s' for a shell: control characters", name);
	else
		environment->lines =
			arena_printf(environment->arena, "%sexport %s=%s\n", environment->lines,
				     name, text_shell_quote(environment->arena, value));
}

/* protocols: an object of objects, by the protocols' names. */
static void
export_protocols(struct environment *environment, const json_t *protocols)
{
	for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
		export(environment, variables[i].variable,
		       member_text(json_object_get(protocols, variables[i].protocol),
				   variables[i].key));
}

/* The first bucket as BUCKET, of several all as BUCKETS: names hold no blank. */
static void
export_buckets(struct environment *environment, json_t *buckets)
{
	const char *names = "", *ids = "", *protocol;
	json_t *bucket, *members;
	size_t i;

	json_array_foreach(buckets, i, bucket) {
		const char *id = member_text(bucket, "bucketId"), *name = NULL;

		json_object_foreach(json_object_get(bucket, "protocols"), protocol, members)
			name = name != NULL ? name : member_text(members, "bucket");
		if (i == 0) {
			export(environment, "BUCKET", name);
			export(environment, "BUCKET_ID", id);
			export_protocols(environment, json_object_get(bucket, "protocols"));
		}
		names = arena_printf(environment->arena, "%s%s%s", names,
				     names[0] != '\0' && name != NULL ? " " : "",
				     name != NULL ? name : "");
		ids = arena_printf(environment->arena, "%s%s%s", ids, i > 0 ? " " : "",
				   id != NULL ? id : "");
	}
	if (json_array_size(buckets) > 1) {
		export(environment, "BUCKETS", names);
		export(environment, "BUCKET_IDS", ids);
	}
}

/* A token may be the URL of the container with the signature as its query. */
static void
export_azure(struct environment *environment, const json_t *credentials)
{
	const char *token = member_text(credentials, "accessToken");
	const char *query = token != NULL ? strchr(token, '?') : NULL;
	const char *path = query;

	if (query == NULL) {
		export(environment, "AZURE_STORAGE_SAS_TOKEN", token);
		return;
	}
	while (path > token && path[-1] != '/')
		path--;
	export(environment, "BUCKET",
	       arena_strndup(environment->arena, path, (size_t)(query - path)));
	export(environment, "AZURE_STORAGE_SAS_URL", token);
	export(environment, "AZURE_STORAGE_SAS_TOKEN", query + 1);
}

static const char *
print_env(struct arena *arena, json_t *answer)
{
	json_t *credentials = json_object_get(answer, "credentials");
	struct environment environment = { .arena = arena, .lines = "" };
	json_t *buckets = json_object_get(answer, "buckets");
	const char *protocol;
	json_t *members;

	export(&environment, "DRIVER_NAME", member_text(answer, "name"));
	export(&environment, "ACCOUNT_ID", member_text(answer, "accountId"));
	if (buckets != NULL) {
		export_buckets(&environment, buckets);
	} else if (json_object_get(answer, "bucketId") != NULL) {
		buckets = json_pack("[O]", answer);
		export_buckets(&environment, buckets);
		json_decref(buckets);
	}
	/* Left over from another key pair it would spoil this one. */
	if (json_object_get(credentials, "s3") != NULL)
		environment.lines =
			arena_printf(arena, "%sunset AWS_SESSION_TOKEN\n", environment.lines);
	export_protocols(&environment, credentials);
	export_azure(&environment, json_object_get(credentials, "azure"));
	json_object_foreach(credentials, protocol, members)
		export(&environment, "CREDENTIALS_EXPIRE", member_text(members, "expires"));
	if (environment.error == NULL)
		(void)fputs(environment.lines, stdout);
	return environment.error;
}

const char *
print_answer(struct arena *arena, enum output output, const struct request *request, json_t *answer)
{
	switch (output) {
	case OUTPUT_ENV:
		return print_env(arena, answer);
	case OUTPUT_JSON:
		/* Everything above ASCII is escaped, so that it is safe on a terminal as well. */
		(void)json_dumpf(answer, stdout, JSON_ENSURE_ASCII | JSON_INDENT(2));
		(void)putchar('\n');
		return NULL;
	default:
		print_text(arena, request, answer);
		return NULL;
	}
}
