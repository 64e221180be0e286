/* SPDX-License-Identifier: Apache-2.0
 * tags.c - reads, changes and writes tag sets. */
#include "s3/tags.h"

#include <string.h>

#include "text/cleanup.h"
#include "text/xml.h"

#include "banned.h"

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
