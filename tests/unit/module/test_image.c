/* SPDX-License-Identifier: Apache-2.0
 * test_image.c - what is loaded, what is refused and why, and when it goes away again. */
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "module/file.h"
#include "rig.h"

#include "banned.h"

/* Modules of a copy of the fixtures' folder, so that a test may change them. */
struct folder {
	char *modules;
	size_t nfds;
};

static int
setup(void **out)
{
	struct folder *folder = calloc(1, sizeof *folder);

	assert_non_null(folder);
	folder->modules = rig_dir();
	folder->nfds = rig_count_fds();
	*out = folder;
	return 0;
}

/* Nothing that was loaded leaves a descriptor behind. */
static int
teardown(void **state)
{
	struct folder *folder = *state;

#ifndef COSID_SANITIZED /* which never unloads */
	assert_int_equal(rig_count_fds(), folder->nfds);
#endif
	rig_remove(folder->modules);
	free(folder);
	return 0;
}

static void
refused_from(const char *modules, const char *name, const char *reason)
{
	struct status status;

	assert_null(rig_load(modules, name, &status));
	rig_assert_has(status.text, name);
	rig_assert_has(status.text, reason);
}

static void
refused(const struct folder *folder, const char *name, const char *reason)
{
	refused_from(folder->modules, name, reason);
}

static const char *
take_good(const struct folder *folder)
{
	const char *path = rig_path(folder->modules, "good.so");

	rig_copy(FIXTURES "/good.so", path);
	return path;
}

static void
test_load__good(void **state)
{
	struct status status;
	struct image *image = rig_load(FIXTURES, "good", &status);

	(void)state;
	assert_string_equal(status.text, "");
	assert_string_equal(image->loaded.module.name, "good");
	assert_int_equal(image->loaded.module.config.nkeys, 12);
	image_unref(image);
}

static void
test_load__broken(void **state)
{
	static const struct {
		const char *name, *reason;
	} cases[] = {
		{ "magic", "the file is not a COSI module" },
		{ "major", "the module is built for module API 2.1, cosid has 1.1" },
		{ "minor", "the module is built for module API 1.2, cosid has 1.1" },
		{ "small", "the module's head gives an impossible size (40)" },
		{ "large", "the module's head gives an impossible size" },
		{ "symbol",
		  "the file is not a COSI module (it does not define the symbol 'cosi_module')" },
		{ "function", "the file is not a COSI module" },
		{ "nameless", "the module lacks a name, a version or a summary" },
		{ "name", "the module's name is 'other'" },
		{ "protocols", "the module names no known protocol" },
		{ "flags", "the module has unknown flags" },
		{ "crash", "loading crashed (SIGABRT)" },
		{ "unload", "loading crashed (SIGABRT)" },
		{ "exit", RIG_EXITS },
		{ "undefined", "undefined symbol: nobody_has_this" },
		{ "key-outside", "the module's settings are malformed: key 'text' lies outside" },
		{ "key-align", "key 'text' is not aligned" },
		{ "key-type", "key 'text' has the unknown type 99" },
		{ "key-twice", "key 'text' is there twice" },
		{ "key-default", "key 'flag' cannot take its default" },
		{ "key-choices", "key 'text' cannot take its default" },
		{ "key-help", "key 'text' has no help" },
		{ "key-name", "a key has a malformed name" },
		{ "param-secret",
		  "the module's bucket parameters are malformed: parameter 'text' is a secret" },
		{ "param-word", "parameter 'backend' belongs to the daemon" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		refused_from(FIXTURES, cases[i].name, cases[i].reason);
}

static void
test_load__bad_name(void **state)
{
	static const char *const names[] = {
		"", "../good", "Good", "a.b", "a/b", "abcdefghijklmnopqrstuvwxyz0123456"
	};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		refused(*state, names[i], "a module's name is 1 to 32 of a-z, 0-9 and '-'");
	refused(*state, "abcdefghijklmnopqrstuvwxyz012345", "No such file");
}

static void
test_load__not_a_module_file(void **state)
{
	const struct folder *folder = *state;

	refused(folder, "absent", "absent.so': No such file or directory");
	rig_write(rig_path(folder->modules, "text.so"), "hello\n", 6);
	rig_write(rig_path(folder->modules, "more.so"), "hello\n", 6);
	rig_write(rig_path(folder->modules, ".more.so"), "hello\n", 6);
	refused(folder, "absent",
		"absent.so': No such file or directory: the modules there are more, text");
	refused(folder, "text", "the file is not a shared object");
	rig_write(rig_path(folder->modules, "empty.so"), "", 0);
	refused(folder, "empty", "the file is empty");
	assert_int_equal(mkdir(rig_path(folder->modules, "dir.so"), 0755), 0);
	refused(folder, "dir", "the path is a directory");
	assert_int_equal(mkfifo(rig_path(folder->modules, "fifo.so"), 0600), 0);
	refused(folder, "fifo", "the path is not a regular file");
	assert_int_equal(symlink("loop.so", rig_path(folder->modules, "loop.so")), 0);
	refused(folder, "loop", "Too many levels of symbolic links");
}

/* As if it were cut at every kilobyte, and just before its end. */
static void
test_load__half_written(void **state)
{
	const struct folder *folder = *state;
	const char *path = take_good(folder);
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	for (off_t size = st.st_size - 1; size > (off_t)sizeof(Elf64_Ehdr); size -= 1024) {
		assert_int_equal(truncate(path, size), 0);
		refused(folder, "good", "the file is truncated");
	}
	assert_int_equal(truncate(path, sizeof(Elf64_Ehdr) - 1), 0);
	refused(folder, "good", "the file is truncated");
}

static void
patch(const char *path, off_t at, const void *bytes, size_t len)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, bytes, len, at), len);
	(void)close(fd);
}

