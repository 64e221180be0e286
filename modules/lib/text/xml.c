/* SPDX-License-Identifier: Apache-2.0
 * xml.c - expat behind one callback. */
#include "text/xml.h"

#include <expat.h>
#include <jansson.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "banned.h"

/* Expat copies what it is given: a whole document would cost twice its size. */
enum { XML_PIECE = 256 * 1024 };

struct xml_level {
	size_t path_len; /* of the parent's path */
	size_t text_at;  /* where this element's text begins in reader.text */
};

struct xml_reader {
	XML_Parser parser;
	xml_element_fn *element;
	void *arg;
	bool failed;
	unsigned depth;
	struct xml_level levels[XML_DEPTH_MAX];
	char path[XML_PATH_MAX];
	size_t path_len;
	char *text; /* of all open elements, one after the other; owned */
	size_t len, room;
};

/* What a document makes grow counts against its call, as jansson's trees do: the daemon sets
 * jansson's allocator for that.  The header says what realloc() has to copy. */
union xml_header {
	size_t size;
	max_align_t align;
};

static void *
xml_malloc(size_t size)
{
	json_malloc_t allocate;
	json_free_t release;
	union xml_header *header;

	json_get_alloc_funcs(&allocate, &release);
	header = size > SIZE_MAX - sizeof *header ? NULL : allocate(sizeof *header + size);
	if (header == NULL)
		return NULL;
	header->size = size;
	return header + 1;
}

static void
xml_free(void *p)
{
	json_malloc_t allocate;
	json_free_t release;

	json_get_alloc_funcs(&allocate, &release);
	if (p != NULL)
		release((union xml_header *)p - 1);
}

static void *
xml_realloc(void *p, size_t size)
{
	size_t old = p != NULL ? ((union xml_header *)p - 1)->size : 0;
	void *grown = xml_malloc(size);

	if (grown == NULL)
		return NULL;
	if (p != NULL)
		memcpy(grown, p, old < size ? old : size);
	xml_free(p);
	return grown;
}

static const XML_Memory_Handling_Suite xml_memory = { xml_malloc, xml_realloc, xml_free };

static void
xml_stop(struct xml_reader *reader)
{
	reader->failed = true;
	(void)XML_StopParser(reader->parser, XML_FALSE);
}

static void XMLCALL
xml_on_start(void *arg, const char *name, const char **attributes)
{
	struct xml_reader *reader = arg;
	const char *colon = strrchr(name, ':');
	size_t size;

	(void)attributes;
	name = colon != NULL ? colon + 1 : name;
	size = strlen(name);
	if (reader->failed)
		return;
	/* "<n:>" leaves none, and its children would pass for the root's. */
	if (size == 0 || reader->depth == XML_DEPTH_MAX ||
	    size + 2 > sizeof reader->path - reader->path_len) {
		xml_stop(reader);
		return;
	}
	reader->levels[reader->depth++] = (struct xml_level){ reader->path_len, reader->len };
	if (reader->path_len > 0)
		reader->path[reader->path_len++] = '/';
	memcpy(reader->path + reader->path_len, name, size + 1);
	reader->path_len += size;
}

static int
xml_grow(struct xml_reader *reader, size_t needed)
{
	size_t room = reader->room > 0 ? reader->room : 256;
	char *bigger;

	while (room < needed)
		room *= 2;
	if (room == reader->room)
		return 0;
	bigger = xml_realloc(reader->text, room);
	if (bigger == NULL)
		return -1;
	reader->text = bigger;
	reader->room = room;
	return 0;
}

static void XMLCALL
xml_on_text(void *arg, const char *bytes, int count)
{
	struct xml_reader *reader = arg;
	size_t n = (size_t)count, have;

	if (reader->failed || reader->depth == 0)
		return;
	have = reader->len - reader->levels[reader->depth - 1].text_at;
	if (n > XML_TEXT_MAX - have || xml_grow(reader, reader->len + n + 1) < 0) {
		xml_stop(reader);
		return;
	}
	memcpy(reader->text + reader->len, bytes, n);
	reader->len += n;
}

/* A child's text is cut off when it ends, so what is left at the end of its parent is the parent's
 * own. */
