/* SPDX-License-Identifier: Apache-2.0
 * rig.c - helpers that end the test when the machine fails them. */
#include "rig.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"

#include "banned.h"

/* Every program here is also the child that loads modules.  Before main(): a program that forgot to
 * ask would run its tests in the child, which starts a child, and so on without end. */
__attribute__((constructor)) static void
be_load_check_child(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], LOAD_CHECK_OPTION) == 0)
		_exit(load_check_child());
}

char *
rig_dir(void)
{
	const char *tmp = getenv("TMPDIR");
	char *dir;

	assert_true(asprintf(&dir, "%s/cosid-test.XXXXXX", tmp != NULL ? tmp : "/tmp") > 0);
	assert_non_null(mkdtemp(dir));
	return dir;
}

static void
remove_all(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir != NULL && (entry = readdir(dir)) != NULL) {
		char *inner;

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		assert_true(asprintf(&inner, "%s/%s", path, entry->d_name) > 0);
		if (unlink(inner) != 0)
			remove_all(inner);
		free(inner);
	}
	if (dir != NULL)
		(void)closedir(dir);
	assert_int_equal(rmdir(path), 0);
}

void
rig_remove(char *dir)
{
	remove_all(dir);
	free(dir);
}

const char *
rig_path(const char *dir, const char *name)
{
	static char buffers[8][4096];
	static size_t next;
	char *path = buffers[next++ % 8];
	int len = snprintf(path, sizeof buffers[0], "%s/%s", dir, name);

	assert_in_range(len, 1, sizeof buffers[0] - 1);
	return path;
}

void
rig_write(const char *path, const void *bytes, size_t len)
{
	FILE *file = fopen(path, "we");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(chmod(path, 0644), 0);
}

char *
rig_read(const char *path, size_t *out_len)
{
	FILE *file = fopen(path, "re");
	struct stat st;
	char *bytes;

	assert_non_null(file);
	assert_int_equal(fstat(fileno(file), &st), 0);
	bytes = calloc(1, (size_t)st.st_size + 1);
	assert_non_null(bytes);
	*out_len = fread(bytes, 1, (size_t)st.st_size, file);
	(void)fclose(file);
	return bytes;
}

void
rig_copy(const char *from, const char *to)
{
	size_t len;
	char *bytes = rig_read(from, &len);

	rig_write(to, bytes, len);
	free(bytes);
}

size_t
rig_count_fds(void)
{
	DIR *dir = opendir("/proc/self/fd");
	size_t n = 0;

	assert_non_null(dir);
	while (readdir(dir) != NULL)
		n++;
	(void)closedir(dir);
	return n;
}

struct image *
rig_load(const char *module_dir, const char *name, struct status *status)
{
	struct load_check check;
	struct image *image;

	*status = (struct status){ 0 };
	load_check_init(&check, LOAD_CHECK_LIMIT_MS);
	image = image_load(module_dir, name, &check, status);
	load_check_end(&check);
	assert_int_equal(image != NULL, status_ok(status));
	return image;
}

static void
make_call(struct rig_call *rig)
{
	static const atomic_bool never;

	arena_init(&rig->arena, 1 << 20);
	rig->call = (struct module_call){
		.arena = &rig->arena,
		.status = &rig->status,
		.backend = &rig->backend,
		.deadline_ms = CLOCK_NEVER,
		.cancelled = &never,
	};
	module_call_init(&rig->call);
}

void
rig_call_init(struct rig_call *rig)
{
	memset(rig, 0, sizeof *rig);
	rig->module.name = "liar";
	rig->module.protocols = COSI_S3;
	rig->config.name = "b1";
	rig->backend = (struct backend){
		.name = "b1",
		.config = &rig->config,
		.module = &rig->module,
		.public_url = "https://s3.example.org",
		.priv = &rig->instance,
	};
	make_call(rig);
}

void
rig_call_done(struct rig_call *rig)
{
	arena_done(&rig->arena);
}

int
rig_call_setup(void **state)
{
	struct rig_call *rig = malloc(sizeof *rig);

	assert_non_null(rig);
	rig_call_init(rig);
	rig->module.flags = COSI_NETWORK;
	*state = rig;
	return 0;
}

int
rig_call_teardown(void **state)
{
	rig_call_done(*state);
	free(*state);
	return 0;
}

void
rig_has(const char *text, const char *part, const char *file, int line)
{
	if (strstr(text, part) != NULL)
		return;
	print_error("'%s'\n  lacks '%s'\n", text, part);
	_fail(file, line);
}
