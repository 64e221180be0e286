/* SPDX-License-Identifier: Apache-2.0
 * source.c - fetches secrets, and refuses what looks like a mistake. */
#include "config/load.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

#include "banned.h"

/* With the line break that is dropped. */
enum { SOURCE_FILE_MAX = SOURCE_SIZE_MAX + 1 };
static const char env_prefix[] = "env:";
static const char too_large[] = "larger than 64 KiB";
_Static_assert(SOURCE_SIZE_MAX == 64 << 10, "too_large says so");

/* One secret that is being read. */
struct source_reader {
	struct source *source;
	const struct source_location *location;
	struct diag *diag;
};

/* Reports what is wrong with the secret; returns NULL. */
static const char *__attribute__((format(printf, 2, 3)))
source_error(const struct source_reader *reader, const char *fmt, ...)
{
	const struct source_location *location = reader->location;
	CLEANUP_FREE char *text = NULL;
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (len < 0)
		text = NULL;
	diag_error(reader->diag, location->file, location->line, "'%s': %s", location->key,
		   text != NULL ? text : "out of memory");
	return NULL;
}

static void
source_warning(const struct source_reader *reader, const char *what, const char *path)
{
	const struct source_location *location = reader->location;

	diag_warning(reader->diag, location->file, location->line, "'%s': %s '%s'", location->key,
		     what, path);
}

/* No store takes control bytes, in a key or in a header: most of them came with an editor. */
static const char *
store_secret(const struct source_reader *reader, const char *bytes, size_t len)
{
	struct source *source = reader->source;
	struct secret *secret = NULL;

	for (size_t i = 0; i < len; i++) {
		unsigned char byte = (unsigned char)bytes[i];

		if (byte == '\r' && i + 1 == len)
			return source_error(reader, "the secret has a carriage return at its end");
		if (byte < ' ' || byte == 0x7f)
			return source_error(reader,
					    "the secret has a control byte, 0x%02x, at offset %zu",
					    byte, i);
	}
	if (source->nsecrets == SOURCE_SECRETS_MAX)
		return source_error(reader, "the backend has more than %d secrets",
				    SOURCE_SECRETS_MAX);
	secret = secret_new(bytes, len);
	if (secret == NULL)
		return source_error(reader, "out of memory");
	source->secrets[source->nsecrets++] = secret;
	return secret_text(secret);
}

/* A file's content, from file_read(), less the line break that editors put at its end. */
static const char *
store_content(const struct source_reader *reader, char *bytes, size_t len)
{
	const char *text;

	if (len > 0 && bytes[len - 1] == '\n')
		len--;
	if (len == 0)
		text = source_error(reader, "the secret's file is empty");
	else if (len > SOURCE_SIZE_MAX)
		text = source_error(reader, "the secret's file is %s", too_large);
	else if (memchr(bytes, '\0', len) != NULL)
		text = source_error(reader,
				    "the secret's file holds a NUL; write binary keys as base64");
	else
		text = store_secret(reader, bytes, len);
	wiped_free(bytes);
	return text;
}

static const char *
read_file(const struct source_reader *reader, const char *path)
{
	struct status status = { 0 };
	struct stat st;
	size_t len;
	char *bytes;

	if (path[0] != '/')
		return source_error(reader, "expected an absolute path after file:");
	bytes = file_read(path, SOURCE_FILE_MAX, &len, &st, &status);
	if (bytes == NULL)
		return source_error(reader, "cannot read the secret's file '%s': %s", path,
				    status.text);
	if ((st.st_mode & S_IROTH) != 0)
		source_warning(reader, "everyone can read the secret's file", path);
	return store_content(reader, bytes, len);
}

