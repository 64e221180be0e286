/* SPDX-License-Identifier: Apache-2.0
 * text.h - what a server says, made fit for a terminal or a shell. */
#ifndef COSID_CLI_TEXT_H
#define COSID_CLI_TEXT_H
#include <stddef.h>

#include "base/arena.h"

/* A copy in which the bytes of controls (chars_is_control()) and bytes that are not UTF-8 read
 * \xNN, so that a text can neither move the cursor, nor start a line, nor turn its direction. */
const char *text_escape(struct arena *arena, const char *text, size_t len);
/* One word of a POSIX shell: 'it'\''s'. */
const char *text_shell_quote(struct arena *arena, const char *text);

#endif
