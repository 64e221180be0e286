/* SPDX-License-Identifier: Apache-2.0
 * test_memory.c - what parsers make of a store's answer counts against the call, which fails over
 * its limit, whatever the module makes of it. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "text/xml.h"

#include "liar.h"

#include "banned.h"

static struct arena *watched;
static size_t peak;

static void *
watch_malloc(size_t size)
{
	void *p = charged_malloc(size);

	if (watched != NULL && watched->used + watched->charged > peak)
		peak = watched->used + watched->charged;
	return p;
}

/* "{"a":[{},{},...]}", "{"a":"xxx..."}" and "<r><e0/><e1/>...</r>" of at least len bytes. */
static char *
hostile_json(size_t len)
{
	char *text = malloc(len + 16), *end = text;

	end = stpcpy(end, "{\"a\":[{}");
	while ((size_t)(end - text) < len)
		end = stpcpy(end, ",{}");
	(void)stpcpy(end, "]}");
	return text;
}

/* Four times as long: jansson asks again for each byte after the one that had no room. */
static char *
hostile_text(size_t len)
{
	char *text = malloc((len *= 4) + 16), *end = stpcpy(text, "{\"a\":\"");

	memset(end, 'x', len);
	(void)stpcpy(end + len, "\"}");
	return text;
}

static char *
hostile_xml(size_t len)
{
	char *text = malloc(len + 32), *end = text;

	end = stpcpy(end, "<r>");
	for (unsigned i = 0; (size_t)(end - text) < len; i++)
		end += snprintf(end, 32, "<e%x/>", i);
	(void)stpcpy(end, "</r>");
	return text;
}

static int
any_element(void *arg, const char *path, char *text, size_t len)
{
	(void)arg, (void)path, (void)text, (void)len;
	return 0;
}

static int
parse_json(const char *document)
{
	json_t *root = json_loads(document, 0, NULL);
	int rc = root != NULL ? 0 : -1;

	json_decref(root);
	return rc;
}

static int
parse_xml(const char *document)
{
	return xml_read((struct cosi_bytes){ document, strlen(document) }, any_element, NULL);
}

static const struct parser {
	char *(*hostile)(size_t len);
	int (*parse)(const char *document);
	const char *honest;
} parsers[] = {
	{ hostile_json, parse_json, "{\"a\": [{}, {}]}" },
	{ hostile_text, parse_json, "{\"a\": \"x\"}" },
	{ hostile_xml, parse_xml, "<a><b/><b/></a>" },
};
static const struct parser *parser;
static const char *document;
static bool tells; /* the module fails the call, or takes the answer for another */

static int
lie_parses(void *instance, struct cosi_call *call, const struct cosi_bucket_req *req)
{
	(void)instance, (void)req;
	if (parser->parse(document) == 0)
		return 0;
	return tells ? cosi_fail(call, COSI_UNAVAILABLE, "the answer is malformed") : 0;
}

static int
delete_bucket(struct rig_call *rig)
{
	const struct cosi_bucket_req req = { .native = "photos" };
	int rc;

	rig->status = (struct status){ 0 };
	rig->module.delete_bucket = lie_parses;
	watched = &rig->arena;
	peak = 0;
	rc = backend_delete_bucket(&rig->call, &req);
	watched = NULL;
	return rc;
}

static void
test_parsers__over_the_limit(void **state)
{
	struct rig_call *rig = *state;
	const size_t cap = rig->arena.cap;

	for (size_t i = 0; i < 2 * sizeof parsers / sizeof parsers[0]; i++) {
		char *hostile;

		parser = &parsers[i / 2];
		tells = i % 2 == 0;
		document = hostile = parser->hostile(cap / 2);
		assert_int_equal(delete_bucket(rig), -1);
		assert_int_equal(rig->status.code, COSI_EXHAUSTED);
		rig_assert_has(rig->status.text, "backend 'b1' (module 'liar') needs more memory");
		assert_in_range(peak, cap / 8, cap);
		assert_int_equal(rig->arena.charged, 0);
		free(hostile);

		/* The next call on this thread begins with nothing charged. */
		arena_done(&rig->arena);
		document = parser->honest;
		assert_int_equal(delete_bucket(rig), 0);
		assert_int_equal(rig->arena.charged, 0);
		assert_int_equal(charge_pool_used(), 0);
		assert_ptr_equal(charge_to(NULL), NULL);
	}
}

static size_t nfound;

static int
count_found(void *arg, const struct cosi_found *found)
{
	(void)arg, (void)found;
	nfound++;
	return 0;
}

static int
lie_lists(void *instance, struct cosi_call *call, const char *owner,
	  int (*found)(struct cosi_call *, const struct cosi_found *))
{
	(void)instance, (void)owner;
	(void)parse_json(document);
	return found(call, COSI_FOUND(.kind = COSI_BUCKET, .native = "photos"));
}

/* What the module could not read is no line of a list. */
static void
test_list__after_the_limit(void **state)
{
	static const struct backend_list list = { .found = count_found };
	struct rig_call *rig = *state;
	char *hostile = hostile_json(rig->arena.cap / 2);

	rig->module.list = lie_lists;
	document = "{}";
	assert_int_equal(backend_list(&rig->call, "owner", &list), 0);
	assert_int_equal(nfound, 1);
	document = hostile;
	assert_int_equal(backend_list(&rig->call, "owner", &list), -1);
	assert_int_equal(rig->status.code, COSI_EXHAUSTED);
	assert_int_equal(nfound, 1);
	free(hostile);
}

static void
test_parsers__within_the_limit(void **state)
{
	struct rig_call *rig = *state;

	for (size_t i = 0; i < sizeof parsers / sizeof parsers[0]; i++) {
		char *large = parsers[i].hostile(4000);

		parser = &parsers[i];
		document = large;
		assert_int_equal(delete_bucket(rig), 0);
		assert_true(peak > 4000);
		free(large);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_parsers__over_the_limit, liar_setup,
						liar_teardown),
		cmocka_unit_test_setup_teardown(test_parsers__within_the_limit, liar_setup,
						liar_teardown),
		cmocka_unit_test_setup_teardown(test_list__after_the_limit, liar_setup,
						liar_teardown),
	};

	json_set_alloc_funcs(watch_malloc, charged_free);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
