/* SPDX-License-Identifier: Apache-2.0
 * test_image.c - what is loaded, what is refused and why, and when it goes away again. */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "module/file.h"
#include "rig.h"

#include "banned.h"

/* Modules of a copy of the fixtures' folder, so that a test may change them. */
struct folder {
	char *modules, *state;
};

static int
setup(void **out)
{
	struct folder *folder = calloc(1, sizeof *folder);

	assert_non_null(folder);
	folder->modules = rig_dir();
	folder->state = rig_dir();
	*out = folder;
	return 0;
}

/* Nothing that was loaded leaves a copy behind. */
static int
teardown(void **state)
{
	struct folder *folder = *state;

	assert_int_equal(rig_count(folder->state), 0);
	rig_remove(folder->modules);
	rig_remove(folder->state);
	free(folder);
	return 0;
}

static void
refused_from(const char *modules, const struct folder *folder, const char *name, const char *reason)
{
	struct status status;

	assert_null(rig_load(modules, folder->state, name, &status));
	rig_assert_has(status.text, name);
	rig_assert_has(status.text, reason);
	assert_int_equal(rig_count(folder->state), 0);
}

static void
refused(const struct folder *folder, const char *name, const char *reason)
{
	refused_from(folder->modules, folder, name, reason);
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
	const struct folder *folder = *state;
	struct status status;
	struct image *image = rig_load(FIXTURES, folder->state, "good", &status);

	assert_string_equal(status.text, "");
	assert_string_equal(image_module(image)->name, "good");
	assert_int_equal(image_module(image)->config.nkeys, 12);
#ifndef COSID_SANITIZED
	assert_int_equal(rig_count(folder->state), 1);
#endif
	image_unref(image);
}

/* What the compiler and a sanitizer add is no library of the module's own. */
static void
test_load__linked_with_more(void **state)
{
	const struct folder *folder = *state;
	struct status status;
	struct image *good = rig_load(FIXTURES, folder->state, "good", &status);
	struct image *linked = rig_load(FIXTURES "/linked", folder->state, "good", &status);

	assert_string_equal(status.text, "");
	assert_null(image_origin(good).foreign);
	assert_non_null(image_origin(linked).foreign);
	rig_assert_has(image_origin(linked).foreign, "libcurl");
	image_unref(good);
	image_unref(linked);
}

