/* SPDX-License-Identifier: Apache-2.0
 * setting.c - a bucket's tags and settings, and whether it still has none. */
#include <string.h>

#include "s3/policy.h"
#include "s3/store.h"
#include "text/text.h"
#include "text/xml.h"

#include "banned.h"

/* ---- tags ---- */

struct tags_reading {
	struct cosi_call *call;
	struct s3_tags *tags;
	const char *key, *value;
	bool is_one;
};

static int
tags_on_element(void *arg, const char *path, char *text, size_t len)
{
	struct tags_reading *reading = arg;
	struct s3_tags *tags = reading->tags;

	if (strlen(text) != len)
		return -1;
	if (strcmp(path, "Tagging") == 0)
		reading->is_one = true;
	if (strcmp(path, "Tagging/TagSet/Tag/Key") == 0)
		reading->key = cosi_printf(reading->call, "%s", text);
	if (strcmp(path, "Tagging/TagSet/Tag/Value") == 0)
		reading->value = cosi_printf(reading->call, "%s", text);
	if (strcmp(path, "Tagging/TagSet/Tag") != 0)
		return 0;
	if (reading->key == NULL || tags->n == S3_TAGS_MAX)
		return -1;
	tags->kv[tags->n++] = (struct cosi_kv){
		reading->key,
		reading->value != NULL ? reading->value : "",
	};
	reading->key = reading->value = NULL;
	return 0;
}

int
s3_tags_read(struct cosi_call *call, struct cosi_bytes document, struct s3_tags *out)
{
	struct tags_reading reading = { .call = call, .tags = out };

	out->n = 0;
	if (xml_read(document, tags_on_element, &reading) < 0 || !reading.is_one)
		return -1;
	return cosi_failed(call) ? -1 : 0;
}

const char *
s3_tags_find(const struct s3_tags *tags, const char *key)
{
	for (size_t i = 0; i < tags->n; i++)
		if (strcmp(tags->kv[i].key, key) == 0)
			return tags->kv[i].value;
	return NULL;
}

static void
tags_drop(struct s3_tags *tags, const char *key)
{
	size_t kept = 0;

	for (size_t i = 0; i < tags->n; i++)
		if (strcmp(tags->kv[i].key, key) != 0)
			tags->kv[kept++] = tags->kv[i];
	tags->n = kept;
}

int
s3_tags_set(struct cosi_call *call, struct s3_tags *tags, const char *key, const char *value)
{
	size_t len = strlen(value);

	if (len > S3_TAG_VALUE_MAX || !xml_can_hold(value, len))
		return cosi_fail(call, COSI_INVALID,
				 "the text '%.64s' of the tag '%s' is longer than %d bytes, or has "
				 "control characters",
				 value, key, S3_TAG_VALUE_MAX);
	tags_drop(tags, key);
	if (tags->n == S3_TAGS_MAX)
		return cosi_fail(call, COSI_EXHAUSTED, "there is no room for the tag '%s'", key);
	tags->kv[tags->n++] = (struct cosi_kv){ key, value };
	return 0;
}

struct cosi_bytes
s3_tags_write(struct cosi_call *call, const struct s3_tags *tags)
{
	CLEANUP_FREE char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	const char *copy;

	if (out == NULL) {
		cosi_fail(call, COSI_EXHAUSTED, "no memory for a tag set");
		return (struct cosi_bytes){ "", 0 };
	}
	(void)fputs("<Tagging><TagSet>", out);
	for (size_t i = 0; i < tags->n; i++) {
		(void)fputs("<Tag><Key>", out);
		xml_write(out, tags->kv[i].key, strlen(tags->kv[i].key));
		(void)fputs("</Key><Value>", out);
		xml_write(out, tags->kv[i].value, strlen(tags->kv[i].value));
		(void)fputs("</Value></Tag>", out);
	}
	(void)fputs("</TagSet></Tagging>", out);
	if (fclose(out) != 0) {
		cosi_fail(call, COSI_EXHAUSTED, "no memory for a tag set");
		return (struct cosi_bytes){ "", 0 };
	}
	copy = cosi_printf(call, "%s", text);
	return (struct cosi_bytes){ copy, strlen(copy) };
}

