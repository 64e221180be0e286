/* SPDX-License-Identifier: Apache-2.0
 * test_tags.c - tag sets read, changed and written, and what marks say. */
#include "s3/store.h"

#include <stdio.h>
#include <stdlib.h>

#include "unit.h"

#include "banned.h"

static const struct cosi_mark mark = { "cosid.example.org", "photos", "1:abc" };

static void
test_read__what_a_gateway_answers(void **state)
{
	static const char document[] =
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>"
		"<Tagging xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><TagSet>"
		"<Tag><Key>a</Key><Value>b &amp; c</Value></Tag><Tag><Key>e</Key><Value/></Tag>"
		"</TagSet></Tagging>";
	struct host host;
	struct s3_tags tags;

	(void)state;
	host_init(&host, NULL);
	assert_int_equal(s3_tags_read(&host.call, bytes(document), &tags), 0);
	assert_int_equal(tags.n, 2);
	assert_string_equal(s3_tags_find(&tags, "a"), "b & c");
	assert_string_equal(s3_tags_find(&tags, "e"), "");
	assert_null(s3_tags_find(&tags, "A"));
	host_done(&host);
}

static int
read_many(size_t n)
{
	struct host host;
	struct s3_tags tags;
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	int rc;

	(void)fputs("<Tagging><TagSet>", out);
	for (size_t i = 0; i < n; i++)
		(void)fprintf(out, "<Tag><Key>k%zu</Key><Value>v</Value></Tag>", i);
	(void)fputs("</TagSet></Tagging>", out);
	assert_int_equal(fclose(out), 0);
	host_init(&host, NULL);
	rc = s3_tags_read(&host.call, bytes(text), &tags);
	host_done(&host);
	free(text);
	return rc;
}

static void
test_read__limits_and_junk(void **state)
{
	struct host host;
	struct s3_tags tags;

	(void)state;
	assert_int_equal(read_many(S3_TAGS_MAX), 0);
	assert_int_equal(read_many(S3_TAGS_MAX + 1), -1);
	host_init(&host, NULL);
	assert_int_equal(s3_tags_read(&host.call, bytes("<html/>"), &tags), -1);
	assert_int_equal(s3_tags_read(&host.call, bytes(""), &tags), -1);
	assert_int_equal(s3_tags_read(&host.call,
				      bytes("<Tagging><TagSet><Tag><Value>v</Value></Tag></TagSet>"
					    "</Tagging>"),
				      &tags),
			 -1);
	host_done(&host);
}

static void
test_set__replaces_and_refuses(void **state)
{
	struct host host;
	struct s3_tags tags = { .n = 0 };
	char value[S3_TAG_VALUE_MAX + 2], key[8];

	(void)state;
	host_init(&host, NULL);
	memset(value, 'v', sizeof value);
	value[S3_TAG_VALUE_MAX] = '\0';
	assert_int_equal(s3_tags_set(&host.call, &tags, "k", value), 0);
	assert_int_equal(s3_tags_set(&host.call, &tags, "k", "2"), 0);
	assert_int_equal(tags.n, 1);
	assert_string_equal(s3_tags_find(&tags, "k"), "2");
	value[S3_TAG_VALUE_MAX] = 'v';
	value[S3_TAG_VALUE_MAX + 1] = '\0';
	assert_int_equal(s3_tags_set(&host.call, &tags, "k", value), -1);
	assert_int_equal(host.code, COSI_INVALID);
	host_reset(&host);
	assert_int_equal(s3_tags_set(&host.call, &tags, "k", "\x01"), -1);
	assert_int_equal(host.code, COSI_INVALID);
	host_reset(&host);
	tags.n = 0;
	for (size_t i = 0; i < S3_TAGS_MAX; i++) {
		(void)snprintf(key, sizeof key, "k%zu", i);
		assert_int_equal(
			s3_tags_set(&host.call, &tags, cosi_printf(&host.call, "%s", key), "v"), 0);
	}
	assert_int_equal(s3_tags_set(&host.call, &tags, "one-more", "v"), -1);
	assert_int_equal(host.code, COSI_EXHAUSTED);
	host_done(&host);
}

static void
test_marks__life_of_a_bucket(void **state)
{
	const struct cosi_mark by_id = { mark.owner, NULL, NULL };
	const struct cosi_mark others[] = {
		{ mark.owner, "videos", mark.params }, /* names on both sides of it */
		{ mark.owner, "photo", mark.params },
		{ "another.example.org", mark.name, mark.params },
		{ "dosid.example.org", mark.name, mark.params },
	};
	struct cosi_bucket bucket = { 0 };
	struct s3_tags tags = { 1, { { "team", "a<b" } } };
	struct host host;

	(void)state;
	host_init(&host, NULL);
	s3_tags_judge(&tags, &by_id, &bucket);
	assert_false(bucket.ours || bucket.unfinished);

	assert_int_equal(s3_tags_mark(&host.call, &tags, &mark, false), 0);
	s3_tags_judge(&tags, &mark, &bucket);
	assert_true(bucket.ours && bucket.unfinished);
	assert_string_equal(s3_tags_find(&tags, S3_MARK_MAKING), "1:abc");

	assert_int_equal(s3_tags_mark(&host.call, &tags, &mark, true), 0);
	s3_tags_judge(&tags, &by_id, &bucket);
	assert_true(bucket.ours && !bucket.unfinished);
	assert_string_equal(bucket.params, "1:abc");
	assert_null(s3_tags_find(&tags, S3_MARK_MAKING));
	assert_string_equal(s3_tags_find(&tags, "team"), "a<b");
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
		s3_tags_judge(&tags, &others[i], &bucket);
		assert_false(bucket.ours);
	}

	assert_string_equal(
		s3_tags_write(&host.call, &tags).data,
		"<Tagging><TagSet><Tag><Key>team</Key><Value>a&#60;b</Value></Tag>"
		"<Tag><Key>cosi-driver</Key><Value>cosid.example.org</Value></Tag>"
		"<Tag><Key>cosi-name</Key><Value>photos</Value></Tag>"
		"<Tag><Key>cosi-params</Key><Value>1:abc</Value></Tag></TagSet></Tagging>");
	host_done(&host);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read__what_a_gateway_answers),
		cmocka_unit_test(test_read__limits_and_junk),
		cmocka_unit_test(test_set__replaces_and_refuses),
		cmocka_unit_test(test_marks__life_of_a_bucket),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
