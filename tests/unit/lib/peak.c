/* SPDX-License-Identifier: Apache-2.0
 * peak.c - counts what jansson, expat and the call's own memory hold together. */
#include "peak.h"

#include <jansson.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

#include "banned.h"

enum { DOCUMENT = 256 * 1024 };

static struct host *watched;
static size_t taken, highest; /* bytes: taken by jansson and expat now; by all at the worst */

static void
peak_sample(void)
{
	if (taken + watched->allocated > highest)
		highest = taken + watched->allocated;
}

static void *
peak_malloc(size_t size)
{
	void *p = malloc(size);

	taken += malloc_usable_size(p);
	peak_sample();
	return p;
}

static void
peak_free(void *p)
{
	taken -= malloc_usable_size(p);
	free(p);
}

/* ---- documents ---- */

static const struct shape {
	const char *name;
	bool json;
	const char *begin, *each; /* each is repeated */
	const char *rest;         /* of each, after a number that is always another; NULL: none */
	const char *end;
	const char *close; /* for each one that is open, of those that nest; NULL: none do */
	size_t deep;       /* so many of those in each other */
} shapes[] = {
	{ "objects", true, "", "{},", NULL, "0", NULL, 0 },
	{ "numbers", true, "", "1,", NULL, "0", NULL, 0 },
	{ "keys", true, "", "{\"k", "\":0},", "0", NULL, 0 },
	{ "texts", true, "", "\"\",", NULL, "0", NULL, 0 },
	{ "one text", true, "\"", "x", NULL, "\"", NULL, 0 },
	{ "nested lists", true, "", "[", NULL, "0", "]", 1000 },
	{ "deep lists", true, "", "[", NULL, "", "]", DOCUMENT },
	{ "elements", false, "", "<a/>", NULL, "", NULL, 0 },
	{ "names", false, "", "<a", "/>", "", NULL, 0 },
	{ "attributes", false, "", "<a b='' c='' d='' e=''/>", NULL, "", NULL, 0 },
	{ "one element's attributes", false, "<a", " a", "=''", "/>", NULL, 0 },
	{ "one text", false, "", "x", NULL, "", NULL, 0 },
	{ "references", false, "", "&#38;", NULL, "", NULL, 0 },
	{ "nested elements", false, "", "<a>", NULL, "", "</a>", 12 },
	{ "deep elements", false, "", "<a>", NULL, "", "</a>", DOCUMENT },
};

static void
peak_close(FILE *out, const struct shape *shape, size_t *opened)
{
	for (size_t n = *opened; n > 0; n--)
		(void)fputs(shape->close, out);
	if (*opened > 0 && shape->json && shape->end[0] != '\0')
		(void)fputc(',', out);
	*opened = 0;
}

static char *
peak_write(const struct peak_parser *parser, const struct shape *shape)
{
	char *text = NULL;
	size_t len = 0, opened = 0;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	(void)fprintf(out, "%s%s", parser->head, shape->begin);
	for (size_t n = 0; ftell(out) < DOCUMENT; n++) {
		(void)fputs(shape->each, out);
		if (shape->rest != NULL)
			(void)fprintf(out, "%zu%s", n, shape->rest);
		opened += shape->close != NULL;
		if (opened == shape->deep)
			peak_close(out, shape, &opened);
	}
	peak_close(out, shape, &opened);
	(void)fprintf(out, "%s%s", shape->end, parser->tail);
	assert_int_equal(fclose(out), 0);
	return text;
}

struct cosi_bytes
peak_document(const struct host *host)
{
	return bytes(host->arg);
}

/* ---- the check ---- */

static int answer_status;

static const struct cosi_http_reply *
peak_answer(struct host *host, const struct cosi_http *request)
{
	static const struct cosi_kv headers[] = { { "x-amz-request-id", "1" },
						  { "x-ms-request-id", "1" } };
	static struct cosi_http_reply reply;

	(void)request;
	reply = (struct cosi_http_reply){ .status = answer_status,
					  .body = peak_document(host),
					  .nheaders = 2,
					  .headers = headers };
	return &reply;
}

void
peak_check(struct host *host, const struct peak_parser *parsers, size_t nparsers)
{
	watched = host;
	host->script = peak_answer;
	json_set_alloc_funcs(peak_malloc, peak_free);
	for (size_t i = 0; i < nparsers * (sizeof shapes / sizeof shapes[0]); i++) {
		const struct peak_parser *parser = &parsers[i % nparsers];
		const struct shape *shape = &shapes[i / nparsers];
		char *document;
		size_t len;

		if ((parser->head[0] == '{' || parser->head[0] == '[') != shape->json)
			continue;
		host->arg = document = peak_write(parser, shape);
		len = strlen(document);
		answer_status = parser->status != 0 ? parser->status : 200;
		host_reset(host);
		taken = highest = 0;
		parser->read(host);
		peak_sample();
		assert_int_equal(taken, 0);
		if (highest > len * parser->most)
			fail_msg("%s takes %zu bytes for %zu of %s", parser->name, highest, len,
				 shape->name);
		free(document);
	}
	host_reset(host);
	json_set_alloc_funcs(malloc, free);
}