void
s3_tags_judge(const struct s3_tags *tags, const struct cosi_mark *mark, struct cosi_bucket *out)
{
	const char *driver = s3_tags_find(tags, S3_MARK_DRIVER);
	const char *name = s3_tags_find(tags, S3_MARK_NAME);

	out->params = s3_tags_find(tags, S3_MARK_PARAMS);
	out->ours = driver != NULL && strcmp(driver, mark->owner) == 0;
	if (mark->name != NULL && (name == NULL || strcmp(name, mark->name) != 0))
		out->ours = false;
	out->unfinished = out->ours && out->params == NULL;
}

int
s3_tags_mark(struct cosi_call *call, struct s3_tags *tags, const struct cosi_mark *mark,
	     bool finished)
{
	tags_drop(tags, S3_MARK_PARAMS);
	tags_drop(tags, S3_MARK_MAKING);
	if (s3_tags_set(call, tags, S3_MARK_DRIVER, mark->owner) < 0 ||
	    s3_tags_set(call, tags, S3_MARK_NAME, mark->name) < 0)
		return -1;
	return s3_tags_set(call, tags, finished ? S3_MARK_PARAMS : S3_MARK_MAKING, mark->params);
}

/* ---- settings ---- */

int
s3_put_setting(struct cosi_call *call, const struct s3_client *client, const char *bucket,
	       const char *setting, const char *text)
{
	const struct cosi_http_reply *reply = s3_call(
		call, client, .method = "PUT", .path = s3_path(call, bucket, NULL),
		REST_QUERY({ setting, NULL }), .body = REST_TEXT(text), .flags = COSI_HTTP_SAFE);

	if (reply == NULL)
		return -1;
	return reply->status / 100 == 2 && reply->body.len == 0 ? 0 : s3_fail(call, reply);
}

const struct cosi_http_reply *
s3_get_setting(struct cosi_call *call, const struct s3_client *client, const char *bucket,
	       const char *setting)
{
	return s3_call(call, client, .method = "GET", .path = s3_path(call, bucket, NULL),
		       REST_QUERY({ setting, NULL }));
}

/* ---- what a new bucket gets ---- */

enum { S3_P_QUOTA = COSI_P_QUOTA_SIZE | COSI_P_QUOTA_OBJECTS };

bool
s3_settings_wanted(const struct s3_store *store, const struct cosi_bucket_params *params)
{
	return (params->versioning && !params->object_lock) || (params->set & S3_P_QUOTA) != 0 ||
	       params->anonymous != COSI_ANON_NONE ||
	       ((params->set & COSI_P_ANONYMOUS) != 0 && store->has_acls);
}

/* Without IgnorePublicAcls an account that may write an object may also make it public by an ACL of
 * the object, against "private" and "writeOnly". */
static int
s3_set_anonymous(const struct s3_store *store, struct cosi_call *call, const char *native,
		 uint32_t anonymous)
{
	static const char ignore_acls[] =
		"<PublicAccessBlockConfiguration><BlockPublicAcls>false</BlockPublicAcls>"
		"<IgnorePublicAcls>true</IgnorePublicAcls>"
		"<BlockPublicPolicy>false</BlockPublicPolicy>"
		"<RestrictPublicBuckets>false</RestrictPublicBuckets>"
		"</PublicAccessBlockConfiguration>";
	const char *policy;

	if (store->has_acls && (anonymous & COSI_ANON_READ) == 0 &&
	    s3_put_setting(call, &store->client, native, "publicAccessBlock", ignore_acls) < 0)
		return -1;
	if (anonymous == COSI_ANON_NONE)
		return 0;
	policy = s3_policy_anonymous(call, native, anonymous);
	if (policy == NULL)
		return -1;
	return s3_put_setting(call, &store->client, native, "policy", policy);
}