static const char *
read_credential(const struct source_reader *reader, const char *name)
{
	const char *dir = getenv("CREDENTIALS_DIRECTORY");
	struct status status = { 0 };
	CLEANUP_FREE char *path = NULL;
	char *bytes = NULL;
	struct stat st;
	size_t len;

	if (name[0] == '\0' || name[0] == '.' || strchr(name, '/') != NULL)
		return source_error(reader, "expected the name of a credential after credential:, "
					    "without '/'");
	if (dir == NULL) {
		status_fail(&status, COSI_INVALID,
			    "$CREDENTIALS_DIRECTORY is not set: only the systemd unit has "
			    "credentials");
	} else if (dir[0] != '/') {
		status_fail(&status, COSI_INVALID,
			    "$CREDENTIALS_DIRECTORY is not an absolute path");
	} else if (asprintf(&path, "%s/%s", dir, name) < 0) {
		path = NULL;
		status_no_memory(&status);
	} else {
		bytes = file_read(path, SOURCE_FILE_MAX, &len, &st, &status);
	}
	if (bytes != NULL)
		return store_content(reader, bytes, len);
	if (!reader->source->checking)
		return source_error(reader, "cannot read the credential: %s", status.text);
	diag_warning(reader->diag, reader->location->file, reader->location->line,
		     "'%s': cannot read the credential: %s", reader->location->key, status.text);
	return "";
}

static const char *
read_env(const struct source_reader *reader, const char *name)
{
	const char *reason = NULL;
	const struct secret *value = source_env(name, SOURCE_SIZE_MAX, &reason);

	if (value == NULL)
		return source_error(reader, "the environment variable that env: names is %s",
				    reason);
	return store_secret(reader, secret_text(value), secret_len(value));
}

static const char *
read_plain(const struct source_reader *reader, const char *value)
{
	struct stat st;

	if (value[0] == '\0')
		return source_error(reader, "expected a value after plain:");
	if (stat(reader->location->file, &st) == 0 && (st.st_mode & S_IROTH) != 0)
		source_warning(reader, "everyone can read the file of this secret",
			       reader->location->file);
	return store_secret(reader, value, strlen(value));
}

const char *
source_read(struct source *source, const char *text, const struct source_location *location,
	    struct diag *diag)
{
	static const struct {
		const char *prefix;
		const char *(*read)(const struct source_reader *, const char *rest);
	} kinds[] = {
		{ "file:", read_file },
		{ "credential:", read_credential },
		{ env_prefix, read_env },
		{ "plain:", read_plain },
	};
	const struct source_reader reader = { source, location, diag };

	for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
		size_t len = strlen(kinds[i].prefix);

		if (strncmp(text, kinds[i].prefix, len) == 0)
			return kinds[i].read(&reader, text + len);
	}
	return source_error(&reader,
			    "expected file:PATH, credential:NAME, env:NAME or plain:VALUE");
}

void
source_done(struct source *source)
{
	for (size_t i = 0; i < source->nsecrets; i++)
		secret_free(source->secrets[i]);
	source->nsecrets = 0;
}

/* ---- the environment ----
 *
 * A variable that was taken stays, empty: to remove it would move the others under threads that
 * call getenv(). */

struct taken_variable {
	struct taken_variable *next;
	struct secret *value; /* owned */
	char name[];
};

/* Process-wide, as the environment is. */
static struct taken_variable *taken_variables;

const struct secret *
source_env(const char *name, size_t most, const char **out_reason)
{
	struct taken_variable *taken = taken_variables;
	char *text = getenv(name);
	size_t len = text != NULL ? strlen(text) : 0, size = strlen(name) + 1;
	struct secret *value;

	while (taken != NULL && strcmp(taken->name, name) != 0)
		taken = taken->next;
	if (text == NULL || len > most || (len == 0 && taken == NULL)) {
		*out_reason = text == NULL ? "not set" : len == 0 ? "empty" : too_large;
		return NULL;
	}
	if (len == 0)
		return taken->value;
	value = secret_new(text, len);
	if (value != NULL && taken == NULL && (taken = malloc(sizeof *taken + size)) != NULL) {
		*taken = (struct taken_variable){ .next = taken_variables };
		memcpy(taken->name, name, size);
		taken_variables = taken;
	}
	if (value == NULL || taken == NULL) {
		secret_free(value);
		*out_reason = "too large for the memory that is left";
		return NULL;
	}
	explicit_bzero(text, len);
	secret_free(taken->value);
	return taken->value = value;
}

void
source_take_env(const char *text)
{
	const char *reason;

	if (text != NULL && strncmp(text, env_prefix, sizeof env_prefix - 1) == 0)
		(void)source_env(text + sizeof env_prefix - 1, SOURCE_SIZE_MAX, &reason);
}