static void
test_load__other_architecture(void **state)
{
	const struct folder *folder = *state;
	const char *path = take_good(folder);
	const uint16_t machine = EM_MIPS, executable = ET_EXEC;
	const uint8_t class = ELFCLASS32;

	patch(path, offsetof(Elf64_Ehdr, e_machine), &machine, sizeof machine);
	refused(folder, "good", "the file is built for another architecture (ELF machine 8, class");
	path = take_good(folder);
	patch(path, EI_CLASS, &class, 1);
	refused(folder, "good",
		"the file is built for another architecture (ELF machine 62, class 1;");
	path = take_good(folder);
	patch(path, offsetof(Elf64_Ehdr, e_type), &executable, sizeof executable);
	refused(folder, "good", "the file is not a shared object");
}

static void
test_load__writable_by_others(void **state)
{
	const struct folder *folder = *state;
	const char *path = take_good(folder);

	assert_int_equal(chmod(path, 0664), 0);
	refused(folder, "good", "users other than its owner may write to '");
	assert_int_equal(chmod(path, 0646), 0);
	refused(folder, "good", "users other than its owner may write to '");
}

static void
test_load__no_permission(void **state)
{
	const struct folder *folder = *state;
	const char *path = take_good(folder);
	uid_t uid = geteuid();
	struct status status;

	assert_int_equal(chmod(path, 0), 0);
	assert_int_equal(chmod(folder->modules, 0755), 0);
	assert_int_equal(seteuid(uid == 0 ? 65534 : uid), 0);
	assert_null(rig_load(folder->modules, "good", &status));
	assert_int_equal(seteuid(uid), 0);
	rig_assert_has(status.text, "good.so': Permission denied");
}

static void
test_load__foreign_owner(void **state)
{
	const struct folder *folder = *state;
	const char *path = take_good(folder);

	if (geteuid() != 0)
		fail_msg("this test needs root");
	assert_int_equal(chown(path, 65534, 65534), 0);
	refused(folder, "good", "belongs to user 65534");
}

static void
test_load__size_limit(void **state)
{
	const struct folder *folder = *state;
	const char *path = take_good(folder);
	struct status status;

	assert_int_equal(truncate(path, (off_t)MODULE_SIZE_MAX + 1), 0);
	refused(folder, "good", "the file is larger than 64 MiB");
	assert_int_equal(truncate(path, MODULE_SIZE_MAX), 0);
	image_unref(rig_load(folder->modules, "good", &status));
	assert_string_equal(status.text, "");
}

