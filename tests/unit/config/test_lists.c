/* SPDX-License-Identifier: Apache-2.0
 * test_lists.c - backends and routes of all files, and the limits of their number. */
#include "config/config.h"

#include "files.h"

#include "banned.h"

#define ONE NAME "backends = ( " POSIX("p") " );\n"

/* Fresh include_dir "d" with these files; NULL ends the names. */
static void
put_includes(const char *first, ...)
{
	const char *name = first;
	va_list ap;

	(void)nftw(files_path("d"), files_remove, 16, FTW_DEPTH | FTW_PHYS);
	assert_int_equal(mkdir(files_path("d"), 0700), 0);
	va_start(ap, first);
	for (; name != NULL; name = va_arg(ap, const char *)) {
		char path[300];

		(void)snprintf(path, sizeof path, "d/%s", name);
		(void)files_put(path, va_arg(ap, const char *));
	}
	va_end(ap);
}

static const char *
with_includes(const char *text)
{
	static char all[4096];

	(void)snprintf(all, sizeof all, "%sinclude_dir = \"%s\";\n", text, files_path("d"));
	return all;
}

static void
test_includes__byte_order_of_names(void **state)
{
	struct config *config;

	(void)state;
	put_includes(
		"b.conf", "backends = ( " POSIX("b") " );", "a.conf",
		"backends = ( " POSIX("a") " ); routes = ( { match = \"a\"; backend = \"b\"; } );",
		"B.conf", "backends = ( " POSIX("big") " );", ".hidden.conf", "nonsense",
		"c.conf.example", "nonsense", ".conf", "nonsense", "empty.conf", "", NULL);
	config = files_load(
		with_includes(ONE "routes = ( { match = \"x\"; backend = \"a\"; } );\n"));
	assert_int_equal(config->nbackends, 4);
	assert_string_equal(config->backends[0].name, "p");
	assert_string_equal(config->backends[1].name, "big");
	assert_string_equal(config->backends[2].name, "a");
	assert_string_equal(config->backends[3].name, "b");
	assert_string_equal(config->backends[3].file, files_path("d/b.conf"));
	assert_int_equal(config->nroutes, 2);
	assert_string_equal(config->routes[0].match, "x");
	assert_string_equal(config->routes[1].match, "a");
	config_unref(config);
}

static void
test_includes__backends_and_routes_alone(void **state)
{
	(void)state;
	put_includes("a.conf", "workers = 3;\nunknown = 1;\ninclude_dir = \"/x\";", "b.conf",
		     "backends = (", "c.conf", "routes = 1;", NULL);
	files_refuse(with_includes(ONE),
		     "d/a.conf:1: 'workers' is allowed in the main file only\n"
		     "d/a.conf:3: 'include_dir' is allowed in the main file only\n"
		     "d/a.conf:2: unknown key 'unknown'\n"
		     "d/b.conf:1: syntax error\n"
		     "d/c.conf:1: 'routes': expected a list ( ), found a number\n");
}

/* The file with the error has the backend, as far as anybody knows. */
static void
test_includes__unread_one_is_the_only_error(void **state)
{
	(void)state;
	put_includes("a.conf", "backends = ( " POSIX("a") "; );", NULL);
	files_refuse(with_includes(NAME "default_backend = \"a\";\n"
					"routes = ( { match = \"x\"; backend = \"a\"; } );\n"),
		     "d/a.conf:1: syntax error\n");
	put_includes("a.conf", "", NULL);
	files_refuse(with_includes(NAME "default_backend = \"a\";\n"),
		     "cosid.conf:2: 'default_backend': there is no backend 'a'\n"
		     "cosid.conf: warning: there is no backend: no bucket can be created\n");
}

static void
test_includes__directory_absent(void **state)
{
	(void)state;
	files_refuse(ONE "include_dir = \"/nowhere/conf.d\";\n",
		     "cosid.conf:3: 'include_dir': cannot read '/nowhere/conf.d': No such file or "
		     "directory\n");
	files_refuse(ONE "include_dir = \"conf.d\";\n",
		     "cosid.conf:3: 'include_dir': expected an absolute path\n");
}

static void
test_includes__directory_for_a_file(void **state)
{
	(void)state;
	put_includes(NULL);
	assert_int_equal(mkdir(files_path("d/x.conf"), 0700), 0);
	files_refuse(with_includes(ONE),
		     "d/x.conf: cannot read the configuration: this is a directory\n");
}

static void
test_includes__limit_of_files(void **state)
{
	char name[32];

	(void)state;
	put_includes(NULL);
	for (int i = 0; i < 256; i++) {
		(void)snprintf(name, sizeof name, "d/%03d.conf", i);
		(void)files_put(name, "");
	}
	config_unref(files_load(with_includes(ONE)));
	(void)files_put("d/256.conf", "");
	files_refuse(with_includes(ONE),
		     "cosid.conf:3: 'include_dir': cannot read 'd': the directory holds more "
		     "than 256 files *.conf\n");
}

static void
test_backends__same_name_twice(void **state)
{
	(void)state;
	files_refuse(NAME "backends = ( " POSIX("p") ",\n" POSIX("q") ",\n" POSIX("p") " );\n",
		     "cosid.conf:4: backend 'p' is already at cosid.conf:2\n");
	put_includes("a.conf", "\nbackends = (\n" POSIX("p") " );", NULL);
	files_refuse(with_includes(ONE), "d/a.conf:3: backend 'p' is already at cosid.conf:2\n");
}

