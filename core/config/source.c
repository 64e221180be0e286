/* SPDX-License-Identifier: Apache-2.0
 * source.c - fetches secrets, and says no to what looks like a mistake. */
#include "config/source.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "config/env.h"
#include "config/file.h"

#include "banned.h"

/* With the line break that is dropped. */
enum { SOURCE_FILE_MAX = SOURCE_SIZE_MAX + 1 };
static const char env_prefix[] = "env:";

/* No store takes such bytes, in a key or in a header: most of them came with an editor. */
static int
check_bytes(const char *bytes, size_t len, const struct source_place *place, struct diag *diag)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char byte = (unsigned char)bytes[i];

		if (byte >= ' ' && byte != 0x7f)
			continue;
		if (byte == '\r' && i + 1 == len)
			diag_error(diag, place->file, place->line,
				   "'%s': the secret has a carriage return at its end", place->key);
		else
			diag_error(diag, place->file, place->line,
				   "'%s': the secret has a control byte, 0x%02x, at offset %zu",
				   place->key, byte, i);
		return -1;
	}
	return 0;
}

static const char *
keep(struct source *source, const char *bytes, size_t len, const struct source_place *place,
     struct diag *diag)
{
	struct secret *secret = NULL;

	if (check_bytes(bytes, len, place, diag) != 0)
		return NULL;
	if (source->nsecrets < SOURCE_SECRETS_MAX)
		secret = secret_new(bytes, len);
	if (secret == NULL) {
		diag_error(diag, place->file, place->line,
			   "'%s': no memory for the secret, or more than %d of them", place->key,
			   SOURCE_SECRETS_MAX);
		return NULL;
	}
	source->secrets[source->nsecrets++] = secret;
	return secret_text(secret);
}

/* Checks a file's content, less the line break that editors put at its end. */
static const char *
keep_content(struct source *source, const char *bytes, size_t len, const struct source_place *place,
	     struct diag *diag)
{
	if (len > 0 && bytes[len - 1] == '\n')
		len--;
	if (len == 0) {
		diag_error(diag, place->file, place->line, "'%s': the secret's file is empty",
			   place->key);
		return NULL;
	}
	if (len > SOURCE_SIZE_MAX) {
		diag_error(diag, place->file, place->line,
			   "'%s': the secret's file is larger than 64 KiB", place->key);
		return NULL;
	}
	if (memchr(bytes, '\0', len) != NULL) {
		diag_error(diag, place->file, place->line,
			   "'%s': the secret's file holds a NUL; binary keys are written as base64",
			   place->key);
		return NULL;
	}
	return keep(source, bytes, len, place, diag);
}

static const char *
read_file(struct source *source, const char *path, const struct source_place *place,
	  struct diag *diag)
{
	const char *reason = NULL, *text;
	struct stat st;
	size_t len;
	char *bytes;

	if (path[0] != '/') {
		diag_error(diag, place->file, place->line,
			   "'%s': expected an absolute path after file:", place->key);
		return NULL;
	}
	bytes = file_read(path, SOURCE_FILE_MAX, &len, &st, &reason);
	if (bytes == NULL) {
		diag_error(diag, place->file, place->line,
			   "'%s': cannot read the secret's file '%s': %s", place->key, path,
			   reason);
		return NULL;
	}
	if ((st.st_mode & S_IROTH) != 0)
		diag_warning(diag, place->file, place->line,
			     "'%s': the secret's file '%s' can be read by everyone", place->key,
			     path);
	text = keep_content(source, bytes, len, place, diag);
	wiped_free(bytes);
	return text;
}

/* Why the credential cannot be had, or NULL with *out_bytes. */
static const char *
fetch_credential(const char *name, char **out_bytes, size_t *out_len)
{
	const char *dir = getenv("CREDENTIALS_DIRECTORY"), *reason = NULL;
	CLEANUP_FREE char *path = NULL;
	struct stat st;

	if (dir == NULL || dir[0] != '/')
		return "$CREDENTIALS_DIRECTORY is not set: the unit's credentials are not here";
	if (asprintf(&path, "%s/%s", dir, name) < 0) {
		path = NULL;
		return "no memory";
	}
	*out_bytes = file_read(path, SOURCE_FILE_MAX, out_len, &st, &reason);
	return reason;
}

static const char *
read_credential(struct source *source, const char *name, const struct source_place *place,
		struct diag *diag)
{
	const char *reason, *text;
	char *bytes = NULL;
	size_t len;

	if (name[0] == '\0' || name[0] == '.' || strchr(name, '/') != NULL) {
		diag_error(diag, place->file, place->line,
			   "'%s': expected the name of a credential after credential:, without '/'",
			   place->key);
		return NULL;
	}
	reason = fetch_credential(name, &bytes, &len);
	if (reason != NULL && source->checking) {
		diag_warning(diag, place->file, place->line, "'%s': cannot read the credential: %s",
			     place->key, reason);
		return "";
	}
	if (reason != NULL) {
		diag_error(diag, place->file, place->line, "'%s': cannot read the credential: %s",
			   place->key, reason);
		return NULL;
	}
	text = keep_content(source, bytes, len, place, diag);
	wiped_free(bytes);
	return text;
}

static const char *
read_env(struct source *source, const char *name, const struct source_place *place,
	 struct diag *diag)
{
	const char *reason = NULL;
	const struct secret *value = env_take(name, SOURCE_SIZE_MAX, &reason);

	if (value == NULL) {
		diag_error(diag, place->file, place->line,
			   "'%s': the environment variable that env: names is %s", place->key,
			   reason);
		return NULL;
	}
	return keep(source, secret_text(value), secret_len(value), place, diag);
}

static const char *
read_plain(struct source *source, const char *value, const struct source_place *place,
	   struct diag *diag)
{
	struct stat st;

	if (value[0] == '\0') {
		diag_error(diag, place->file, place->line,
			   "'%s': nothing follows plain:", place->key);
		return NULL;
	}
	if (stat(place->file, &st) == 0 && (st.st_mode & S_IROTH) != 0)
		diag_warning(diag, place->file, place->line,
			     "'%s': a secret within a file that everyone can read", place->key);
	return keep(source, value, strlen(value), place, diag);
}

const char *
source_read(struct source *source, const char *text, const struct source_place *place,
	    struct diag *diag)
{
	static const struct {
		const char *prefix;
		const char *(*read)(struct source *, const char *, const struct source_place *,
				    struct diag *);
	} kinds[] = {
		{ "file:", read_file },
		{ "credential:", read_credential },
		{ env_prefix, read_env },
		{ "plain:", read_plain },
	};

	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		size_t len = strlen(kinds[i].prefix);

		if (strncmp(text, kinds[i].prefix, len) == 0)
			return kinds[i].read(source, text + len, place, diag);
	}
	diag_error(diag, place->file, place->line,
		   "'%s': expected file:PATH, credential:NAME, env:NAME or plain:VALUE",
		   place->key);
	return NULL;
}

void
source_take_env(const char *text)
{
	const char *reason;

	if (text != NULL && strncmp(text, env_prefix, sizeof env_prefix - 1) == 0)
		(void)env_take(text + sizeof env_prefix - 1, SOURCE_SIZE_MAX, &reason);
}

void
source_done(struct source *source)
{
	for (size_t i = 0; i < source->nsecrets; i++)
		secret_free(source->secrets[i]);
	source->nsecrets = 0;
}
