/* SPDX-License-Identifier: Apache-2.0
 * peak.h - the memory that a parser takes at most, measured on the documents that cost most. */
#ifndef TEST_LIB_PEAK_H
#define TEST_LIB_PEAK_H
#include "host.h"

/* What jansson and expat take at most for each byte.  Measured: 77 for "{},", and for names that
 * all differ, "<a12/>", 16 with expat 2.5.0-1+deb12u1 and 17.7 with deb12u5. */
enum { PEAK_JSON = 80, PEAK_XML = 20 };

/* One parser of what a store answers. */
struct peak_parser {
	const char *name;
	/* What stands around the costly part.  A head that begins with '{' or '[' makes it JSON. */
	const char *head, *tail;
	int status;                  /* of each answer that read() gets; 0: 200 */
	void (*read)(struct host *); /* asks for it and parses it, or parses host->arg */
	unsigned most;               /* bytes for each byte of the document */
};

/* Runs each parser on documents of 256 KiB: many tiny elements, names that all differ, many
 * attributes, deep nesting, one long text.  Fails the test for more than its most. */
void peak_check(struct host *host, const struct peak_parser *parsers, size_t nparsers);
/* The document, for a parser that asks for nothing. */
struct cosi_bytes peak_document(const struct host *host);

#endif
