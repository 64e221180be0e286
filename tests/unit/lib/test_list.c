/* SPDX-License-Identifier: Apache-2.0
 * test_list.c - list pages and delete results. */
#include "s3/store.h"

#include <stdio.h>
#include <stdlib.h>

#include "unit.h"

#include "banned.h"

static int
collect(void *arg, const struct s3_item *item)
{
	FILE *out = arg;

	(void)fwrite(item->name, 1, item->len, out);
	(void)fprintf(out, "@%s;", item->version != NULL ? item->version : "-");
	return 0;
}

static struct s3_page
expect(const char *document, bool encoded, int rc, const char *seen)
{
	struct s3_page page = { 0 };
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	assert_int_equal(s3_list_read(bytes(document), encoded, collect, out, &page), rc);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, seen);
	free(text);
	return page;
}

static void
test_versions__items_of_both_kinds(void **state)
{
	const struct s3_page page = expect(
		"<ListVersionsResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
		"<EncodingType>url</EncodingType><Name>b</Name><Prefix></Prefix>"
		"<KeyMarker>k</KeyMarker><IsTruncated>true</IsTruncated>"
		"<Version><Key>a%2Fb%01</Key><VersionId>null</VersionId><IsLatest>true</IsLatest>"
		"<Owner><ID>o</ID><DisplayName>d</DisplayName></Owner></Version>"
		"<DeleteMarker><Key>c</Key><VersionId>v2</VersionId></DeleteMarker>"
		"</ListVersionsResult>",
		true, 0, "a/b\x01@null;c@v2;");

	(void)state;
	assert_int_equal(page.nitems, 2);
	assert_true(page.truncated);
}

static void
test_buckets_and_uploads(void **state)
{
	(void)state;
	expect("<ListAllMyBucketsResult><Owner><ID>o</ID><Name>n</Name></Owner><Buckets>"
	       "<Bucket><Name>one</Name></Bucket><Bucket><Name>t%wo</Name></Bucket></Buckets>"
	       "</ListAllMyBucketsResult>",
	       false, 0, "one@-;t%wo@-;");
	expect("<ListMultipartUploadsResult><Bucket>b</Bucket><IsTruncated>false</IsTruncated>"
	       "<Upload><Key>k</Key><UploadId>u</UploadId></Upload></ListMultipartUploadsResult>",
	       true, 0, "k@u;");
}

/* RADOS Gateway 16.2: names are encoded as asked for, NextKeyMarker is not. */
static void
test_versions__marker_that_xml_cannot_say(void **state)
{
#define PAGE(marker)                                                                               \
	"<ListVersionsResult><NextKeyMarker>a" marker "</NextKeyMarker>"                           \
	"<Version><Key>a%01</Key><VersionId>null</VersionId></Version></ListVersionsResult>"
	static const char *const good[] = { PAGE("&#x01;"), PAGE("&#x1f;&#x1;&#x0;"),
					    PAGE("&#x9;&#xa;&#xD;&#x20;&#x1F600;&amp;") };

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
		expect(good[i], true, 0, "a\x01@null;");
	expect(PAGE("&#x01"), true, -1, "");
	expect(PAGE("&#xzz;"), true, -1, "");
	expect(PAGE("&#xfffe;"), true, -1, "");
}

/* MinIO: a blank is a '+'. */
static void
test_versions__blank_as_plus(void **state)
{
	(void)state;
	expect("<ListVersionsResult><Version><Key>a+b%2Bc%20d</Key><VersionId>null</VersionId>"
	       "</Version></ListVersionsResult>",
	       true, 0, "a b+c d@null;");
	expect("<ListVersionsResult><Version><Key>a+b</Key><VersionId>null</VersionId>"
	       "</Version></ListVersionsResult>",
	       false, 0, "a+b@null;");
}

static void
test_junk(void **state)
{
	(void)state;
	expect("<html/>", true, -1, "");
	expect("<ListVersionsResult><Version><Key>a%2</Key></Version></ListVersionsResult>", true,
	       -1, "");
	expect("<ListVersionsResult><Version></Version></ListVersionsResult>", true, -1, "");
	expect("<ListVersionsResult><Version><Key>a</Key></Version>", true, -1, "a@-;");
}

static void
test_deleted__errors_in_a_success(void **state)
{
	struct s3_delete_errors errors;
	char long_key[400], document[600];

	(void)state;
	assert_int_equal(s3_list_read_deleted(bytes("<DeleteResult/>"), &errors), 0);
	assert_int_equal(errors.n, 0);
	memset(long_key, 'k', sizeof long_key);
	long_key[399] = '\0';
	(void)snprintf(document, sizeof document,
		       "<DeleteResult><Error><Key>%s</Key><Code>AccessDenied</Code></Error>"
		       "<Error><Key>b</Key><Code>Other</Code></Error></DeleteResult>",
		       long_key);
	assert_int_equal(s3_list_read_deleted(bytes(document), &errors), 0);
	assert_int_equal(errors.n, 2);
	assert_string_equal(errors.code, "AccessDenied");
	assert_int_equal(strlen(errors.key), sizeof errors.key - 1);
	assert_int_equal(s3_list_read_deleted(bytes("<html/>"), &errors), -1);
	assert_int_equal(s3_list_read_deleted(bytes(""), &errors), -1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_versions__items_of_both_kinds),
		cmocka_unit_test(test_buckets_and_uploads),
		cmocka_unit_test(test_versions__marker_that_xml_cannot_say),
		cmocka_unit_test(test_versions__blank_as_plus),
		cmocka_unit_test(test_junk),
		cmocka_unit_test(test_deleted__errors_in_a_success),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
