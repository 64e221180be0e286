/* SPDX-License-Identifier: Apache-2.0
 * test_settings.c - a backend's keys by its module's schema. */
#include "config/config.h"

#include "files.h"

#include "banned.h"

struct settings {
	const char *region, *root, *base, *form;
	const char *access_key;
	const char *const *old_keys;
	bool lease;
	int64_t count, quota, window;
};
static const struct cosi_key keys[] = {
	COSI_STRING(struct settings, region, 0, "default", "where"),
	COSI_PATH(struct settings, root, 0, NULL, "directory"),
	COSI_URL(struct settings, base, 0, "http://localhost/v1", "a second URL"),
	COSI_ENUM(struct settings, form, "bare", "container service bare", "form"),
	COSI_SECRET(struct settings, access_key, COSI_REQUIRED, "key"),
	COSI_SECRET_LIST(struct settings, old_keys, "older keys"),
	COSI_BOOL(struct settings, lease, "true", "lease"),
	COSI_INT(struct settings, count, 0, "3", "count"),
	COSI_SIZE(struct settings, quota, 0, "1Gi", "size"),
	COSI_MSEC(struct settings, window, 0, "24h", "time"),
};
static const struct cosi_module net = {
	COSI_MODULE_HEAD,
	.name = "net",
	.flags = COSI_NETWORK,
	.config = COSI_SCHEMA(struct settings, keys),
};
static const struct cosi_module net_default = {
	COSI_MODULE_HEAD,
	.name = "net",
	.flags = COSI_NETWORK,
	.endpoint = "https://store.example.org",
};
static const struct cosi_module local = { COSI_MODULE_HEAD, .name = "local" };

/* Loads one backend with these keys, line 2 of cosid.conf and on. */
static struct config *
load(const char *text)
{
	char all[8192];

	(void)snprintf(all, sizeof all,
		       NAME "backends = ( { name = \"b\"; module = \"m\";\n%s } );\n", text);
	return files_load(all);
}

static void
expect(const struct cosi_module *module, bool checking, const char *text, int rc, const char *lines)
{
	struct config *config = load(text);
	struct config_settings *owned = NULL;
	struct settings settings = { 0 };
	struct diag diag = { 0 };

	assert_int_equal(
		config_settings(config->backends, module, checking, &settings, &owned, &diag), rc);
	assert_int_equal(owned != NULL, rc == 0);
	assert_string_equal(files_lines(&diag), lines);
	config_settings_free(owned);
	config_unref(config);
}

#define ENDPOINT "endpoint = \"http://h\";\n"
#define KEY      "access_key = \"env:TEST_KEY\";\n"

static void
test_settings__defaults(void **state)
{
	struct config *config = load(ENDPOINT KEY);
	struct config_settings *owned = NULL;
	struct settings settings = { 0 };
	struct diag diag = { 0 };

	(void)state;
	assert_int_equal(config_settings(config->backends, &net, false, &settings, &owned, &diag),
			 0);
	assert_string_equal(settings.region, "default");
	assert_null(settings.root);
	assert_string_equal(settings.base, "http://localhost/v1");
	assert_string_equal(settings.form, "bare");
	assert_string_equal(settings.access_key, "key-from-the-environment");
	assert_null(settings.old_keys[0]);
	assert_true(settings.lease);
	assert_int_equal(settings.count, 3);
	assert_int_equal(settings.quota, 1 << 30);
	assert_int_equal(settings.window, 86400000);
	assert_string_equal(files_lines(&diag), "");
	config_settings_free(owned);
	config_unref(config);
}

