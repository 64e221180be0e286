/* SPDX-License-Identifier: Apache-2.0
 * test_fixed.c - what a running daemon keeps, and that it says so, once for each key. */
#include "config/config.h"

#include "files.h"

#include "banned.h"

static void
lines(const struct diag *diag, size_t n, const char *const *parts)
{
	assert_int_equal(diag->nerrors, 0);
	assert_int_equal(diag->nlines, n);
	for (size_t i = 0; i < n; i++)
		assert_non_null(strstr(diag->lines[i], parts[i]));
}

static struct config *
keep(const char *running_text, const char *text, struct diag *diag)
{
	struct config *running = files_load(running_text);
	struct config *config = files_load(text);

	config_keep(config, running, diag);
	/* Nothing may be borrowed from it. */
	config_unref(running);
	return config;
}

static const char running_text[] =
	NAME "owner = \"one\"; endpoint = \"unix:///tmp/one.sock\"; socket_mode = \"0600\";\n"
	     "admin_endpoint = \"unix:///tmp/a/one.sock\";\n"
	     "allowed_peers = { uids = [ 1, 2 ]; };\n"
	     "backends = ( " POSIX("p") " );\n";

static void
test_keep__nothing_has_changed(void **state)
{
	struct diag diag = { 0 };
	struct config *config = keep(running_text, running_text, &diag);

	(void)state;
	lines(&diag, 0, NULL);
	config_unref(config);
}

static void
test_keep__what_may_change_is_let_be(void **state)
{
	struct diag diag = { 0 };
	struct config *config = keep(
		NAME "backends = ( " POSIX("p") " );\n",
		NAME "call_timeout = \"9s\"; create_settle = \"9ms\"; drain_timeout = \"9s\";\n"
		     "workers = 9;\n"
		     "log = { level = \"debug\"; format = \"json\"; }; module_dir = \"/tmp\";\n"
		     "default_backend = \"q\"; backends = ( " POSIX(
			     "q") " );\n"
				  "routes = ( { match = \"a\"; backend = \"q\"; } );\n",
		&diag);

	(void)state;
	lines(&diag, 0, NULL);
	assert_int_equal(config->call_timeout_ms, 9000);
	assert_int_equal(config->create_settle_ms, 9);
	assert_int_equal(config->drain_timeout_ms, 9000);
	assert_int_equal(config->workers, 9);
	assert_true(config->log_json);
	assert_string_equal(config->module_dir, "/tmp");
	assert_string_equal(config->default_backend, "q");
	assert_int_equal(config->nroutes, 1);
	config_unref(config);
}

static void
test_keep__the_rest_stays(void **state)
{
	static const char *const said[] = {
		"cosid.conf:1: warning: 'driver_name' cannot change without a restart: "
		"'cosid.example.org' stays",
		"cosid.conf:2: warning: 'owner' cannot change without a restart: 'one' stays",
		"cosid.conf:2: warning: 'endpoint' cannot change without a restart: "
		"'/tmp/one.sock' stays",
		"cosid.conf:6: warning: 'admin_endpoint' cannot change without a restart: "
		"'/tmp/a/one.sock' stays",
	};
	struct diag diag = { 0 };
	struct config *config =
		keep(running_text,
		     "driver_name = \"other.example.org\";\n"
		     "owner = \"two\"; endpoint = \"unix:///tmp/two.sock\";\n"
		     "socket_mode = \"0666\";\n"
		     "allowed_peers = { uids = [ 1 ]; gids = [ 3 ]; };\n"
		     "backends = ( " POSIX("q") " );\n"
						"admin_endpoint = \"unix:///tmp/a/two.sock\";\n",
		     &diag);

	(void)state;
	lines(&diag, sizeof said / sizeof said[0], said);
	assert_string_equal(config->driver_name, "cosid.example.org");
	assert_string_equal(config->owner, "one");
	assert_string_equal(config->socket_path, "/tmp/one.sock");
	assert_int_equal(config->socket_mode, 0666);
	assert_int_equal(config->npeer_uids, 1);
	assert_int_equal(config->peer_gids[0], 3);
	assert_string_equal(config->backends[0].name, "q");
	diag_done(&diag);
	config_unref(config);
}

/* As a file that was cut looks, or an include_dir that is not mounted. */
static void
test_keep__no_backends_by_accident(void **state)
{
	static const char one[] = NAME "backends = ( " POSIX("p") " );\n";
	struct config *running = files_load(one);
	struct diag diag = { 0 };
	struct config *config = config_load(files_put("cosid.conf", NAME), &diag);

	(void)state;
	diag_done(&diag);
	config_keep(config, running, &diag);
	assert_int_equal(diag.nerrors, 1);
	assert_string_equal(
		files_lines(&diag),
		"cosid.conf: no file has the key 'backends', and backends are served: is "
		"a file incomplete?  To serve none, write backends = ( );\n");
	config_keep(config, config, &diag); /* there was none before */
	assert_int_equal(diag.nerrors, 0);
	config_unref(config);
	config = config_load(files_put("cosid.conf", NAME "backends = ( );\n"), &diag);
	diag_done(&diag);
	config_keep(config, running, &diag);
	assert_int_equal(diag.nerrors, 0);
	config_unref(config);
	config_unref(running);
}

/* One line for one change. */
static void
test_keep__owner_that_follows_the_name(void **state)
{
	static const char *const said[] = { "'driver_name'" };
	struct diag diag = { 0 };
	struct config *config = keep(NAME "backends = ( " POSIX("p") " );\n",
				     "driver_name = \"other.example.org\";\n"
				     "backends = ( " POSIX("p") " );\n",
				     &diag);

	(void)state;
	lines(&diag, 1, said);
	assert_string_equal(config->owner, "cosid.example.org");
	diag_done(&diag);
	config_unref(config);
}

static void
test_keep__what_is_wrong_is_no_change(void **state)
{
	struct diag diag = { 0 };
	struct config *running = files_load(running_text);
	struct config *config = config_load(files_put("cosid.conf", NAME
						      "owner = \"one\"; endpoint = \"tcp://x\";\n"
						      "admin_endpoint = \"admin.sock\";\n"
						      "backends = ( " POSIX("p") " );\n"),
					    &diag);

	(void)state;
	assert_non_null(config);
	assert_int_equal(diag.nerrors, 2);
	config_keep(config, running, &diag);
	assert_int_equal(diag.nerrors, 2);
	assert_int_equal(diag.nwarnings, 0);
	diag_done(&diag);
	config_unref(config);
	config_unref(running);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_keep__nothing_has_changed),
		cmocka_unit_test(test_keep__what_may_change_is_let_be),
		cmocka_unit_test(test_keep__the_rest_stays),
		cmocka_unit_test(test_keep__no_backends_by_accident),
		cmocka_unit_test(test_keep__owner_that_follows_the_name),
		cmocka_unit_test(test_keep__what_is_wrong_is_no_change),
	};

	return cmocka_run_group_tests(tests, files_setup, files_teardown);
}
