/* SPDX-License-Identifier: Apache-2.0
 * test_wipe.c - a secret that was read is in one place of the memory, wherever it came from. */
#include "fakes/wipe.h"

#include <fcntl.h>
#include <libconfig.h>
#include <sys/wait.h>

#include "files.h"

#include "banned.h"

struct settings {
	const char *key;
};
static const struct cosi_key keys[] = { COSI_SECRET(struct settings, key, COSI_REQUIRED, "key") };
static const struct cosi_module module = {
	COSI_MODULE_HEAD,
	.name = "m",
	.config = COSI_SCHEMA(struct settings, keys),
};

/* Buffers of stdio hold what the test itself has written. */
static void
put_secret(const char *name, const char *before, const char *after)
{
	int fd = open(files_path(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, before, strlen(before)), strlen(before));
	assert_int_equal(write(fd, wipe_secret(), WIPE_LEN), WIPE_LEN);
	assert_int_equal(write(fd, after, strlen(after)), strlen(after));
	(void)close(fd);
}

/* cosid.conf is there.  before: copies that the test has itself; left: what may stay. */
static void
check_copies(size_t before, size_t left)
{
	struct diag diag = { 0 };
	struct config *config = config_load(files_path("cosid.conf"), &diag);
	struct config_settings *owned = NULL;
	struct settings settings = { 0 };

	assert_non_null(config);
	config_take_env(config);
	(void)config_settings(config->backends, &module, false, &settings, &owned, &diag);
	assert_string_equal(files_lines(&diag), "");
	assert_memory_equal(settings.key, wipe_secret(), WIPE_LEN);
	config_forget(config);
	assert_in_range(wipe_count(), before + 1, before + 1 + left);
	config_settings_free(owned);
	config_unref(config);
	assert_in_range(wipe_count(), before, before + left);
}

#define BACKEND                                                                                    \
	NAME "backends = ( { name = \"b\"; module = \"m\"; "                                       \
	     "public_endpoint = \"http://127.0.0.1\"; key = \""

/* What libconfig leaves in its freed memory of a text and its value: nothing can be done about
 * that, and SECURITY.md says so.  In a child, whose memory is as fresh as this one's. */
static size_t
left_by_libconfig(void)
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (child == 0) {
		const char *value;
		char text[1024];
		config_t tree;
		size_t len;

		(void)snprintf(text, sizeof text, BACKEND "plain:%s\"; } );\n", wipe_secret());
		config_init(&tree);
		if (config_read_string(&tree, text) != CONFIG_TRUE ||
		    config_lookup_string(&tree, "backends.[0].key", &value) != CONFIG_TRUE)
			_exit(255);
		len = wipe_count() - 1; /* the value itself */
		config_destroy(&tree);
		_exit((int)len);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) < 10);
	return (size_t)WEXITSTATUS(status);
}

static void
test_plain(void **state)
{
	size_t left = left_by_libconfig();

	(void)state;
	assert_int_equal(wipe_count(), 0);
	put_secret("cosid.conf", BACKEND "plain:", "\"; } );\n");
	check_copies(0, left);
}

static void
test_file(void **state)
{
	size_t before = wipe_count();
	char text[1024];

	(void)state;
	put_secret("key", "", "\n");
	(void)snprintf(text, sizeof text, BACKEND "file:%s\"; } );\n", files_path("key"));
	(void)files_put("cosid.conf", text);
	check_copies(before, 0);
}

static void
test_credential(void **state)
{
	size_t before = wipe_count();

	(void)state;
	put_secret("key", "", "\n");
	(void)files_put("cosid.conf", BACKEND "credential:key\"; } );\n");
	assert_int_equal(setenv("CREDENTIALS_DIRECTORY", files_dir, 1), 0);
	check_copies(before, 0);
	assert_int_equal(unsetenv("CREDENTIALS_DIRECTORY"), 0);
}

/* It is refused once it has been read. */
static void
test_file__too_large(void **state)
{
	static char more[1 << 16];
	size_t before = wipe_count();
	struct diag diag = { 0 };
	struct config_settings *owned = NULL;
	struct settings settings = { 0 };
	struct config *config;
	char text[1024];

	(void)state;
	memset(more, 'x', sizeof more - 1);
	put_secret("key", "the secret: ", more);
	(void)snprintf(text, sizeof text, BACKEND "file:%s\"; } );\n", files_path("key"));
	(void)files_put("cosid.conf", text);
	config = config_load(files_path("cosid.conf"), &diag);
	assert_non_null(config);
	(void)config_settings(config->backends, &module, false, &settings, &owned, &diag);
	assert_int_equal(diag.nerrors, 1);
	config_settings_free(owned);
	config_unref(config);
	diag_done(&diag);
	assert_in_range(wipe_count(), 0, before);
}

/* No backend takes the secret out, because the file is malformed or its settings are refused. */
static void
test_plain__refused(void **state)
{
	static const char *const ends[] = { "\"; } );\nunknown = 1;\n", "\"; } ;\n" };

	(void)state;
	for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
		size_t left = left_by_libconfig(); /* with what was there before */
		struct diag diag = { 0 };

		put_secret("cosid.conf", BACKEND "plain:", ends[i]);
		config_unref(config_load(files_path("cosid.conf"), &diag));
		assert_true(diag.nerrors > 0);
		diag_done(&diag);
		assert_in_range(wipe_count(), 0, left);
	}
}

/* What is kept for the next reload is the one copy; the environment has none any more. */
static void
test_environment(void **state)
{
	size_t before = wipe_count();
	struct diag diag = { 0 };
	struct config *config;

	(void)state;
	(void)files_put("cosid.conf", BACKEND "env:WIPE_KEY\"; } );\n");
	assert_int_equal(setenv("WIPE_KEY", wipe_secret(), 1), 0);
	assert_int_equal(wipe_count(), before + 1);
	config = config_load(files_path("cosid.conf"), &diag);
	assert_non_null(config);
	config_take_env(config);
	config_unref(config);
	diag_done(&diag);
	assert_int_equal(wipe_count(), before + 1);
	assert_string_equal(getenv("WIPE_KEY"), "");
	check_copies(before + 1, 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),           cmocka_unit_test(test_file),
		cmocka_unit_test(test_file__too_large), cmocka_unit_test(test_plain__refused),
		cmocka_unit_test(test_credential),      cmocka_unit_test(test_environment),
	};

	return cmocka_run_group_tests(tests, files_setup, files_teardown);
}