int
s3_settings_apply(const struct s3_store *store, struct cosi_call *call, const char *native,
		  const struct cosi_bucket_params *params)
{
	static const char versioning[] =
		"<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>";

	if (params->versioning && !params->object_lock &&
	    s3_put_setting(call, &store->client, native, "versioning", versioning) < 0)
		return cosi_fail(call, 0, "cannot enable versioning");
	if ((params->set & S3_P_QUOTA) != 0 && store->put_quota(store, call, native, params) < 0)
		return cosi_fail(call, 0, "cannot set the quota");
	if ((params->set & COSI_P_ANONYMOUS) != 0 &&
	    s3_set_anonymous(store, call, native, params->anonymous) < 0)
		return cosi_fail(call, 0, "cannot set the anonymous access");
	return 0;
}

/* ---- is it as PUT bucket leaves it? ---- */

static int
s3_lists_nothing(struct cosi_call *call, const struct s3_client *client, const char *bucket,
		 const char *what, const char *limit, bool *out)
{
	const struct cosi_http_reply *reply =
		s3_call(call, client, .method = "GET", .path = s3_path(call, bucket, NULL),
			REST_QUERY({ what, NULL }, { limit, "1" }, { "encoding-type", "url" }));
	struct s3_page page;

	if (reply == NULL)
		return -1;
	if (reply->status != 200 || s3_list_read(reply->body, true, NULL, NULL, &page) < 0)
		return s3_fail(call, reply);
	*out = page.nitems == 0;
	return 0;
}

/* Every such document is a <SOMETHINGConfiguration>, but the policy, which is JSON. */
static bool
s3_is_setting(const char *setting, struct cosi_bytes document)
{
	if (strcmp(setting, "policy") == 0)
		return s3_policy_is_document(document);
	return strstr(document.data, "Configuration") != NULL;
}

/* A store without that API cannot have it set either. */
static int
s3_is_set(struct cosi_call *call, const struct s3_client *client, const char *bucket,
	  const struct s3_default *setting, bool *out)
{
	const struct cosi_http_reply *reply =
		s3_get_setting(call, client, bucket, setting->setting);

	*out = false;
	if (reply == NULL)
		return -1;
	if (reply->status == 200 && !s3_is_setting(setting->setting, reply->body))
		return s3_fail(call, reply);
	if (reply->status == 200) {
		*out = setting->mark[0] == '\0' || strstr(reply->body.data, setting->mark) != NULL;
		return 0;
	}
	if (s3_error_is(reply, 404, setting->absent) ||
	    s3_error_is(reply, 405, "MethodNotAllowed") ||
	    s3_error_is(reply, 501, "NotImplemented"))
		return 0;
	(void)s3_fail(call, reply);
	return cosi_fail(call, 0, "cannot read the bucket's '%s'", setting->setting);
}

int
s3_is_untouched(struct cosi_call *call, const struct s3_client *client, const char *bucket,
		bool lock, const struct s3_default *more, size_t nmore, bool *out)
{
	const struct {
		struct s3_default is;
		bool set;
	} all[] = {
		{ { "policy", "NoSuchBucketPolicy", "" }, false },
		{ { "object-lock", "ObjectLockConfigurationNotFoundError", "" }, lock },
		{ { "versioning", "", "<Status>" }, lock }, /* which object lock brings along */
	};
	bool set;

	if (s3_lists_nothing(call, client, bucket, "versions", "max-keys", out) < 0 ||
	    (*out && s3_lists_nothing(call, client, bucket, "uploads", "max-uploads", out) < 0))
		return -1;
	for (size_t i = 0; *out && i < sizeof all / sizeof all[0]; i++) {
		if (s3_is_set(call, client, bucket, &all[i].is, &set) < 0)
			return -1;
		*out = set == all[i].set;
	}
	for (size_t i = 0; *out && i < nmore; i++) {
		if (s3_is_set(call, client, bucket, &more[i], &set) < 0)
			return -1;
		*out = !set;
	}
	return 0;
}
