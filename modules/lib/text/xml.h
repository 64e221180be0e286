/* SPDX-License-Identifier: Apache-2.0
 * xml.h - reads the small XML documents of object stores, and writes text into them.
 *
 * A document is handed over element by element, each when it ends, with its path from the root
 * ("Tagging/TagSet/Tag/Key") and the text that stands directly in it.  Names are without namespace
 * prefix.  DOCTYPE, and with it every entity but XML's own five, is refused.
 */
#ifndef LIB_TEXT_XML_H
#define LIB_TEXT_XML_H
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cosi_module.h"

enum {
	XML_DEPTH_MAX = 16,
	XML_PATH_MAX = 256,        /* bytes of a path, its NUL included */
	XML_TEXT_MAX = 128 * 1024, /* bytes of text directly in one element: a policy document */
};

/* text[0..len] ends with a NUL; it may be changed, and is gone after the return.  Non-zero stops.
 */
typedef int xml_element_fn(void *arg, const char *path, char *text, size_t len);

/* 0: the whole document was read.  -1: element() stopped, or it is not well-formed, has a DOCTYPE
 * or passes a limit above; what was handed over until then was handed over. */
int xml_read(struct cosi_bytes document, xml_element_fn *element, void *arg);

/* Copies the text of the first element of that path, cut to size - 1 bytes; false: there is none,
 * or the document cannot be read so far.  What follows the element is not read. */
bool xml_find(struct cosi_bytes document, const char *path, char *out, size_t size);

/* Can XML 1.0 say it: UTF-8 without NUL, control characters (tab and line breaks are fine) or
 * non-characters? */
bool xml_can_hold(const char *text, size_t len);
/* Writes text, which xml_can_hold(), with & < > " ' and CR escaped. */
void xml_write(FILE *out, const char *text, size_t len);

#endif
