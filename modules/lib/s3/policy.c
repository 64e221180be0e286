/* SPDX-License-Identifier: Apache-2.0
 * policy.c - writes policy documents, reads its own back, and compares two. */
#include "s3/policy.h"

#include <stdlib.h>
#include <string.h>

#include "rest/rest.h"
#include "text/text.h"

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

/* ---- writing ---- */

static int
policy_check_names(struct cosi_call *call, const struct s3_access *access)
{
	for (size_t i = 0; i < access->n; i++)
		if (!s3_policy_name_ok(access->buckets[i].native))
			return cosi_fail(call, COSI_INVALID,
					 "the bucket name '%.255s' cannot be used in a policy",
					 access->buckets[i].native);
	return 0;
}

/* What one statement says; resources are ARN + bucket + suffix of the buckets in that mode. */
struct policy_statement {
	const char *sid, *effect;
	bool for_everybody;
	const char *const *actions; /* NULL: there is no such statement */
	uint32_t mode;
	const char *suffix;
};

/* A statement on no bucket is left out.  A document that lacks a part could allow too much, so each
 * part is looked at.  always: statements that end the document, which it takes over; NULL: none. */
static const char *
policy_write_document(struct cosi_call *call, const struct policy_statement *statements, size_t n,
		      const struct s3_access *access, json_t *always)
{
	json_auto_t *list = json_array(), *last = always;
	bool complete = true;

	for (const struct policy_statement *s = statements; s < statements + n; s++) {
		json_auto_t *actions = json_array(), *resources = json_array();

		for (size_t i = 0; s->actions != NULL && i < access->n; i++)
			if (access->buckets[i].mode == s->mode)
				complete &=
					json_array_append_new(
						resources,
						json_sprintf(ARN "%s%s", access->buckets[i].native,
							     s->suffix)) == 0;
		if (json_array_size(resources) == 0)
			continue;
		for (size_t i = 0; s->actions[i] != NULL; i++)
			complete &= json_array_append_new(actions, json_string(s->actions[i])) == 0;
		complete &= json_array_append_new(
				    list, s->for_everybody
						  ? json_pack("{s:s, s:s, s:{s:[s]}, s:O, s:O}",
							      "Sid", s->sid, "Effect", s->effect,
							      "Principal", "AWS", "*", "Action",
							      actions, "Resource", resources)
						  : json_pack("{s:s, s:s, s:O, s:O}", "Sid", s->sid,
							      "Effect", s->effect, "Action",
							      actions, "Resource", resources)) == 0;
	}
	if (always != NULL)
		complete &= json_array_extend(list, last) == 0;
	return rest_json(
		call, complete ? json_pack("{s:s, s:O}", "Version", "2012-10-17", "Statement", list)
			       : NULL);
}

const char *
s3_policy_write(struct cosi_call *call, const struct s3_policy_modes *modes,
		const struct s3_access *access, json_t *always)
{
	struct policy_statement statements[3 * NSIDS];
	size_t n = 0;

	if (policy_check_names(call, access) < 0) {
		json_decref(always);
		return NULL;
	}
	for (size_t i = 0; i < NSIDS; i++) {
		const uint32_t mode = sids[i].mode;
		const struct s3_policy_actions *may = &modes->of[mode];

		statements[n++] = (struct policy_statement){ sids[i].on_bucket, "Allow", false,
							     may->on_bucket,    mode,    "" };
		statements[n++] = (struct policy_statement){ sids[i].on_objects, "Allow", false,
							     may->on_objects,    mode,    "/*" };
		statements[n++] = (struct policy_statement){ sids[i].denied, "Deny", false,
							     may->denied,    mode,   "/*" };
	}
	return policy_write_document(call, statements, n, access, always);
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
	const struct policy_statement statements[] = {
		{ "CosiAnonymousBucket", "Allow", true, reads ? list : NULL, ref.mode, "" },
		{ "CosiAnonymousObjects", "Allow", true,
		  reads && writes ? both
		  : reads         ? get
				  : put,
		  ref.mode, "/*" },
	};

	if (policy_check_names(call, &access) < 0)
		return NULL;
	return policy_write_document(call, statements, 2, &access, NULL);
}

/* ---- reading ---- */

static int
access_by_name(const void *a, const void *b)
{
	const struct cosi_bucket_ref *x = a, *y = b;
	int order = strcmp(x->native, y->native);

	return order != 0 ? order : (int)x->mode - (int)y->mode;
}