static void
test_load__broken(void **state)
{
	static const struct {
		const char *name, *reason;
	} cases[] = {
		{ "magic", "it is not a COSI module" },
		{ "major", "it is built for module API 2.0, this daemon has 1.0" },
		{ "minor", "it is built for module API 1.1, this daemon has 1.0" },
		{ "small", "its head gives an impossible size (40)" },
		{ "large", "its head gives an impossible size" },
		{ "symbol", "it is not a COSI module (no symbol cosi_module)" },
		{ "function", "it is not a COSI module" },
		{ "nameless", "its name, version or summary is missing" },
		{ "name", "it calls itself 'other'" },
		{ "protocols", "it names no known protocol" },
		{ "flags", "it has unknown flags" },
		{ "crash", "it crashes when it is loaded (SIGABRT)" },
		{ "unload", "it crashes when it is loaded (SIGABRT)" },
		{ "exit", RIG_EXITS },
		{ "undefined", "undefined symbol: nobody_has_this" },
		{ "key-outside", "its settings cannot be used: key 'text' lies outside" },
		{ "key-align", "key 'text' is not aligned" },
		{ "key-type", "key 'text' has the unknown type 99" },
		{ "key-twice", "key 'text' is there twice" },
		{ "key-default", "key 'flag' cannot take its default" },
		{ "key-choices", "key 'text' cannot take its default" },
		{ "key-help", "key 'text' has no help" },
		{ "key-name", "a key has a malformed name" },
		{ "param-secret",
		  "its bucket parameters cannot be used: parameter 'text' is a secret" },
		{ "param-word", "parameter 'backend' belongs to the daemon" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		refused_from(FIXTURES, *state, cases[i].name, cases[i].reason);
}

static void
test_load__bad_name(void **state)
{
	static const char *const names[] = {
		"", "../good", "Good", "a.b", "a/b", "abcdefghijklmnopqrstuvwxyz0123456"
	};

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		refused(*state, names[i], "a name is 1 to 32 of a-z, 0-9 and '-'");
	refused(*state, "abcdefghijklmnopqrstuvwxyz012345", "No such file");
}

static void
test_load__not_a_module_file(void **state)
{
	const struct folder *folder = *state;

	refused(folder, "absent", "absent.so': No such file or directory");
	rig_write(rig_path(folder->modules, "text.so"), "hello\n", 6);
	refused(folder, "text", "it is not a shared object");
	rig_write(rig_path(folder->modules, "empty.so"), "", 0);
	refused(folder, "empty", "it is empty");
	assert_int_equal(mkdir(rig_path(folder->modules, "dir.so"), 0755), 0);
	refused(folder, "dir", "it is a directory");
	assert_int_equal(mkfifo(rig_path(folder->modules, "fifo.so"), 0600), 0);
	refused(folder, "fifo", "it is not a regular file");
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
		refused(folder, "good", "its end is missing");
	}
	assert_int_equal(truncate(path, sizeof(Elf64_Ehdr) - 1), 0);
	refused(folder, "good", "its end is missing");
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
	refused(folder, "good", "it is built for another architecture (ELF machine 8, this is");
	path = take_good(folder);
	patch(path, EI_CLASS, &class, 1);
	refused(folder, "good", "it is built for another architecture (32 bits)");
	path = take_good(folder);
	patch(path, offsetof(Elf64_Ehdr, e_type), &executable, sizeof executable);
	refused(folder, "good", "it is not a shared object");
}

static void
test_load__writable_by_others(void **state)
{
	const struct folder *folder = *state;
	const char *path = take_good(folder);

	assert_int_equal(chmod(path, 0664), 0);
	refused(folder, "good", "others than its owner may write to it");
	assert_int_equal(chmod(path, 0646), 0);
	refused(folder, "good", "others than its owner may write to it");
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
	assert_null(rig_load(folder->modules, folder->state, "good", &status));
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
	refused(folder, "good", "it belongs to user 65534");
}

static void
test_load__size_limit(void **state)
{
	const struct folder *folder = *state;
	const char *path = take_good(folder);
	struct status status;

	assert_int_equal(truncate(path, (off_t)MODULE_SIZE_MAX + 1), 0);
	refused(folder, "good", "it is larger than 64 MiB");
	assert_int_equal(truncate(path, MODULE_SIZE_MAX), 0);
	image_unref(rig_load(folder->modules, folder->state, "good", &status));
	assert_string_equal(status.text, "");
}

static void
test_load__same_bytes_share(void **state)
{
	const struct folder *folder = *state;
	struct status status;
	struct image *one = rig_load(FIXTURES, folder->state, "good", &status);
	struct image *two;

	(void)take_good(folder);
	two = rig_load(folder->modules, folder->state, "good", &status);
	assert_ptr_equal(one, two);
	image_unref(one);
	assert_string_equal(image_module(two)->name, "good");
	image_unref(two);
}

/* Nor do they need a place for a copy. */
static void
test_load__same_bytes_are_not_copied(void **state)
{
	const struct folder *folder = *state;
	const char *nowhere = rig_path(folder->state, "nowhere");
	struct status status;
	struct image *one = rig_load(FIXTURES, folder->state, "good", &status);
	struct image *two = rig_load(FIXTURES, nowhere, "good", &status);

	assert_string_equal(status.text, "");
	assert_ptr_equal(one, two);
	image_unref(one);
	image_unref(two);
}

static void
test_load__several_at_once(void **state)
{
	const struct folder *folder = *state;
	struct image_wish wishes[] = { { .name = "crash" },
				       { .name = "good" },
				       { .name = "absent" } };

	images_load(wishes, 3, FIXTURES, folder->state);
	rig_assert_has(wishes[0].status.text, "it crashes when it is loaded");
	assert_non_null(wishes[1].image);
	rig_assert_has(wishes[2].status.text, "No such file");
	image_unref(wishes[1].image);
}

#ifndef COSID_SANITIZED /* which loads by path and never unloads */
static void
test_load__changed_file_lives_beside_the_old(void **state)
{
	const struct folder *folder = *state;
	struct status status;
	struct image *old, *new;

	(void)take_good(folder);
	old = rig_load(folder->modules, folder->state, "good", &status);
	rig_copy(FIXTURES "/2/good.so", rig_path(folder->modules, "new"));
	assert_int_equal(
		rename(rig_path(folder->modules, "new"), rig_path(folder->modules, "good.so")), 0);
	new = rig_load(folder->modules, folder->state, "good", &status);
	assert_string_equal(image_module(old)->version, "1.1");
	assert_string_equal(image_module(new)->version, "1.2");
	assert_int_equal(rig_count(folder->state), 2);
	image_unref(old);
	assert_int_equal(rig_count(folder->state), 1);
	assert_string_equal(image_module(new)->version, "1.2");
	image_unref(new);
}

/* What kills a daemon that maps the installed file itself. */
static void
test_load__overwritten_in_place(void **state)
{
	const struct folder *folder = *state;
	const char *path = take_good(folder);
	struct status status;
	struct image *image = rig_load(folder->modules, folder->state, "good", &status);

	assert_int_equal(truncate(path, 0), 0);
	assert_string_equal(image_module(image)->version, "1.1");
	assert_string_equal(image_module(image)->config.keys[0].name, "region");
	image_unref(image);
}
#endif

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_load__good, setup, teardown),
		cmocka_unit_test_setup_teardown(test_load__linked_with_more, setup, teardown),
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
		cmocka_unit_test_setup_teardown(test_load__same_bytes_are_not_copied, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_load__several_at_once, setup, teardown),
#ifndef COSID_SANITIZED
		cmocka_unit_test_setup_teardown(test_load__changed_file_lives_beside_the_old, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_load__overwritten_in_place, setup, teardown),
#endif
	};

	if (argc > 1)
		return rig_describe(argc, argv);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
