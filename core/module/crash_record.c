/* SPDX-License-Identifier: Apache-2.0
 * crash_record.c - the text of the record, in memory and in its file. */
#include "module/crash_record.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/parse.h"
#include "base/trust.h"
#include "module/instance.h"

#include "banned.h"

enum { DIGEST_BYTES = 8, LONG_RUN_MS = 60 * 60 * 1000 };

/* A process has one record. */
static char *record_text; /* owned; NULL: nothing is known */
static char record_path[PATH_MAX];
static int record_fd = -1;  /* for appending; -1: there is no file */
static bool record_written; /* by this process, which serves */
static int64_t record_opened_ms;

/* "NAME DIGEST"; snprintf() of texts takes no lock and no memory. */
static void
record_subject(char *out, size_t size, const char *name, const unsigned char *digest)
{
	char hex[2 * DIGEST_BYTES + 1];

	parse_hex(digest, DIGEST_BYTES, hex);
	(void)snprintf(out, size, "%s %s", name, hex);
}

/* The rest of the line behind the word and a space; NULL: the line begins otherwise. */
static const char *
record_after(const char *line, const char *word)
{
	size_t len = strlen(word);

	return strncmp(line, word, len) == 0 && line[len] == ' ' ? line + len + 1 : NULL;
}

/* Not const, as strchr(). */
static char *
next_line(const char *line)
{
	char *end = strchr(line, '\n');

	/* A line that was cut off says nothing. */
	return end != NULL && end[1] != '\0' ? end + 1 : NULL;
}

/* Crashes of "NAME DIGEST" before end; NULL: in the whole record. */
static unsigned
count_crashes(const char *subject, size_t len, const char *end)
{
	unsigned n = 0;

	for (const char *line = record_text; line != end && line != NULL; line = next_line(line)) {
		const char *crash = record_after(line, "crash");

		n += crash != NULL && strncmp(crash, subject, len) == 0 && crash[len] == '\n';
	}
	return n;
}

/* Makes the crashes unreadable that no longer count because of an "end" after them. */
static void
forget_ended_crashes(char *text)
{
	for (const char *end = text; end != NULL; end = next_line(end)) {
		if (strncmp(end, "end\n", 4) != 0)
			continue;
		for (char *line = text; line != end; line = next_line(line)) {
			const char *crash = record_after(line, "crash");

			if (crash != NULL &&
			    count_crashes(crash, strcspn(crash, "\n"), end) < CRASH_RECORD_LIMIT)
				*line = '-'; /* "-rash" */
		}
	}
}

unsigned
crash_record_count(const char *name, const unsigned char digest[32])
{
	char subject[2 * MODULE_NAME_MAX + 2 * DIGEST_BYTES];

	record_subject(subject, sizeof subject, name, digest);
	return count_crashes(subject, strlen(subject), NULL);
}

uint32_t
crash_record_protocols(const char *name, const char *module)
{
	for (const char *line = record_text; line != NULL; line = next_line(line)) {
		const char *serves = record_after(line, "serves");
		const char *of = serves != NULL ? record_after(serves, name) : NULL;
		const char *protocols = of != NULL ? record_after(of, module) : NULL;

		if (protocols != NULL && chars_is_digit((unsigned char)*protocols))
			return (uint32_t)(*protocols - '0') & (COSI_S3 | COSI_AZURE | COSI_GCS);
	}
	return 0;
}

static void
record_read(void)
{
	char *text = calloc(1, CRASH_RECORD_MAX + 1);
	ssize_t n = text == NULL ? -1 : pread(record_fd, text, CRASH_RECORD_MAX, 0);

	if (n <= 0) {
		free(text);
		return;
	}
	text[n] = '\0';
	record_text = text;
	forget_ended_crashes(text);
}