static void
test_load__same_bytes_share(void **state)
{
	const struct folder *folder = *state;
	struct status status;
	struct image *one = rig_load(FIXTURES, "good", &status);
	struct image *two;

	(void)take_good(folder);
	two = rig_load(folder->modules, "good", &status);
	assert_ptr_equal(one, two);
	image_unref(one);
	assert_string_equal(two->loaded.module.name, "good");
	image_unref(two);
}

#ifndef COSID_SANITIZED
/* What the loader keeps must not become the next file that gets the same descriptor. */
static void
test_load__code_that_stays(void **state)
{
	const struct folder *folder = *state;
	struct status status;
	struct image *image;

	for (int i = 0; i < 3; i++) {
		image = rig_load(FIXTURES "/stays", "good", &status);
		assert_string_equal(image->loaded.module.version, "1.3");
		image_unref(image);
		image = rig_load(FIXTURES "/2", "good", &status);
		assert_string_equal(image->loaded.module.version, "1.2");
		image_unref(image);
	}
	((struct folder *)(uintptr_t)folder)->nfds = rig_count_fds();
}
#endif

/* Debuggers find the module's symbols by the name in the loader's list. */
static void
test_load__loader_knows_the_installed_file(void **state)
{
	struct status status;
	struct image *image = rig_load(FIXTURES, "good", &status);
	struct link_map *map;

	(void)state;
	assert_int_equal(dlinfo(image->loaded.handle, RTLD_DI_LINKMAP, &map), 0);
	assert_string_equal(map->l_name, FIXTURES "/good.so");
	image_unref(image);
}

#ifndef COSID_SANITIZED /* which loads by path and never unloads */
static void
test_load__changed_file_lives_beside_the_old(void **state)
{
	const struct folder *folder = *state;
	struct status status;
	struct image *old, *new;

	(void)take_good(folder);
	old = rig_load(folder->modules, "good", &status);
	rig_copy(FIXTURES "/2/good.so", rig_path(folder->modules, "new"));
	assert_int_equal(
		rename(rig_path(folder->modules, "new"), rig_path(folder->modules, "good.so")), 0);
	new = rig_load(folder->modules, "good", &status);
	assert_string_equal(old->loaded.module.version, "1.1");
	assert_string_equal(new->loaded.module.version, "1.2");
	image_unref(old);
	assert_string_equal(new->loaded.module.version, "1.2");
	image_unref(new);
}

/* What kills a daemon that maps the installed file itself. */
static void
test_load__overwritten_in_place(void **state)
{
	const struct folder *folder = *state;
	const char *path = take_good(folder);
	struct status status;
	struct image *image = rig_load(folder->modules, "good", &status);

	assert_int_equal(truncate(path, 0), 0);
	assert_string_equal(image->loaded.module.version, "1.1");
	assert_string_equal(image->loaded.module.config.keys[0].name, "region");
	image_unref(image);
}
#endif

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_load__good, setup, teardown),
		cmocka_unit_test_setup_teardown(test_load__broken, setup, teardown),
		cmocka_unit_test_setup_teardown(test_load__bad_name, setup, teardown),
		cmocka_unit_test_setup_teardown(test_load__not_a_module_file, setup, teardown),
		cmocka_unit_test_setup_teardown(test_load__half_written, setup, teardown),
		cmocka_unit_test_setup_teardown(test_load__other_architecture, setup, teardown),
		cmocka_unit_test_setup_teardown(test_load__writable_by_others, setup, teardown),
		cmocka_unit_test_setup_teardown(test_load__no_permission, setup, teardown),
		cmocka_unit_test_setup_teardown(test_load__foreign_owner, setup, teardown),
		cmocka_unit_test_setup_teardown(test_load__size_limit, setup, teardown),
		cmocka_unit_test_setup_teardown(test_load__same_bytes_share, setup, teardown),
		cmocka_unit_test_setup_teardown(test_load__loader_knows_the_installed_file, setup,
						teardown),
#ifndef COSID_SANITIZED
		cmocka_unit_test_setup_teardown(test_load__code_that_stays, setup, teardown),
		cmocka_unit_test_setup_teardown(test_load__changed_file_lives_beside_the_old, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_load__overwritten_in_place, setup, teardown),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
