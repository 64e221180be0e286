/* SPDX-License-Identifier: Apache-2.0
 * text.c - escaping, quoting and the UTF-8 check of a decoded message. */
#include "text.h"

#include <stdio.h>
#include <string.h>

#include "base/parse.h"

#include "banned.h"

/* U+0080 to U+009F are controls too; some terminals obey them in their UTF-8 form. */
static bool
is_c1(const unsigned char *p, size_t left)
{
	return left >= 2 && p[0] == 0xc2 && p[1] >= 0x80 && p[1] <= 0x9f;
}

static bool
must_escape(const unsigned char *p, size_t left, bool utf8)
{
	return *p < 0x20 || *p == 0x7f || (*p >= 0x80 && (!utf8 || is_c1(p, left)));
}

const char *
text_escape(struct arena *arena, const char *text, size_t len)
{
	/* A NUL alone makes parse_utf8() say no; then every byte above ASCII is escaped as well. */
	bool utf8 = parse_utf8(text, len);
	char *copy = arena_alloc(arena, len * 4 + 1);
	size_t n = 0;

	if (copy == NULL)
		return "";
	for (size_t i = 0; i < len; i++) {
		const unsigned char *p = (const unsigned char *)text + i;

		if (!must_escape(p, len - i, utf8)) {
			copy[n++] = text[i];
			continue;
		}
		n += (size_t)snprintf(copy + n, 5, "\\x%02x", *p);
		if (utf8 && is_c1(p, len - i))
			n += (size_t)snprintf(copy + n, 5, "\\x%02x", (unsigned char)text[++i]);
	}
	return copy;
}

bool
text_is_plain(const char *text)
{
	size_t len = strlen(text);
	bool utf8 = parse_utf8(text, len);

	for (size_t i = 0; i < len; i++)
		if (must_escape((const unsigned char *)text + i, len - i, utf8))
			return false;
	return true;
}

const char *
text_shell_quote(struct arena *arena, const char *text)
{
	size_t len = strlen(text), n = 0;
	char *copy = arena_alloc(arena, len * 4 + 3);

	if (copy == NULL)
		return "''";
	copy[n++] = '\'';
	for (size_t i = 0; i < len; i++) {
		copy[n++] = text[i];
		if (text[i] == '\'') {
			memcpy(copy + n, "\\''", 3);
			n += 3;
		}
	}
	copy[n] = '\'';
	return copy;
}

static bool
value_is_utf8(const ProtobufCFieldDescriptor *field, const void *value)
{
	const void *p;

	memcpy(&p, value, sizeof p);
	if (p == NULL)
		return true;
	if (field->type == PROTOBUF_C_TYPE_STRING)
		return parse_utf8(p, strlen(p));
	return text_message_is_utf8(p);
}

static bool
field_is_utf8(const ProtobufCFieldDescriptor *field, const char *message)
{
	const char *value = message + field->offset, *list;
	uint32_t chosen;
	size_t n;

	if (field->type != PROTOBUF_C_TYPE_STRING && field->type != PROTOBUF_C_TYPE_MESSAGE)
		return true;
	if ((field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0) {
		memcpy(&chosen, message + field->quantifier_offset, sizeof chosen);
		return chosen != field->id || value_is_utf8(field, value);
	}
	if (field->label != PROTOBUF_C_LABEL_REPEATED)
		return value_is_utf8(field, value);
	memcpy(&n, message + field->quantifier_offset, sizeof n);
	memcpy(&list, value, sizeof list);
	for (size_t i = 0; i < n; i++)
		if (!value_is_utf8(field, list + i * sizeof list))
			return false;
	return true;
}

/* The messages of COSI do not nest in themselves, so the depth is that of their types. */
bool
text_message_is_utf8(const ProtobufCMessage *message)
{
	const ProtobufCMessageDescriptor *type = message->descriptor;

	for (unsigned i = 0; i < type->n_fields; i++)
		if (!field_is_utf8(&type->fields[i], (const char *)message))
			return false;
	return true;
}
