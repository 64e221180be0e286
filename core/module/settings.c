/* SPDX-License-Identifier: Apache-2.0
 * settings.c - one field after the other, each with its length before it. */
#include "module/settings.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/secret.h"

#include "banned.h"

struct settings_writer {
	unsigned char *bytes; /* NULL: only counts */
	size_t len;
};

static void
write_field(struct settings_writer *writer, const void *field, size_t len)
{
	const uint64_t size = len;

	if (writer->bytes != NULL) {
		memcpy(writer->bytes + writer->len, &size, sizeof size);
		memcpy(writer->bytes + writer->len + sizeof size, field, len);
	}
	writer->len += sizeof size + len;
}

/* With its NUL; NULL has no byte at all. */
static void
write_text(struct settings_writer *writer, const char *text)
{
	write_field(writer, text == NULL ? "" : text, text == NULL ? 0 : strlen(text) + 1);
}

static void
write_settings(struct settings_writer *writer, const struct cosi_schema *schema, const void *config)
{
	for (size_t i = 0; i < schema->nkeys; i++) {
		const void *member = (const char *)config + schema->keys[i].offset;
		const char *const *list;

		switch (schema->keys[i].type) {
		case COSI_T_SECRET_LIST:
			list = *(const char *const *const *)member;
			for (; list != NULL && *list != NULL; list++)
				write_text(writer, *list);
			write_text(writer, NULL);
			break;
		case COSI_T_BOOL:
			write_field(writer, member, sizeof(bool));
			break;
		case COSI_T_INT:
		case COSI_T_SIZE:
		case COSI_T_MSEC:
			write_field(writer, member, sizeof(int64_t));
			break;
		default:
			write_text(writer, *(const char *const *)member);
		}
	}
}

void *
settings_encode(const struct cosi_schema *schema, const void *config, size_t *out_len)
{
	struct settings_writer writer = { 0 };

	write_settings(&writer, schema, config);
	writer.bytes = wiped_malloc(writer.len + 1);
	writer.len = 0;
	if (writer.bytes != NULL)
		write_settings(&writer, schema, config);
	*out_len = writer.len;
	return writer.bytes;
}

struct settings_reader {
	const unsigned char *at;
	size_t left;
};

/* NULL: there is none.  A field of no bytes is not NULL. */
static const void *
read_field(struct settings_reader *reader, size_t *out_len)
{
	const unsigned char *field = reader->at + sizeof(uint64_t);
	uint64_t size;

	if (reader->left < sizeof size)
		return NULL;
	memcpy(&size, reader->at, sizeof size);
	if (size > reader->left - sizeof size)
		return NULL;
	reader->at += sizeof size + size;
	reader->left -= sizeof size + size;
	*out_len = size;
	return field;
}

static int
read_text(struct settings_reader *reader, const char **out)
{
	size_t len;
	const char *text = read_field(reader, &len);

	if (text == NULL || (len > 0 && text[len - 1] != '\0'))
		return -1;
	*out = len > 0 ? text : NULL;
	return 0;
}

static int
read_number(struct settings_reader *reader, void *out, size_t size)
{
	size_t len;
	const void *number = read_field(reader, &len);

	if (number == NULL || len != size)
		return -1;
	memcpy(out, number, size);
	return 0;
}

static int
read_list(struct settings_reader *reader, struct arena *arena, const char *const **out)
{
	const struct settings_reader begin = *reader;
	const char **list, *text;
	size_t n = 0;

	do {
		if (read_text(reader, &text) < 0)
			return -1;
		n++;
	} while (text != NULL);
	list = arena_alloc(arena, n * sizeof *list);
	if (list == NULL)
		return -1;
	*reader = begin;
	for (size_t i = 0; i < n; i++)
		(void)read_text(reader, &list[i]);
	*out = list;
	return 0;
}

int
settings_decode(const struct cosi_schema *schema, const void *bytes, size_t len,
		struct arena *arena, void *config)
{
	struct settings_reader reader = { bytes, len };
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < schema->nkeys; i++) {
		void *member = (char *)config + schema->keys[i].offset;

		switch (schema->keys[i].type) {
		case COSI_T_SECRET_LIST:
			rc = read_list(&reader, arena, member);
			break;
		case COSI_T_BOOL:
			rc = read_number(&reader, member, sizeof(bool));
			break;
		case COSI_T_INT:
		case COSI_T_SIZE:
		case COSI_T_MSEC:
			rc = read_number(&reader, member, sizeof(int64_t));
			break;
		default:
			rc = read_text(&reader, member);
		}
	}
	return rc == 0 && reader.left == 0 ? 0 : -1;
}
