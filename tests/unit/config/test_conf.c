/* SPDX-License-Identifier: Apache-2.0
 * test_conf.c - the files of conf/ load as they are, and with every example line switched on. */
#include "config/config.h"

#include "files.h"

#include "banned.h"

/* The text of a file of conf/. */
static char *
text_of(const char *name)
{
	static char text[16384];
	char path[1024];
	FILE *file;
	size_t len;

	(void)snprintf(path, sizeof path, "%s/%s", CONF_DIR, name);
	file = fopen(path, "re");
	if (file == NULL)
		fail_msg("cannot open '%s'", path);
	len = fread(text, 1, sizeof text - 1, file);
	text[len] = '\0';
	(void)fclose(file);
	return text;
}

/* Takes the mark off lines like "    # retries = 2;". */
static void
switch_on(char *text)
{
	for (char *p = text; (p = strstr(p, "# ")) != NULL; p++) {
		size_t word = strspn(p + 2, "abcdefghijklmnopqrstuvwxyz_");

		if (word > 0 && strncmp(p + 2 + word, " = ", 3) == 0)
			p[0] = ' ';
	}
}

/* Loads an example as the one file of an include_dir. */
static struct config *
load_example(const char *name, bool all)
{
	char main_file[1200], *text = text_of(name);

	if (all)
		switch_on(text);
	(void)mkdir(files_path("conf.d"), 0700);
	(void)files_put("conf.d/x.conf", text);
	(void)snprintf(main_file, sizeof main_file, NAME "include_dir = \"%s\";\n",
		       files_path("conf.d"));
	return files_load(main_file);
}

static void
test_conf__main_file(void **state)
{
	struct config *config = files_load(text_of("cosid.conf"));

	(void)state;
	assert_string_equal(config->driver_name, "cosid.example.org");
	assert_int_equal(config->nbackends, 1);
	assert_string_equal(config->backends[0].module, "posix");
	assert_string_equal(config->backends[0].public_endpoint, "http://s3.example.org");
	config_unref(config);
}

static void
test_conf__main_file_with_includes(void **state)
{
	char text[18000], *head = text_of("cosid.conf"), *path;

	(void)state;
	switch_on(head);
	path = strstr(head, "/DIRECTORY/conf.d");
	assert_non_null(path);
	*path = '\0';
	(void)mkdir(files_path("conf.d"), 0700);
	(void)files_put("conf.d/x.conf", "backends = ( " POSIX("more") " );");
	(void)snprintf(text, sizeof text, "%s%s%s", head, files_path("conf.d"),
		       path + strlen("/DIRECTORY/conf.d"));
	config_unref(files_load(text));
}

/* A line with a mark shows the default, but for what has none. */
static void
check_defaults(const struct config_backend *backend)
{
	assert_true(backend->accept_new);
	assert_false(backend->insecure);
	assert_string_equal(backend->existing_buckets[0], "*");
	assert_null(backend->existing_buckets[1]);
	assert_int_equal(backend->connect_timeout_ms, 5000);
	assert_int_equal(backend->request_timeout_ms, 20000);
	assert_int_equal(backend->retries, 2);
}

static void
test_conf__examples(void **state)
{
	static const char *const modules[] = { "posix", "ceph-rgw", "minio", "azure" };
	char name[64];

	(void)state;
	for (size_t i = 0; i < sizeof modules / sizeof modules[0]; i++) {
		for (int all = 0; all <= 1; all++) {
			struct config *config;

			(void)snprintf(name, sizeof name, "conf.d/%s.conf.example", modules[i]);
			config = load_example(name, all == 1);
			assert_int_equal(config->nbackends, 1);
			assert_string_equal(config->backends[0].module, modules[i]);
			check_defaults(config->backends);
			assert_int_equal(config->backends[0].max_calls, all == 1 ? 16 : 0);
			assert_int_equal(config->nroutes, all == 1 && i > 0 ? 1 : 0);
			config_unref(config);
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_conf__main_file),
		cmocka_unit_test(test_conf__main_file_with_includes),
		cmocka_unit_test(test_conf__examples),
	};

	return cmocka_run_group_tests(tests, files_setup, files_teardown);
}
