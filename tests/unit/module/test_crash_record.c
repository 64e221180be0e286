/* SPDX-License-Identifier: Apache-2.0
 * test_crash_record.c - the file is the old record or the new one, whatever fails.
 */
#include "module/crash_record.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "backends.h"

#include "banned.h"

enum { TIMES = 100, NBACKENDS = 40 };

static int rename_error; /* 0: rename() works */

/* In the place of libc's. */
int
rename(const char *from, const char *to)
{
	if (rename_error == 0)
		return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
	errno = rename_error;
	return -1;
}

/* Two generations that differ in each line of their records. */
struct records {
	struct world *world;
	struct generation *of[2];
	char *text[2];
	const char *path;
};

static struct generation *
open_named(struct world *world, char letter)
{
	struct generation *generation;
	char *text = NULL, name[8];
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	for (int i = 0; i < NBACKENDS; i++) {
		(void)snprintf(name, sizeof name, "%c%d", letter, i);
		(void)fprintf(out, "%s%s", i > 0 ? ",\n" : "", entry(world, name, ""));
	}
	assert_int_equal(fclose(out), 0);
	generation = open_in_mode(world, text, GENERATION_START);
	assert_non_null(generation);
	free(text);
	return generation;
}

static char *
read_record(const struct records *records)
{
	size_t len;

	return rig_read(records->path, &len);
}

static void
records_open(struct records *records, struct world *world)
{
	struct status status = { 0 };

	*records = (struct records){ .world = world, .path = rig_path(world->dir, "admin/record") };
	assert_int_equal(crash_record_open(records->path, &status), 0);
	for (int i = 0; i < 2; i++) {
		records->of[i] = open_named(world, (char)('a' + i));
		crash_record_write(records->of[i]);
		records->text[i] = read_record(records);
	}
	assert_string_not_equal(records->text[0], records->text[1]);
}

static void
records_close(struct records *records)
{
	crash_record_end();
	for (int i = 0; i < 2; i++) {
		generation_unref(records->of[i]);
		free(records->text[i]);
	}
}

static void
assert_record(const struct records *records, const char *expected)
{
	char *text = read_record(records);

	assert_string_equal(text, expected);
	free(text);
}

/* The second record is there, and the first cannot be written. */
static void
assert_not_replaced(const struct records *records)
{
	crash_record_write(records->of[0]);
	assert_record(records, records->text[1]);
	assert_int_equal(access(rig_path(records->world->dir, "admin/record.new"), F_OK), -1);
}

struct reader {
	const struct records *records;
	atomic_bool end;
	atomic_uint nread[2], nother;
};

static void *
read_always(void *arg)
{
	struct reader *reader = arg;

	while (!atomic_load(&reader->end)) {
		char *text = read_record(reader->records);

		if (strcmp(text, reader->records->text[0]) == 0)
			atomic_fetch_add(&reader->nread[0], 1);
		else if (strcmp(text, reader->records->text[1]) == 0)
			atomic_fetch_add(&reader->nread[1], 1);
		else
			atomic_fetch_add(&reader->nother, 1);
		free(text);
	}
	return NULL;
}

static void
test_write__is_never_seen_half_done(void **state)
{
	struct records records;
	struct reader reader = { .records = &records };
	pthread_t thread;

	records_open(&records, *state);
	assert_int_equal(pthread_create(&thread, NULL, read_always, &reader), 0);
	/* Until the reader has met each often. */
	for (int i = 0;
	     atomic_load(&reader.nother) == 0 &&
	     (atomic_load(&reader.nread[0]) < TIMES || atomic_load(&reader.nread[1]) < TIMES);
	     i++)
		crash_record_write(records.of[i % 2]);
	atomic_store(&reader.end, true);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(reader.nother, 0);
	records_close(&records);
}

/* A limit for the size of files cuts a write short like a full disk does. */
static void
test_write__disk_is_full(void **state)
{
	struct records records;
	struct rlimit before, limit;

	records_open(&records, *state);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	assert_true(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
	limit = before;
	limit.rlim_cur = strlen(records.text[0]) / 2;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	assert_not_replaced(&records);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	records_close(&records);
}

static void
test_write__cannot_be_renamed(void **state)
{
	struct records records;
	char *text;

	records_open(&records, *state);
	rename_error = ENOSPC;
	assert_not_replaced(&records);
	rename_error = 0;
	/* A crash is recorded all the same. */
	crash_record_add(&records.of[1]->backends[0]);
	text = read_record(&records);
	assert_memory_equal(text, records.text[1], strlen(records.text[1]));
	rig_assert_has(text + strlen(records.text[1]), "crash b0 ");
	free(text);
	crash_record_write(records.of[0]);
	assert_record(&records, records.text[0]);
	records_close(&records);
}

/* Nor can the new file be made. */
static void
test_write__no_new_file(void **state)
{
	struct records records;

	records_open(&records, *state);
	assert_int_equal(mkdir(rig_path(records.world->dir, "admin/record.new"), 0700), 0);
	crash_record_write(records.of[0]);
	assert_record(&records, records.text[1]);
	records_close(&records);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_write__is_never_seen_half_done, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_write__disk_is_full, setup, teardown),
		cmocka_unit_test_setup_teardown(test_write__cannot_be_renamed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_write__no_new_file, setup, teardown),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