static void
test_settings__every_type(void **state)
{
	struct config *config =
		load(ENDPOINT "region = \"r\"; root = \"/srv\"; base = \"https://x/y/\";\n"
			      "form = \"service\"; lease = false; count = 3000000000L;\n"
			      "quota = 5; window = \"0s\"; access_key = \"plain:abcdefgh\";\n"
			      "old_keys = [ \"plain:one\", \"env:TEST_KEY\" ];\n");
	struct config_settings *owned = NULL;
	struct settings settings = { 0 };
	struct diag diag = { 0 };

	(void)state;
	assert_int_equal(config_settings(config->backends, &net, false, &settings, &owned, &diag),
			 0);
	assert_string_equal(settings.region, "r");
	assert_string_equal(settings.root, "/srv");
	assert_string_equal(settings.base, "https://x/y");
	assert_string_equal(settings.form, "service");
	assert_string_equal(settings.access_key, "abcdefgh");
	assert_string_equal(settings.old_keys[0], "one");
	assert_string_equal(settings.old_keys[1], "key-from-the-environment");
	assert_null(settings.old_keys[2]);
	assert_false(settings.lease);
	assert_int_equal(settings.count, 3000000000);
	assert_int_equal(settings.quota, 5);
	assert_int_equal(settings.window, 0);
	assert_string_equal(files_lines(&diag), "");
	config_settings_free(owned);
	config_unref(config);
}

static void
test_settings__all_errors_at_once(void **state)
{
	(void)state;
	expect(&net, false,
	       "region = 1;\nroot = \"srv\";\nbase = \"x\";\nform = \"loose\";\nlease = \"true\";\n"
	       "count = -1;\nquota = \"10GB\";\nwindow = 5;\nold_keys = \"plain:x\";\nextra = { "
	       "};\n",
	       -1,
	       "cosid.conf:2: backend 'b': 'endpoint' is required by module 'net'\n"
	       "cosid.conf:3: 'region': expected a string, found a number\n"
	       "cosid.conf:4: 'root': expected an absolute path\n"
	       "cosid.conf:5: 'base': expected a URL with http:// or https://\n"
	       "cosid.conf:6: 'form': expected one of: container service bare\n"
	       "cosid.conf:7: 'lease': expected true or false, found a string\n"
	       "cosid.conf:8: 'count': expected a number of at least 0\n"
	       "cosid.conf:9: 'quota': expected a size in bytes such as 1024, 5M or 10Gi\n"
	       "cosid.conf:10: 'window': expected a string such as \"10s\", found a number\n"
	       "cosid.conf:11: 'old_keys': expected a list of strings, found a string\n"
	       "cosid.conf:12: unknown key 'extra'\n"
	       "cosid.conf:2: 'access_key' is required\n");
}

static void
test_settings__misspelt(void **state)
{
	(void)state;
	expect(&net_default, false, "max_call = 3;", -1,
	       "cosid.conf:3: unknown key 'max_call': did you mean 'max_calls'?\n");
}

static void
test_settings__local_modules(void **state)
{
	(void)state;
	expect(&local, false, "public_endpoint = \"http://h\"; max_calls = 3; accept_new = false;",
	       0, "");
	expect(&local, false, ENDPOINT "retries = 1;\n", -1,
	       "cosid.conf:3: 'endpoint': module 'local' does not use the network\n"
	       "cosid.conf:4: 'retries': module 'local' does not use the network\n"
	       "cosid.conf:2: backend 'b': 'public_endpoint' is required by module 'local'\n");
}

/* A URL of that many bytes. */
static const char *
long_url(size_t len)
{
	static char url[1025];

	(void)snprintf(url, sizeof url, "http://h/%0*d", (int)(len - strlen("http://h/")), 0);
	return url;
}

static void
expect_url(const struct cosi_module *module, const char *key, size_t len, const char *more,
	   const char *lines)
{
	char text[4096];

	(void)snprintf(text, sizeof text, "%s = \"%s\";%s", key, long_url(len), more);
	expect(module, false, text, lines[0] != '\0' ? -1 : 0, lines);
}

/* clause 24: COSI answers S3's endpoint in 128 bytes; in no answer is that of Azure. */
static void
test_settings__length_of_the_s3_endpoint(void **state)
{
	struct cosi_module s3 = net_default, azure = net_default;

	(void)state;
	s3.protocols = COSI_S3 | COSI_GCS;
	azure.protocols = COSI_AZURE;
	expect_url(&s3, "public_endpoint", 128, "", "");
	expect_url(&s3, "public_endpoint", 129, "",
		   "cosid.conf:3: 'public_endpoint': longer than 128 bytes, the most that COSI "
		   "allows for an S3 endpoint\n");
	expect_url(&s3, "endpoint", 128, "", "");
	expect_url(&s3, "endpoint", 129, "",
		   "cosid.conf:3: 'endpoint': longer than 128 bytes, the most that COSI allows for "
		   "an S3 endpoint\n");
	expect_url(&s3, "endpoint", 1024, " public_endpoint = \"http://h\";", "");
	expect_url(&azure, "public_endpoint", 1024, "", "");
}