static void
test_backends__names(void **state)
{
	static const char *const bad[] = {
		"-a", "a-", "A", "a.b", "a_b", "a b", "", "abcdefghijklmnopqrstuvwxyz0123456",
	};
	char text[512], lines[512];

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		(void)snprintf(text, sizeof text,
			       NAME "backends = (\n{ name = \"%s\";\nmodule = \"posix\"; } );\n",
			       bad[i]);
		(void)snprintf(
			lines, sizeof lines, "cosid.conf:3: 'name': %s\n",
			bad[i][0] == '\0'
				? "expected a text, found an empty one"
				: "expected 1 to 32 characters of a-z, 0-9 and '-', with a letter "
				  "or digit at both ends");
		files_refuse(text, lines);
	}
	config_unref(files_load(NAME "backends = ( " POSIX(
		"abcdefghijklmnopqrstuvwxyz012345") ", " POSIX("0") ", " POSIX("a--b") " );\n"));
}

static void
test_backends__entries(void **state)
{
	(void)state;
	files_refuse(
		NAME "backends = ( { },\n1,\n{ name = \"a\"; module = \"../x\";\nretries = 11;\n"
		     "accept_new = 1; endpoint = \"ftp://x\"; existing_buckets = \"a\"; } );\n",
		"cosid.conf:2: 'name' is required\n"
		"cosid.conf:2: 'module' is required\n"
		"cosid.conf:3: 'backends': expected groups { }, found a number\n"
		"cosid.conf:5: 'retries': expected a value within 0..10\n"
		"cosid.conf:6: 'accept_new': expected true or false, found a number\n"
		"cosid.conf:6: 'endpoint': expected a URL with http:// or https://\n"
		"cosid.conf:6: 'existing_buckets': expected a list of strings, found a string\n"
		"cosid.conf:4: 'module': expected 1 to 32 characters of a-z, 0-9 and '-', with a "
		"letter or digit at both ends\n");
}

static void
test_routes__name_backends(void **state)
{
	(void)state;
	files_refuse(ONE
		     "routes = ( { match = \"a\"; backend = \"p\"; },\n"
		     "{ match = \"b\";\nbackend = \"q\"; },\n{ backend = \"p\"; when = 1; } );\n"
		     "default_backend = \"r\";\n",
		     "cosid.conf:5: 'backend': there is no backend 'q'\n"
		     "cosid.conf:6: unknown key 'when'\n"
		     "cosid.conf:6: 'match' is required\n"
		     "cosid.conf:7: 'default_backend': there is no backend 'r'\n");
}

/* A text with that many entries like the one given, which may use %d. */
static char *
many(const char *head, const char *key, const char *entry, int n)
{
	size_t size = strlen(head) + 64 + (size_t)n * (strlen(entry) + 8), len;
	char *text = test_malloc(size);

	len = (size_t)snprintf(text, size, "%s%s = (\n", head, key);
	for (int i = 0; i < n; i++) {
		const char *mark = strchr(entry, '#');

		len += (size_t)snprintf(text + len, size - len, "%.*s%d%s%s\n", (int)(mark - entry),
					entry, i, mark + 1, i + 1 < n ? "," : " );");
	}
	return text;
}

static void
check_limit(const char *head, const char *key, const char *entry, int most, const char *lines)
{
	char *text = many(head, key, entry, most);

	config_unref(files_load(text));
	test_free(text);
	text = many(head, key, entry, most + 1);
	files_refuse(text, lines);
	test_free(text);
}

static void
test_limits__backends_and_routes(void **state)
{
	(void)state;
	check_limit(NAME, "backends", "{ name = \"b#\"; module = \"posix\"; }", 64,
		    "cosid.conf:67: more than 64 backends\n");
	check_limit(ONE, "routes", "{ match = \"b#\"; backend = \"p\"; }", 256,
		    "cosid.conf:260: more than 256 routes\n");
}

static void
test_limits__over_all_files(void **state)
{
	char *text = many("", "backends", "{ name = \"b#\"; module = \"posix\"; }", 63);

	(void)state;
	put_includes("a.conf", text, NULL);
	config_unref(files_load(with_includes(ONE)));
	put_includes("a.conf", text, "b.conf", "backends = ( " POSIX("last") " );", NULL);
	files_refuse(with_includes(ONE), "d/b.conf:1: more than 64 backends\n");
	test_free(text);
}

static void
test_limits__globs(void **state)
{
	char glob[257], text[1024];

	(void)state;
	memset(glob, 'g', sizeof glob);
	glob[255] = '\0';
	(void)snprintf(text, sizeof text,
		       ONE "routes = ( { match = \"%s\"; backend = \"p\"; } );\n", glob);
	config_unref(files_load(text));
	glob[255] = 'g';
	glob[256] = '\0';
	(void)snprintf(text, sizeof text,
		       ONE "routes = ( { match = \"%s\"; backend = \"p\"; } );\n", glob);
	files_refuse(text, "cosid.conf:3: 'match': a pattern is longer than 255 bytes\n");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_includes__byte_order_of_names),
		cmocka_unit_test(test_includes__backends_and_routes_alone),
		cmocka_unit_test(test_includes__unread_one_is_the_only_error),
		cmocka_unit_test(test_includes__directory_absent),
		cmocka_unit_test(test_includes__directory_for_a_file),
		cmocka_unit_test(test_includes__limit_of_files),
		cmocka_unit_test(test_backends__same_name_twice),
		cmocka_unit_test(test_backends__names),
		cmocka_unit_test(test_backends__entries),
		cmocka_unit_test(test_routes__name_backends),
		cmocka_unit_test(test_limits__backends_and_routes),
		cmocka_unit_test(test_limits__over_all_files),
		cmocka_unit_test(test_limits__globs),
	};

	return cmocka_run_group_tests(tests, files_setup, files_teardown);
}