static void
policy_read_statement(struct cosi_call *call, const json_t *statement, struct s3_access *out)
{
	const char *sid = json_string_value(json_object_get(statement, "Sid")), *arn;
	const json_t *item;
	uint32_t mode = 0;
	size_t i;

	for (i = 0; sid != NULL && i < NSIDS; i++)
		if (strcmp(sid, sids[i].on_bucket) == 0)
			mode = sids[i].mode;
	if (mode == 0)
		return;
	json_array_foreach(json_object_get(statement, "Resource"), i, item) {
		arn = json_string_value(item);
		if (arn == NULL || strncmp(arn, ARN, strlen(ARN)) != 0)
			continue;
		out->buckets[out->n++] =
			(struct cosi_bucket_ref){ cosi_printf(call, "%s", arn + strlen(ARN)),
						  mode };
	}
}

/* Statements, or a single one without a list. */
static bool
policy_is_document(const json_t *root)
{
	const json_t *statements = json_object_get(root, "Statement"), *statement;
	size_t i;

	json_array_foreach(statements, i, statement)
		if (!json_is_object(statement))
			return false;
	return json_is_array(statements) || json_object_size(statements) > 0;
}

bool
s3_policy_is_document(struct cosi_bytes text)
{
	json_auto_t *root = json_loadb(text.data, text.len, 0, NULL);

	return policy_is_document(root);
}

int
s3_policy_read(struct cosi_call *call, const char *text, struct s3_access *out)
{
	json_auto_t *root = json_loads(text, 0, NULL);
	const json_t *statements = json_object_get(root, "Statement"), *statement;
	size_t i, room = 1;

	if (!policy_is_document(root))
		return -1;
	json_array_foreach(statements, i, statement)
		room += json_array_size(json_object_get(statement, "Resource"));
	*out = (struct s3_access){ 0 };
	out->buckets = cosi_alloc(call, room * sizeof *out->buckets);
	if (out->buckets == NULL)
		return -1;
	json_array_foreach(statements, i, statement)
		policy_read_statement(call, statement, out);
	qsort(out->buckets, out->n, sizeof *out->buckets, access_by_name);
	return cosi_failed(call) ? -1 : 0;
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

/* ---- comparing ---- */

bool
s3_access_equal(const struct s3_access *a, const struct s3_access *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if (access_by_name(&a->buckets[i], &b->buckets[i]) != 0)
			return false;
	return true;
}

int
s3_policy_take_out(struct cosi_call *call, const char *document, const struct cosi_access_req *req,
		   struct s3_access *out, bool *out_changed)
{
	size_t had;

	*out = (struct s3_access){ .n = 0 };
	*out_changed = false;
	if (document == NULL)
		return 0;
	if (s3_policy_read(call, document, out) < 0)
		return cosi_fail(call, COSI_UNAVAILABLE, "the account's policy cannot be read");
	had = out->n;
	out->n = 0;
	for (size_t i = 0; i < had; i++)
		if (!rest_is_revoked(req, out->buckets[i].native))
			out->buckets[out->n++] = out->buckets[i];
	*out_changed = out->n < had;
	return 0;
}

static int
policy_by_text(const void *a, const void *b)
{
	return strcmp(json_string_value(*(json_t *const *)a),
		      json_string_value(*(json_t *const *)b));
}

/* 0 also when it is no list of strings. */
static int
policy_sort_strings(json_t *array)
{
	size_t n = json_array_size(array);
	CLEANUP_FREE json_t **items = calloc(n + 1, sizeof(json_t *));

	if (items == NULL)
		return -1;
	for (size_t i = 0; i < n; i++) {
		items[i] = json_array_get(array, i);
		if (!json_is_string(items[i]))
			return 0;
	}
	for (size_t i = 0; i < n; i++)
		(void)json_incref(items[i]);
	qsort(items, n, sizeof(json_t *), policy_by_text);
	for (size_t i = 0; i < n; i++)
		(void)json_array_set_new(array, i, items[i]);
	return 0;
}

/* As deep as jansson reads: 2048 levels. */
static int
policy_sort_sets(json_t *value)
{
	const char *key;
	json_t *item;
	size_t i;

	json_array_foreach(value, i, item)
		if (policy_sort_sets(item) < 0)
			return -1;
	json_object_foreach(value, key, item)
		if (policy_sort_sets(item) < 0)
			return -1;
	return json_is_array(value) ? policy_sort_strings(value) : 0;
}

bool
s3_policy_equal(const char *a, const char *b)
{
	json_auto_t *left = json_loads(a, 0, NULL);
	json_auto_t *right = json_loads(b, 0, NULL);

	if (left == NULL || right == NULL || policy_sort_sets(left) < 0 ||
	    policy_sort_sets(right) < 0)
		return false;
	return json_equal(left, right) == 1;
}
