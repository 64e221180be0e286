/* SPDX-License-Identifier: Apache-2.0
 * source.h - where a secret comes from: file:PATH, credential:NAME, env:NAME, plain:VALUE. */
#ifndef COSID_CONFIG_SOURCE_H
#define COSID_CONFIG_SOURCE_H
#include <stdbool.h>
#include <stddef.h>

#include "base/secret.h"
#include "config/diag.h"

enum { SOURCE_SIZE_MAX = 64 << 10, SOURCE_SECRETS_MAX = 128 };

/* The secrets of one backend's settings. */
struct source {
	bool checking; /* an unreachable credential: is a warning */
	size_t nsecrets;
	struct secret *secrets[SOURCE_SECRETS_MAX]; /* owned */
};

/* Where the text stands, for messages. */
struct source_place {
	const char *file, *key;
	int line;
};

/* The secret's text, owned by source, without control bytes; NULL with diag.  Messages name the key
 * and a file's path, never the text: a secret without a prefix must not show. */
const char *source_read(struct source *source, const char *text, const struct source_place *place,
			struct diag *diag);
void source_done(struct source *source);
/* Takes the variable out of the environment when the text is env:NAME; NULL is fine.  What is wrong
 * with it source_read() says. */
void source_take_env(const char *text);

#endif
