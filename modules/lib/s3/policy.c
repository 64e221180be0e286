/* SPDX-License-Identifier: Apache-2.0
 * policy.c - writes policy documents, and reads its own back. */
#include "s3/policy.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/cleanup.h"

#include "banned.h"

#define ARN "arn:aws:s3:::"

enum { NAME_MAX_BYTES = 255 };

static const struct {
	uint32_t mode;
	const char *on_bucket, *on_objects, *denied;
} sids[] = {
	{ COSI_READ_WRITE, "CosiReadWriteBuckets", "CosiReadWriteObjects", "CosiReadWriteDenied" },
	{ COSI_READ_ONLY, "CosiReadOnlyBuckets", "CosiReadOnlyObjects", "CosiReadOnlyDenied" },
	{ COSI_WRITE_ONLY, "CosiWriteOnlyBuckets", "CosiWriteOnlyObjects", "CosiWriteOnlyDenied" },
};
enum { NSIDS = sizeof sids / sizeof sids[0] };

bool
s3_policy_name_ok(const char *name)
{
	size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				  "0123456789._-");

	return len > 0 && len <= NAME_MAX_BYTES && name[len] == '\0';
}

/* What one statement says; resources are ARN + bucket + suffix of the buckets in that mode. */
struct statement {
	const char *sid, *effect;
	bool for_everybody;
	const char *const *actions;
	uint32_t mode;
	const char *suffix;
};

static size_t
count_mode(const struct s3_access *access, uint32_t mode)
{
	size_t n = 0;

	for (size_t i = 0; i < access->n; i++)
		n += access->buckets[i].mode == mode ? 1 : 0;
	return n;
}

/* Nothing in it needs JSON's escapes: names passed s3_policy_name_ok(), the rest are constants. */
static void
write_statement(FILE *out, const struct statement *s, const struct s3_access *access)
{
	const char *comma = "";

	if (s->actions == NULL || count_mode(access, s->mode) == 0)
		return;
	if (ftell(out) > 0)
		(void)fputc(',', out);
	(void)fprintf(out, "{\"Sid\":\"%s\",\"Effect\":\"%s\",%s\"Action\":[", s->sid, s->effect,
		      s->for_everybody ? "\"Principal\":{\"AWS\":[\"*\"]}," : "");
	for (size_t i = 0; s->actions[i] != NULL; i++, comma = ",")
		(void)fprintf(out, "%s\"%s\"", comma, s->actions[i]);
	(void)fputs("],\"Resource\":[", out);
	comma = "";
	for (size_t i = 0; i < access->n; i++) {
		if (access->buckets[i].mode != s->mode)
			continue;
		(void)fprintf(out, "%s\"" ARN "%s%s\"", comma, access->buckets[i].native,
			      s->suffix);
		comma = ",";
	}
	(void)fputs("]}", out);
}

static const char *
write_document(struct cosi_call *call, const struct statement *statements, size_t n,
	       const struct s3_access *access, const char *always)
{
	CLEANUP_FREE char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	for (size_t i = 0; out != NULL && i < n; i++)
		write_statement(out, &statements[i], access);
	if (out == NULL || fclose(out) != 0) {
		cosi_fail(call, COSI_EXHAUSTED, "no memory for a policy");
		return NULL;
	}
	return cosi_printf(call, "{\"Version\":\"2012-10-17\",\"Statement\":[%s%s%s]}", text,
			   always != NULL ? "," : "", always != NULL ? always : "");
}

static int
check_names(struct cosi_call *call, const struct s3_access *access)
{
	for (size_t i = 0; i < access->n; i++)
		if (!s3_policy_name_ok(access->buckets[i].native))
			return cosi_fail(call, COSI_INVALID,
					 "the bucket name '%.255s' cannot stand in a policy",
					 access->buckets[i].native);
	return 0;
}

const char *
s3_policy_write(struct cosi_call *call, const struct s3_policy_modes *modes,
		const struct s3_access *access)
{
	struct statement statements[3 * NSIDS];
	size_t n = 0;

	if (check_names(call, access) != 0)
		return NULL;
	for (size_t i = 0; i < NSIDS; i++) {
		const uint32_t mode = sids[i].mode;
		const struct s3_policy_actions *actions = &modes->of[mode];

		statements[n++] = (struct statement){ sids[i].on_bucket,  "Allow", false,
						      actions->on_bucket, mode,    "" };
		statements[n++] = (struct statement){ sids[i].on_objects,  "Allow", false,
						      actions->on_objects, mode,    "/*" };
		statements[n++] = (struct statement){ sids[i].denied,  "Deny", false,
						      actions->denied, mode,   "/*" };
	}
	return write_document(call, statements, n, access, modes->always);
}

