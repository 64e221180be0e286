/* SPDX-License-Identifier: Apache-2.0
 * input.h - the fuzzer's bytes, piece by piece, and what must hold.
 *
 * An input that is too short goes on as zeros and empty texts, so that every beginning of an input
 * is one, too.
 */
#ifndef FUZZ_INPUT_H
#define FUZZ_INPUT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the process with a report when it does not hold. */
#define must(holds)                                                                                \
	do {                                                                                       \
		if (!(holds)) {                                                                    \
			(void)fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__,     \
				      #holds);                                                     \
			abort();                                                                   \
		}                                                                                  \
	} while (0)

struct input {
	const uint8_t *at, *end;
};

static inline uint8_t
input_byte(struct input *in)
{
	return in->at < in->end ? *in->at++ : 0;
}

static inline size_t
input_pick(struct input *in, size_t n)
{
	return input_byte(in) % n;
}

/* The bytes up to the next 0xff, which no valid text has, or all that are left. */
static inline size_t
input_piece(struct input *in, const uint8_t **out)
{
	size_t left = (size_t)(in->end - in->at), len;
	const uint8_t *end = left > 0 ? memchr(in->at, 0xff, left) : NULL;

	*out = in->at;
	len = end != NULL ? (size_t)(end - in->at) : left;
	in->at += end != NULL ? len + 1 : len;
	return len;
}

/* A copy that ends with a NUL, and with its memory: one byte more is an error that ASan sees.  The
 * caller frees it. */
static inline char *
input_copy(const void *bytes, size_t len)
{
	char *copy = malloc(len + 1);

	must(copy != NULL);
	if (len > 0)
		memcpy(copy, bytes, len);
	copy[len] = '\0';
	return copy;
}

static inline char *
input_text(struct input *in)
{
	const uint8_t *piece;
	size_t len = input_piece(in, &piece);

	return input_copy(piece, len);
}

/* May be shown: UTF-8 without control characters but line breaks. */
static inline bool
input_is_clean(const char *text, size_t len)
{
	for (size_t i = 0, n; i < len; i += n) {
		uint32_t c;

		n = parse_utf8_char(text + i, len - i, &c);
		if (n == 0 || (c != '\n' && chars_is_control(c)))
			return false;
	}
	return true;
}

#endif
