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
struct source_location {
	const char *file, *key;
	int line;
};

/* The secret's text, owned by source, without control bytes; NULL with diag.  Messages name the key
 * and a file's path, never the text: a secret without a prefix must not show. */
const char *source_read(struct source *source, const char *text,
			const struct source_location *location, struct diag *diag);
void source_done(struct source *source);

/* Takes the variable out of the environment when the text is env:NAME; NULL is fine.  source_read()
 * reports what is wrong with it. */
void source_take_env(const char *text);
/* The value of a variable, owned here and good until the next source_env() of that name; NULL with
 * *out_reason, as it follows "the variable is ".  What stood in the environment is overwritten, so
 * that neither children nor /proc/PID/environ have it; it is kept for the next reload.  One thread
 * at a time. */
const struct secret *source_env(const char *name, size_t most, const char **out_reason);

#endif