int
crash_record_open(const char *path, struct status *status)
{
	char dir[PATH_MAX];

	record_opened_ms = clock_mono_ms();
	(void)snprintf(record_path, sizeof record_path, "%s", path);
	(void)snprintf(dir, sizeof dir, "%s", path);
	(void)mkdir(dirname(dir), 0700);
	if (trust_check(path, status) == 0) {
		record_fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (record_fd < 0)
			status_fail(status, COSI_UNAVAILABLE, "%s", strerrordesc_np(errno));
	}
	if (record_fd < 0)
		return status_fail(status, 0, "cannot open the record of crashes '%s'", path);
	record_read();
	return 0;
}

/* A backend that goes on from an earlier record keeps its crashes; one whose settings are not known
 * keeps all of them. */
static void
record_backend(FILE *file, const struct backend *backend)
{
	static const unsigned char unknown[32];
	const struct instance *instance = instance_of(backend);
	bool any = memcmp(instance->digest, unknown, sizeof unknown) == 0;
	char subject[2 * MODULE_NAME_MAX + 2 * DIGEST_BYTES];

	(void)fprintf(file, "serves %s %s %" PRIu32 "\n", backend->name, backend->config->module,
		      instance_protocols(backend));
	record_subject(subject, sizeof subject, backend->name, instance->digest);
	if (!any) {
		for (unsigned n = crash_record_count(backend->name, instance->digest); n > 0; n--)
			(void)fprintf(file, "crash %s\n", subject);
		return;
	}
	for (const char *line = record_text; line != NULL; line = next_line(line)) {
		const char *crash = record_after(line, "crash");

		if (crash != NULL && record_after(crash, backend->name) != NULL)
			(void)fprintf(file, "%.*s\n", (int)strcspn(line, "\n"), line);
	}
}

/* A reader finds the old record or the new one, and so does a thread that crashes at that moment:
 * until the new one has its name, record_fd is the old one's.  0 or -1 with errno. */
static int
record_replace(const char *temporary, const char *text, size_t len)
{
	CLEANUP_FD int fd = open(
		temporary, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
	ssize_t n;

	if (fd < 0)
		return -1;
	n = write(fd, text, len);
	if (n != (ssize_t)len || rename(temporary, record_path) != 0) {
		int error = n >= 0 && n < (ssize_t)len ? ENOSPC : errno;

		(void)unlink(temporary);
		errno = error;
		return -1;
	}
	return dup3(fd, record_fd, O_CLOEXEC) < 0 ? -1 : 0;
}

void
crash_record_write(const struct generation *generation)
{
	CLEANUP_FREE char *temporary = NULL;
	char *text = NULL;
	size_t len;
	FILE *file;

	if (record_fd < 0)
		return;
	file = open_memstream(&text, &len);
	if (file == NULL)
		return;
	for (size_t i = 0; i < generation->nbackends; i++)
		record_backend(file, &generation->backends[i]);
	if (fclose(file) != 0 || asprintf(&temporary, "%s.new", record_path) < 0) {
		free(text);
		temporary = NULL;
		return;
	}
	if (record_replace(temporary, text, len) == 0)
		record_written = true;
	else
		log_warning("cannot write the record of crashes '%s': %m", record_path);
	free(record_text);
	record_text = text;
}

void
crash_record_add(const struct backend *backend)
{
	char subject[2 * MODULE_NAME_MAX + 2 * DIGEST_BYTES];
	char line[sizeof subject + 16];
	int len;

	if (record_fd < 0 || backend->priv == NULL)
		return;
	record_subject(subject, sizeof subject, backend->name, instance_of(backend)->digest);
	len = snprintf(line, sizeof line, "%scrash %s\n",
		       clock_mono_ms() - record_opened_ms > LONG_RUN_MS ? "end\n" : "", subject);
	(void)!write(record_fd, line, (size_t)len);
}

void
crash_record_end(void)
{
	if (record_fd < 0)
		return;
	if (record_written)
		(void)!write(record_fd, "end\n", 4);
	(void)close(record_fd);
	record_fd = -1;
	record_written = false;
	free(record_text);
	record_text = NULL;
}
