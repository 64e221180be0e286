/* SPDX-License-Identifier: Apache-2.0
 * test_read.c - a configuration with errors, as far as it goes; and its secrets, forgotten. */
#include "config/config.h"

#include <libconfig.h>

#include "files.h"

#include "banned.h"

struct settings {
	const char *access_key, *root;
};
static const struct cosi_key keys[] = {
	COSI_SECRET(struct settings, access_key, COSI_REQUIRED, "key"),
	COSI_PATH(struct settings, root, 0, NULL, "directory"),
};
static const struct cosi_module net = {
	COSI_MODULE_HEAD,
	.name = "net",
	.flags = COSI_NETWORK,
	.config = COSI_SCHEMA(struct settings, keys),
};

static int
read_settings(const struct config *config, size_t i, struct settings *out, struct diag *diag)
{
	struct config_settings *owned = NULL;
	int rc = config_settings(&config->backends[i], &net, false, out, &owned, diag);

	config_settings_free(owned);
	return rc;
}

/* One error in each part; none of them hides another, none is told twice. */
static void
test_read__goes_on_after_errors(void **state)
{
	const char *path = files_put("cosid.conf",
				     "workers = 0;\n"
				     "backends = (\n"
				     "{ name = \"a\"; module = \"net\"; endpoint = \"ftp://x\";\n"
				     "  access_key = \"bare\"; },\n"
				     "{ name = \"Upper\"; module = \"net\"; },\n"
				     "{ name = \"b\"; },\n"
				     "{ name = \"a\"; module = \"net\"; },\n"
				     "{ name = \"c\"; module = \"net\"; endpoint = \"http://x\";\n"
				     "  access_key = \"plain:x\"; root = \"y\"; } );\n"
				     "default_backend = \"b\";\n");
	struct settings settings = { 0 };
	struct diag diag = { 0 };
	struct config *config = config_load(path, &diag);

	(void)state;
	assert_non_null(config);
	assert_int_equal(config->nbackends, 2);
	assert_string_equal(config->backends[0].name, "a");
	assert_int_equal(config->backends[0].nflaws, 1);
	assert_non_null(
		strstr(config->backends[0].flaw, "cosid.conf:3: 'endpoint': expected a URL"));
	assert_string_equal(config->backends[1].name, "c");
	assert_int_equal(config->backends[1].nflaws, 0);
	assert_null(config->backends[1].flaw);
	assert_int_equal(read_settings(config, 0, &settings, &diag), -1);
	assert_int_equal(read_settings(config, 1, &settings, &diag), -1);
	assert_string_equal(
		files_lines(&diag),
		"cosid.conf:1: 'workers': expected a value within 1..1024\n"
		"cosid.conf:1: 'driver_name' is required\n"
		"cosid.conf:3: 'endpoint': expected a URL with http:// or https://\n"
		"cosid.conf:5: 'name': expected 1 to 32 characters of a-z, 0-9 and '-', with a "
		"letter or digit at both ends\n"
		"cosid.conf:6: 'module' is required\n"
		"cosid.conf:7: backend 'a' is already at cosid.conf:3\n"
		"cosid.conf:4: 'access_key': expected file:PATH, credential:NAME, env:NAME or "
		"plain:VALUE\n"
		"cosid.conf:9: 'root': expected an absolute path\n");
	config_unref(config);
}

/* Its own keys are right, and yet it is not to be opened: another line is wrong. */
static void
test_read__flawed_backends_have_no_settings(void **state)
{
	const char *path = files_put("cosid.conf", NAME
				     "backends = ( { name = \"a\"; module = \"net\"; "
				     "endpoint = \"ftp://x\"; access_key = \"plain:x\"; } );\n");
	struct settings settings = { 0 };
	struct diag diag = { 0 };
	struct config *config = config_load(path, &diag);

	(void)state;
	assert_int_equal(diag.nerrors, 1);
	assert_int_equal(read_settings(config, 0, &settings, &diag), -1);
	assert_int_equal(diag.nerrors, 1);
	diag_done(&diag);
	config_unref(config);
}

static void
test_read__no_file(void **state)
{
	struct diag diag = { 0 };

	(void)state;
	assert_null(config_load(files_path("absent.conf"), &diag));
	assert_int_equal(diag.nerrors, 1);
	diag_done(&diag);
	assert_null(config_load(files_put("cosid.conf", "workers = ;\n"), &diag));
	assert_int_equal(diag.nerrors, 1);
	diag_done(&diag);
}

static void
test_forget__plain_secrets_alone(void **state)
{
	struct config *config = files_load(
		NAME "backends = ( { name = \"a\"; module = \"net\"; endpoint = \"http://x\";\n"
		     "  access_key = \"plain:sesame-open\"; root = \"/x\"; } );\n");
	const config_setting_t *group = config->backends[0].setting;
	const char *secret = NULL, *root = NULL;

	(void)state;
	assert_true(config_setting_lookup_string(group, "access_key", &secret));
	assert_true(config_setting_lookup_string(group, "root", &root));
	assert_string_equal(secret, "plain:sesame-open");
	config_forget(config);
	for (size_t i = 0; i < sizeof "plain:sesame-open"; i++)
		assert_int_equal(secret[i], 0);
	assert_string_equal(root, "/x");
	config_unref(config);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read__goes_on_after_errors),
		cmocka_unit_test(test_read__flawed_backends_have_no_settings),
		cmocka_unit_test(test_read__no_file),
		cmocka_unit_test(test_forget__plain_secrets_alone),
	};

	return cmocka_run_group_tests(tests, files_setup, files_teardown);
}