const char *
s3_policy_anonymous(struct cosi_call *call, const char *bucket, uint32_t anonymous)
{
	static const char *const list[] = { "s3:ListBucket", "s3:GetBucketLocation", NULL };
	static const char *const get[] = { "s3:GetObject", NULL };
	static const char *const put[] = { "s3:PutObject", NULL };
	static const char *const both[] = { "s3:GetObject", "s3:PutObject", NULL };
	bool reads = (anonymous & COSI_ANON_READ) != 0, writes = (anonymous & COSI_ANON_WRITE) != 0;
	struct cosi_bucket_ref ref = { bucket, COSI_READ_WRITE };
	const struct s3_access access = { 1, &ref };
	const struct statement statements[] = {
		{ "CosiAnonymousBucket", "Allow", true, reads ? list : NULL, ref.mode, "" },
		{ "CosiAnonymousObjects", "Allow", true,
		  reads && writes ? both
		  : reads         ? get
				  : put,
		  ref.mode, "/*" },
	};

	if (check_names(call, &access) != 0)
		return NULL;
	return write_document(call, statements, 2, &access, NULL);
}

static uint32_t
mode_of_sid(const char *sid)
{
	for (size_t i = 0; sid != NULL && i < NSIDS; i++)
		if (strcmp(sid, sids[i].on_bucket) == 0)
			return sids[i].mode;
	return 0;
}

static int
by_name(const void *a, const void *b)
{
	const struct cosi_bucket_ref *x = a, *y = b;
	int order = strcmp(x->native, y->native);

	return order != 0 ? order : (int)x->mode - (int)y->mode;
}

/* How many buckets a document can name, so that there is room for all of them. */
static size_t
count_resources(const json_t *statements)
{
	size_t n = 0, i;
	json_t *statement;

	json_array_foreach(statements, i, statement)
		n += json_array_size(json_object_get(statement, "Resource"));
	return n;
}

static void
read_statement(struct cosi_call *call, const json_t *statement, struct s3_access *out)
{
	uint32_t mode = mode_of_sid(json_string_value(json_object_get(statement, "Sid")));
	const json_t *where = json_object_get(statement, "Resource"), *item;
	const char *arn;
	size_t i;

	if (mode == 0)
		return;
	json_array_foreach(where, i, item) {
		arn = json_string_value(item);
		if (arn == NULL || strncmp(arn, ARN, strlen(ARN)) != 0)
			continue;
		out->buckets[out->n++] =
			(struct cosi_bucket_ref){ cosi_printf(call, "%s", arn + strlen(ARN)),
						  mode };
	}
}

int
s3_policy_read(struct cosi_call *call, const char *text, struct s3_access *out)
{
	json_auto_t *root = json_loads(text, 0, NULL);
	const json_t *statements = json_object_get(root, "Statement"), *statement;
	size_t i, room = count_resources(statements);

	if (!json_is_array(statements))
		return -1;
	*out = (struct s3_access){ 0 };
	out->buckets = cosi_alloc(call, (room + 1) * sizeof *out->buckets);
	if (out->buckets == NULL)
		return -1;
	json_array_foreach(statements, i, statement)
		read_statement(call, statement, out);
	qsort(out->buckets, out->n, sizeof *out->buckets, by_name);
	return cosi_failed(call) ? -1 : 0;
}

bool
s3_access_equal(const struct s3_access *a, const struct s3_access *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (by_name(&a->buckets[i], &b->buckets[i]) != 0)
			return false;
	return true;
}

static bool
is_named(const struct cosi_access_req *req, const char *bucket)
{
	for (size_t i = 0; i < req->nbuckets; i++)
		if (strcmp(req->buckets[i]->native, bucket) == 0)
			return true;
	return false;
}

bool
s3_access_take_out(struct s3_access *access, const struct cosi_access_req *req)
{
	size_t had = access->n;

	access->n = 0;
	for (size_t i = 0; i < had; i++)
		if (!is_named(req, access->buckets[i].native))
			access->buckets[access->n++] = access->buckets[i];
	return access->n < had;
}

const char *
s3_policy_sid(struct cosi_call *call, const char *document, const char *prefix)
{
	json_auto_t *root = json_loads(document, 0, NULL);
	const json_t *statement;
	size_t i;

	json_array_foreach(json_object_get(root, "Statement"), i, statement) {
		const char *sid = json_string_value(json_object_get(statement, "Sid"));

		if (sid != NULL && strncmp(sid, prefix, strlen(prefix)) == 0)
			return cosi_failed(call) ? NULL : cosi_printf(call, "%s", sid);
	}
	return NULL;
}
