/* SPDX-License-Identifier: Apache-2.0
 * text.h - what a server says, made fit for a terminal, a shell or a JSON reader.
 */
#ifndef COSID_CLI_TEXT_H
#define COSID_CLI_TEXT_H
#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/* A copy in which control bytes, C1 controls and bytes that are not UTF-8 read \xNN, so that a text
 * can neither move the cursor nor start a line of its own. */
const char *text_escape(struct arena *arena, const char *text, size_t len);
/* Would text_escape() change it? */
bool text_is_plain(const char *text);
/* One word of a POSIX shell: 'it'\''s'. */
const char *text_shell_quote(struct arena *arena, const char *text);
/* Is every string of the message, at any depth, valid UTF-8?  protobuf-c does not look. */
bool text_message_is_utf8(const ProtobufCMessage *message);

#endif