static void XMLCALL
xml_on_end(void *arg, const char *name)
{
	struct xml_reader *reader = arg;
	struct xml_level level;

	(void)name;
	if (reader->failed)
		return;
	level = reader->levels[--reader->depth];
	if (xml_grow(reader, reader->len + 1) < 0) {
		xml_stop(reader);
		return;
	}
	reader->text[reader->len] = '\0';
	if (reader->element(reader->arg, reader->path, reader->text + level.text_at,
			    reader->len - level.text_at) != 0)
		xml_stop(reader);
	reader->len = level.text_at;
	reader->path_len = level.path_len;
	reader->path[reader->path_len] = '\0';
}

static void XMLCALL
xml_on_doctype(void *arg, const char *name, const char *sysid, const char *pubid, int internal)
{
	(void)name;
	(void)sysid;
	(void)pubid;
	(void)internal;
	xml_stop(arg);
}

int
xml_read(struct cosi_bytes document, xml_element_fn *element, void *arg)
{
	XML_Parser parser = XML_ParserCreate_MM(NULL, &xml_memory, NULL);
	struct xml_reader reader = { .parser = parser, .element = element, .arg = arg };
	size_t at = 0, n;
	bool ok;

	if (parser == NULL)
		return -1;
	XML_SetUserData(parser, &reader);
	XML_SetElementHandler(parser, xml_on_start, xml_on_end);
	XML_SetCharacterDataHandler(parser, xml_on_text);
	XML_SetStartDoctypeDeclHandler(parser, xml_on_doctype);
	do {
		n = document.len - at < XML_PIECE ? document.len - at : XML_PIECE;
		ok = XML_Parse(parser, (const char *)document.data + at, (int)n,
			       at + n == document.len) == XML_STATUS_OK;
		at += n;
	} while (ok && at < document.len);
	XML_ParserFree(parser);
	xml_free(reader.text);
	return ok && !reader.failed ? 0 : -1;
}

struct xml_search {
	const char *path;
	char *out;
	size_t size;
	bool found;
};

static int
xml_on_searched(void *arg, const char *path, char *text, size_t len)
{
	struct xml_search *search = arg;

	if (strcmp(path, search->path) != 0)
		return 0;
	len = len < search->size ? len : search->size - 1;
	memcpy(search->out, text, len);
	search->out[len] = '\0';
	search->found = true;
	return 1;
}

bool
xml_find(struct cosi_bytes document, const char *path, char *out, size_t size)
{
	struct xml_search search = { .path = path, .out = out, .size = size };

	(void)xml_read(document, xml_on_searched, &search);
	return search.found;
}

/* The character that text[0..len) begins with, in *out, and its bytes; 0: not UTF-8 (RFC 3629). */
static size_t
xml_utf8_char(const unsigned char *text, size_t len, uint32_t *out)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n = text[0] < 0x80             ? 1
		   : (text[0] & 0xe0) == 0xc0 ? 2
		   : (text[0] & 0xf0) == 0xe0 ? 3
		   : (text[0] & 0xf8) == 0xf0 ? 4
					      : 0;
	uint32_t c = n == 1 ? text[0] : text[0] & (0x7fu >> n);

	if (n == 0 || n > len)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (text[i] & 0x3f);
	}
	if (n > 1 && (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff)))
		return 0;
	*out = c;
	return n;
}

bool
xml_can_hold(const char *text, size_t len)
{
	uint32_t c;

	for (size_t i = 0, n; i < len; i += n) {
		n = xml_utf8_char((const unsigned char *)text + i, len - i, &c);
		if (n == 0 || c == 0xfffe || c == 0xffff)
			return false;
		if (c < 0x20 && c != '\t' && c != '\n' && c != '\r')
			return false;
	}
	return true;
}

void
xml_write(FILE *out, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		switch (text[i]) {
		case '&':
		case '<':
		case '>':
		case '"':
		case '\'':
		case '\r': /* a reader would make it a line feed */
			(void)fprintf(out, "&#%d;", text[i]);
			break;
		default:
			(void)fputc(text[i], out);
		}
	}
}
