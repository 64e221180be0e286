/* SPDX-License-Identifier: Apache-2.0
 * test_torture.c - loading while memory runs out, and random texts. */
#include "config/load.h"

#include "files.h"

#include "banned.h"

static const char whole[] = NAME
	"owner = \"o\"; endpoint = \"unix:///tmp/x.sock\"; socket_mode = \"0600\";\n"
	"allowed_peers = { uids = [ 0, 1000 ]; gids = ( 1 ); }; module_dir = \"/m\";\n"
	"state_dir = \"/s\"; call_timeout = \"1m\"; create_settle = \"0s\"; workers = 2;\n"
	"log = { level = \"debug\"; format = \"json\"; }; default_backend = \"b\";\n"
	"# comment \"\n// another /* \n/* a third */\n"
	"routes = ( { match = \"p-*\"; backend = \"a\"; }, { match = \"*\"; backend = \"b\"; } );\n"
	"backends = ( " POSIX(
		"a") ",\n"
		     "{ name = \"b\"; module = \"ceph-rgw\"; endpoint = "
		     "\"http://127.0.0.1:8000/\";\n"
		     "  public_endpoint = \"https://s3.example.org/a\"; accept_new = false; "
		     "insecure = true;\n"
		     "  existing_buckets = [ \"old-*\", \"x\" ]; ca_file = \"/etc/ca.pem\"; "
		     "max_calls = 8L;\n"
		     "  connect_timeout = \"1s\"; retries = 0; key = \"plain:abcdefgh\"; } );\n";

/* Every limit below what is needed ends in an error, none in a crash or a wrong success. */
static void
test_memory__any_failure(void **state)
{
	const char *path = files_put("cosid.conf", whole);
	struct config *config = NULL;
	size_t least = 0, fails = 0;

	(void)state;
	for (size_t memory = 0; config == NULL && memory < LOAD_MEMORY; memory += 16) {
		struct diag diag = { 0 };

		config = load_within(path, memory, &diag);
		assert_true((config == NULL) == (diag.nerrors > 0));
		fails += config == NULL;
		least = memory;
		diag_done(&diag);
		if (fails == 4) /* the two tables come first and are large */
			memory = FILE_INCLUDES_MAX * sizeof(struct config_file);
	}
	assert_non_null(config);
	assert_true(fails > 100);
	assert_true(least < 256 << 10);
	config_unref(config);
}

/* A generator with a known seed: the number in a failure's message repeats the failure. */
static uint32_t
next(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

static size_t
mutate(char *text, size_t len, size_t size, uint32_t *seed)
{
	static const char *const pieces[] = {
		"\"",          "{",       "}",           "(",
		")",           "[",       "]",           ";",
		"=",           "/*",      "*/",          "//",
		"\\x00",       "\\",      "@include",    "\n@include \"x\"",
		"-1",          "1L",      "99999999999", "0x",
		"1.5",         "true",    "\xff",        "\x01",
		"backends = ", "name = ",
	};
	size_t at = next(seed) % len, count = next(seed) % 32;
	const char *piece = pieces[next(seed) % (sizeof pieces / sizeof pieces[0])];

	switch (next(seed) % 4) {
	case 0:
		text[at] = (char)(next(seed) % 2 == 0 ? next(seed) : next(seed) % 10 + 48);
		return len;
	case 1:
		count = count < len - at ? count : len - at;
		memmove(text + at, text + at + count, len - at - count);
		return len - count > 0 ? len - count : len;
	case 2:
		count = strlen(piece);
		if (len + count > size)
			return len;
		memmove(text + at + count, text + at, len - at);
		memcpy(text + at, piece, count);
		return len + count;
	default:
		count = count < len - at ? count : len - at;
		memmove(text + next(seed) % (len - count + 1), text + at, count);
		return len;
	}
}

struct settings {
	const char *region, *key;
};
static const struct cosi_key keys[] = {
	COSI_STRING(struct settings, region, 0, "default", ""),
	COSI_SECRET(struct settings, key, 0, ""),
};
static const struct cosi_module module = {
	COSI_MODULE_HEAD,
	.name = "m",
	.flags = COSI_NETWORK,
	.config = COSI_SCHEMA(struct settings, keys),
};

static void
check_settings(const struct config_backend *backend)
{
	struct config_settings *owned = NULL;
	struct settings settings = { 0 };
	struct diag diag = { 0 };
	int rc = config_settings(backend, &module, false, &settings, &owned, &diag);

	assert_true((rc == 0) == (diag.nerrors == 0));
	assert_true((rc == 0) == (owned != NULL));
	assert_true(rc != 0 || settings.region[0] != '\0');
	config_settings_free(owned);
	diag_done(&diag);
}

static bool
check_any(const char *text, size_t len)
{
	struct diag diag = { 0 };
	bool sound;
	struct config *config = config_load(files_put_bytes("fuzz.conf", text, len, 0600), &diag);

	assert_true(config != NULL || diag.nerrors > 0);
	assert_true(diag.nerrors > 0 || (config->driver_name[0] != '\0' && config->workers > 0));
	sound = diag.nerrors == 0;
	for (size_t i = 0; sound && i < config->nbackends; i++)
		check_settings(&config->backends[i]);
	config_unref(config);
	diag_done(&diag);
	return sound;
}

static void
test_texts__mutations(void **state)
{
	static char text[8192];
	uint32_t seed = 1;
	int loaded = 0;

	(void)state;
	for (int i = 0; i < 3000; i++) {
		size_t len = strlen(whole);

		memcpy(text, whole, len);
		for (uint32_t n = next(&seed) % 3 + 1; n > 0; n--)
			len = mutate(text, len, sizeof text, &seed);
		loaded += check_any(text, len);
	}
	assert_in_range(loaded, 100, 2900);
}

static void
test_texts__random_bytes(void **state)
{
	char text[512];
	uint32_t seed = 2;

	(void)state;
	for (int i = 0; i < 500; i++) {
		size_t len = next(&seed) % sizeof text;

		for (size_t j = 0; j < len; j++)
			text[j] = (char)(i % 2 == 0 ? next(&seed) : next(&seed) % 96 + 32);
		(void)check_any(text, len);
	}
}

static void
test_texts__cut_anywhere(void **state)
{
	size_t loaded = 0;

	(void)state;
	for (size_t len = 0; len < strlen(whole); len++)
		loaded += check_any(whole, len);
	assert_true(check_any(whole, strlen(whole)));
	assert_in_range(loaded, 10, strlen(whole) - 10);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memory__any_failure),
		cmocka_unit_test(test_texts__mutations),
		cmocka_unit_test(test_texts__random_bytes),
		cmocka_unit_test(test_texts__cut_anywhere),
	};

	return cmocka_run_group_tests(tests, files_setup, files_teardown);
}
