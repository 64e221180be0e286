/* SPDX-License-Identifier: Apache-2.0
 * test_xml.c - documents of stores, hostile ones, and the limits on each side. */
#include "text/xml.h"

#include <stdlib.h>

#include "unit.h"

#include "banned.h"

/* Collects "path=text;" of what is handed over. */
static int
collect(void *arg, const char *path, char *text, size_t len)
{
	FILE *out = arg;

	(void)fprintf(out, "%s=%.*s;", path, (int)len, text);
	return 0;
}

static void
expect(const char *document, int rc, const char *seen)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	assert_int_equal(xml_read(bytes(document), collect, out), rc);
	assert_int_equal(fclose(out), 0);
	assert_string_equal(text, seen);
	free(text);
}

static void
test_read__nested_text_and_entities(void **state)
{
	(void)state;
	expect("<a><b>x &amp; &#60;y</b><b/></a>", 0, "a/b=x & <y;a/b=;a=;");
	expect("<a> 1<b>2</b>3 </a>", 0, "a/b=2;a= 13 ;");
	expect("<n:a xmlns:n='u'><n:b>1</n:b></n:a>", 0, "a/b=1;a=;");
	expect("<a><![CDATA[<b>]]></a>", 0, "a=<b>;");
}

static void
test_read__not_well_formed(void **state)
{
	(void)state;
	expect("", -1, "");
	expect("<a><b>1</b>", -1, "a/b=1;");
	expect("<a></a><c/>", -1, "a=;");
	expect("<html><p>down<br></html>", -1, "");
	expect("<a>&nbsp;</a>", -1, "");
	expect("{\"a\": 1}", -1, "");
	expect("<a>\x01</a>", -1, "");
	expect("<a>\xff</a>", -1, "");
}

/* Such a root would leave no trace in the paths of what is in it. */
static void
test_read__element_without_a_name(void **state)
{
	(void)state;
	expect("<n:><a>1</a></n:>", -1, "");
	expect("<a><n:/></a>", -1, "");
}

static void
test_read__doctype_is_refused(void **state)
{
	(void)state;
	expect("<!DOCTYPE a><a>1</a>", -1, "");
	expect("<!DOCTYPE a [<!ENTITY e 'x'><!ENTITY f '&e;&e;'>]><a>&f;</a>", -1, "");
	expect("<!DOCTYPE a SYSTEM 'file:///etc/passwd'><a/>", -1, "");
}

static int
stop_at_b(void *arg, const char *path, char *text, size_t len)
{
	(void)text;
	(void)len;
	(*(int *)arg)++;
	return strcmp(path, "a/b") == 0;
}

static void
test_read__the_callback_stops_it(void **state)
{
	int ncalls = 0;

	(void)state;
	assert_int_equal(xml_read(bytes("<a><b/><c/></a>"), stop_at_b, &ncalls), -1);
	assert_int_equal(ncalls, 1);
}

static int
ignore(void *arg, const char *path, char *text, size_t len)
{
	(void)arg;
	(void)path;
	(void)text;
	(void)len;
	return 0;
}

/* <x><x>...TEXT...</x></x>, `depth` deep. */
static int
read_made(unsigned depth, const char *name, size_t text_len)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	int rc;

	for (unsigned i = 0; i < depth; i++)
		(void)fprintf(out, "<%s>", name);
	for (size_t i = 0; i < text_len; i++)
		(void)fputc('t', out);
	for (unsigned i = 0; i < depth; i++)
		(void)fprintf(out, "</%s>", name);
	assert_int_equal(fclose(out), 0);
	rc = xml_read(bytes(text), ignore, NULL);
	free(text);
	return rc;
}

static void
test_read__limits(void **state)
{
	char name[XML_PATH_MAX + 2];

	(void)state;
	assert_int_equal(read_made(XML_DEPTH_MAX, "x", 1), 0);
	assert_int_equal(read_made(XML_DEPTH_MAX + 1, "x", 1), -1);
	assert_int_equal(read_made(2, "x", XML_TEXT_MAX), 0);
	assert_int_equal(read_made(2, "x", XML_TEXT_MAX + 1), -1);
	memset(name, 'n', sizeof name);
	name[XML_PATH_MAX - 2] = '\0';
	assert_int_equal(read_made(1, name, 1), 0);
	name[XML_PATH_MAX - 2] = 'n';
	name[XML_PATH_MAX - 1] = '\0';
	assert_int_equal(read_made(1, name, 1), -1);
}

static void
test_can_hold__bytes_that_xml_cannot_say(void **state)
{
	(void)state;
	assert_true(xml_can_hold("a\t\r\n\xc3\xbc\xf0\x9f\x98\x80", 10));
	assert_false(xml_can_hold("a\x01", 2));
	assert_false(xml_can_hold("a\0b", 3));
	assert_false(xml_can_hold("\xef\xbf\xbf", 3));     /* U+FFFF */
	assert_false(xml_can_hold("\xed\xa0\x80", 3));     /* a surrogate */
	assert_false(xml_can_hold("\xc0\xaf", 2));         /* overlong */
	assert_false(xml_can_hold("\xf4\x90\x80\x80", 4)); /* above U+10FFFF */
	assert_false(xml_can_hold("\xc3", 1));
	assert_false(xml_can_hold("\x80", 1));
}

static void
test_write__comes_back_as_it_was(void **state)
{
	static const char hostile[] = "</a>&amp;\"'<![CDATA[\r\n\t]]>\xc3\xbc";
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	(void)state;
	(void)fputs("<a>", out);
	xml_write(out, hostile, strlen(hostile));
	(void)fputs("</a>", out);
	assert_int_equal(fclose(out), 0);
	expect(text, 0, "a=</a>&amp;\"'<![CDATA[\r\n\t]]>\xc3\xbc;");
	free(text);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read__nested_text_and_entities),
		cmocka_unit_test(test_read__not_well_formed),
		cmocka_unit_test(test_read__element_without_a_name),
		cmocka_unit_test(test_read__doctype_is_refused),
		cmocka_unit_test(test_read__the_callback_stops_it),
		cmocka_unit_test(test_read__limits),
		cmocka_unit_test(test_can_hold__bytes_that_xml_cannot_say),
		cmocka_unit_test(test_write__comes_back_as_it_was),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