static void
test_settings__default_endpoint(void **state)
{
	(void)state;
	expect(&net_default, false, "", 0, "");
	expect(&net_default, false, ENDPOINT, 0, "");
}

static void
test_settings__insecure(void **state)
{
	(void)state;
	expect(&net_default, false, "insecure = true;", 0,
	       "cosid.conf:3: warning: backend 'b': 'insecure' is set: the store's certificate is "
	       "not verified\n");
	expect(&net_default, false, ENDPOINT "insecure = true;", 0,
	       "cosid.conf:4: warning: backend 'b': 'insecure' has no effect without https://\n");
	expect(&net_default, false, "insecure = false;", 0, "");
}

static void
test_settings__ca_file(void **state)
{
	char text[1024];

	(void)state;
	(void)snprintf(text, sizeof text, "ca_file = \"%s\";", files_put("ca.pem", "x"));
	expect(&net_default, false, text, 0, "");
	expect(&net_default, false, "ca_file = \"/nowhere.pem\";", -1,
	       "cosid.conf:3: cannot read ca_file '/nowhere.pem': No such file or directory\n");
	expect(&net_default, false, "ca_file = \"/etc\";", -1,
	       "cosid.conf:3: cannot read ca_file '/etc': this is not a regular file\n");
	assert_int_equal(chmod(files_path("ca.pem"), 0666), 0);
	expect(&net_default, false, text, -1,
	       "cosid.conf:3: cannot read ca_file 'ca.pem': users other than its owner may write "
	       "to 'ca.pem' (mode 0666): chmod go-w it\n");
}

/* What is not there while checking is an empty text, which no secret is. */
static void
test_settings__secret_absent_while_checking(void **state)
{
	struct config *config = load(ENDPOINT "access_key = \"credential:x\";\n");
	struct config_settings *owned = NULL;
	struct settings settings = { 0 };
	struct diag diag = { 0 };

	(void)state;
	assert_int_equal(config_settings(config->backends, &net, true, &settings, &owned, &diag),
			 0);
	assert_int_equal(diag.nwarnings, 1);
	assert_string_equal(settings.access_key, "");
	diag_done(&diag);
	config_settings_free(owned);
	assert_int_equal(config_settings(config->backends, &net, false, &settings, &owned, &diag),
			 -1);
	assert_null(owned);
	diag_done(&diag);
	config_unref(config);
}

static void
test_settings__key_of_the_daemon(void **state)
{
	struct theirs {
		const char *endpoint;
	};
	static const struct cosi_key theirs[] = { COSI_STRING(struct theirs, endpoint, 0, NULL,
							      "") };
	static const struct cosi_module module = { COSI_MODULE_HEAD, .name = "bad",
						   .flags = COSI_NETWORK,
						   .config = COSI_SCHEMA(struct theirs, theirs) };

	(void)state;
	expect(&module, false, ENDPOINT, -1,
	       "cosid.conf:2: module 'bad': key 'endpoint' belongs to the daemon\n");
}

static void
test_settings__free_of_nothing(void **state)
{
	(void)state;
	config_settings_free(NULL);
}

static int
setup(void **state)
{
	return files_setup(state) != 0 || setenv("TEST_KEY", "key-from-the-environment", 1) != 0
		       ? -1
		       : 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_settings__defaults),
		cmocka_unit_test(test_settings__every_type),
		cmocka_unit_test(test_settings__all_errors_at_once),
		cmocka_unit_test(test_settings__misspelt),
		cmocka_unit_test(test_settings__local_modules),
		cmocka_unit_test(test_settings__length_of_the_s3_endpoint),
		cmocka_unit_test(test_settings__default_endpoint),
		cmocka_unit_test(test_settings__insecure),
		cmocka_unit_test(test_settings__ca_file),
		cmocka_unit_test(test_settings__secret_absent_while_checking),
		cmocka_unit_test(test_settings__key_of_the_daemon),
		cmocka_unit_test(test_settings__free_of_nothing),
	};

	return cmocka_run_group_tests(tests, setup, files_teardown);
}
