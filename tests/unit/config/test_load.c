/* SPDX-License-Identifier: Apache-2.0
 * test_load.c - the main file: every key, its default, its limits, and what is refused. */
#include "config/config.h"

#include <sys/socket.h>

#include "files.h"

#include "banned.h"

#define ONE NAME "backends = ( " POSIX("p") " );\n"

static void
test_defaults__one_backend(void **state)
{
	struct config *config = files_load(ONE);
	const struct config_backend *backend = config->backends;

	(void)state;
	assert_string_equal(config->driver_name, "cosid.example.org");
	assert_string_equal(config->owner, "cosid.example.org");
	assert_string_equal(config->socket_path, "/run/cosid/cosi.sock");
	assert_string_equal(config->admin_path, "/run/cosid-admin/admin.sock");
	assert_false(config->admin_given);
	assert_int_equal(config->socket_mode, 0660);
	assert_false(config->peers_limited);
	assert_string_equal(config->module_dir, config_default_module_dir());
	assert_int_equal(config->call_timeout_ms, 25000);
	assert_int_equal(config->create_settle_ms, 100);
	assert_int_equal(config->drain_timeout_ms, 20000);
	assert_int_equal(config->workers, 64);
	assert_int_equal(config->log_level, COSI_INFO);
	assert_false(config->log_json);
	assert_null(config->default_backend);
	assert_int_equal(config->nroutes, 0);
	assert_int_equal(config->nbackends, 1);
	assert_string_equal(backend->name, "p");
	assert_string_equal(backend->module, "posix");
	assert_null(backend->endpoint);
	assert_null(backend->public_endpoint);
	assert_true(backend->accept_new);
	assert_string_equal(backend->existing_buckets[0], "*");
	assert_null(backend->existing_buckets[1]);
	assert_null(backend->ca_file);
	assert_false(backend->insecure);
	assert_int_equal(backend->connect_timeout_ms, 5000);
	assert_int_equal(backend->request_timeout_ms, 20000);
	assert_int_equal(backend->max_calls, 0);
	assert_int_equal(backend->retries, 2);
	assert_string_equal(backend->file, files_path("cosid.conf"));
	assert_int_equal(backend->line, 2);
	config_unref(config);
}

static const char every_key[] =
	NAME "owner = \"Team/A@1\";\n"
	     "endpoint = \"unix:///tmp/x.sock\";\n"
	     "admin_endpoint = \"unix:///tmp/admin/x.sock\";\n"
	     "socket_mode = \"0600\";\n"
	     "allowed_peers = { uids = [ 0, 1000 ]; gids = ( 4294967294L ); };\n"
	     "module_dir = \"/opt/modules\";\n"
	     "call_timeout = \"1m\"; create_settle = \"0s\"; drain_timeout = \"250ms\";\n"
	     "workers = 256;\n"
	     "log = { level = \"debug\"; format = \"json\"; };\n"
	     "default_backend = \"b\";\n"
	     "routes = ( { match = \"photos-*\"; backend = \"a\"; }, { match = \"*\"; backend = "
	     "\"b\"; } );\n"
	     "backends = ( " POSIX("a") ",\n"
					"{ name = \"b\"; module = \"ceph-rgw\"; endpoint = "
					"\"http://127.0.0.1:8000/\";\n"
					"  public_endpoint = \"https://s3.example.org/a//\"; "
					"accept_new = false; insecure = true;\n"
					"  existing_buckets = [ \"old-*\", \"x\" ]; ca_file = "
					"\"/etc/ca.pem\"; max_calls = 8;\n"
					"  connect_timeout = \"1s\"; request_timeout = \"2s\"; "
					"retries = 0; region = \"r\"; } );\n";

static void
test_values__every_key(void **state)
{
	struct config *config = files_load(every_key);
	const struct config_backend *backend = &config->backends[1];

	(void)state;
	assert_string_equal(config->owner, "Team/A@1");
	assert_string_equal(config->socket_path, "/tmp/x.sock");
	assert_string_equal(config->admin_path, "/tmp/admin/x.sock");
	assert_true(config->admin_given);
	assert_int_equal(config->socket_mode, 0600);
	assert_true(config->peers_limited);
	assert_int_equal(config->npeer_uids, 2);
	assert_int_equal(config->peer_uids[1], 1000);
	assert_int_equal(config->npeer_gids, 1);
	assert_int_equal(config->peer_gids[0], 4294967294);
	assert_string_equal(config->module_dir, "/opt/modules");
	assert_int_equal(config->call_timeout_ms, 60000);
	assert_int_equal(config->create_settle_ms, 0);
	assert_int_equal(config->drain_timeout_ms, 250);
	assert_int_equal(config->workers, 256);
	assert_int_equal(config->log_level, COSI_DEBUG);
	assert_true(config->log_json);
	assert_string_equal(config->default_backend, "b");
	assert_int_equal(config->nroutes, 2);
	assert_string_equal(config->routes[0].match, "photos-*");
	assert_string_equal(config->routes[1].backend, "b");
	assert_string_equal(backend->endpoint, "http://127.0.0.1:8000");
	assert_string_equal(backend->public_endpoint, "https://s3.example.org/a");
	assert_false(backend->accept_new);
	assert_true(backend->insecure);
	assert_string_equal(backend->existing_buckets[1], "x");
	assert_string_equal(backend->ca_file, "/etc/ca.pem");
	assert_int_equal(backend->max_calls, 8);
	assert_int_equal(backend->connect_timeout_ms, 1000);
	assert_int_equal(backend->request_timeout_ms, 2000);
	assert_int_equal(backend->retries, 0);
	assert_int_equal(backend->line, 14);
	config_unref(config);
}

static void
test_errors__all_in_one_run(void **state)
{
	(void)state;
	files_refuse(
		"driver_name = \"Cosid\";\n"
		"owner = \"a:b\";\n"
		"workers = 0;\n"
		"call_timeout = 25;\n"
		"create_settle = \"100\";\n"
		"drain_timeout = \"11m\";\n"
		"socket_mode = \"rw\";\n"
		"endpoint = 1;\n"
		"log = { level = \"loud\"; colour = true; };\n"
		"allowed_peers = { uids = [ -1 ]; gids = 0; };\n"
		"metrics = true;\n"
		"backends = ( );\n",
		"cosid.conf:3: 'workers': expected a value within 1..1024\n"
		"cosid.conf:4: 'call_timeout': expected a string such as \"10s\", found a number\n"
		"cosid.conf:5: 'create_settle': expected a duration such as 250ms, 10s, 5m or 24h\n"
		"cosid.conf:6: 'drain_timeout': expected a value within 0s..10m\n"
		"cosid.conf:8: 'endpoint': expected a string, found a number\n"
		"cosid.conf:11: unknown key 'metrics'\n"
		"cosid.conf:1: 'driver_name': expected a DNS name (RFC 1035) in lower case: labels "
		"of "
		"a-z, 0-9 and '-' that begin with a letter, end with a letter or digit, with a dot "
		"between them, 63 characters at most\n"
		"cosid.conf:2: 'owner': expected 1 to 63 characters of a-z, A-Z, 0-9 and . _ / @ + "
		"= -\n"
		"cosid.conf:7: 'socket_mode': expected an octal mode such as 0660\n"
		"cosid.conf:10: 'uids': expected numbers of 0 to 4294967294\n"
		"cosid.conf:10: 'gids': expected a list of numbers, found a number\n"
		"cosid.conf:9: 'level': expected one of: error warning notice info debug\n"
		"cosid.conf:9: unknown key 'colour'\n"
		"cosid.conf: warning: there is no backend: no bucket can be created\n");
}

static void
test_errors__wrong_types(void **state)
{
	(void)state;
	files_refuse("driver_name = true;\nowner = { };\nworkers = \"64\";\nmodule_dir = 1.5;\n"
		     "log = 1;\nroutes = { };\nbackends = [ 1 ];\ndefault_backend = ( );\n",
		     "cosid.conf:1: 'driver_name': expected a string, found true or false\n"
		     "cosid.conf:2: 'owner': expected a string, found a group { }\n"
		     "cosid.conf:3: 'workers': expected a number, found a string\n"
		     "cosid.conf:4: 'module_dir': expected a string, found a fraction\n"
		     "cosid.conf:5: 'log': expected a group { }, found a number\n"
		     "cosid.conf:6: 'routes': expected a list ( ), found a group { }\n"
		     "cosid.conf:7: 'backends': expected a list ( ), found an array [ ]\n"
		     "cosid.conf:8: 'default_backend': expected a string, found a list ( )\n"
		     "cosid.conf: warning: there is no backend: no bucket can be created\n");
}

static void
test_errors__nothing_there(void **state)
{
	(void)state;
	files_refuse("", "cosid.conf:1: 'driver_name' is required\n"
			 "cosid.conf: warning: there is no backend: no bucket can be created\n");
	files_refuse(NAME "metrics = \"unix:///x.sock\";\nbackends = ( " POSIX("p") " );\n",
		     "cosid.conf:2: unknown key 'metrics'\n");
	files_refuse(NAME "admin_endpoint = \"unix:///x\";\nbackends = ( " POSIX("p") " );\n",
		     "cosid.conf:2: 'admin_endpoint': the name of the socket must end in .sock\n");
	files_refuse(
		NAME "admin_endpoint = \"unix:///run/cosid/x.sock\";\n"
		     "backends = ( " POSIX("p") " );\n",
		"cosid.conf:2: 'admin_endpoint': the directory of the COSI socket holds nothing "
		"but that socket\n");
	files_refuse(NAME "owner = \"\";\nmodule_dir = \"var\";\nbackends = ( " POSIX("p") " );\n",
		     "cosid.conf:2: 'owner': expected a text, found an empty one\n"
		     "cosid.conf:3: 'module_dir': expected an absolute path\n");
}

static void
test_warnings__do_not_refuse(void **state)
{
	(void)state;
	files_warn(NAME, "cosid.conf: warning: there is no backend: no bucket can be created\n");
	files_warn(ONE "allowed_peers = { uids = [ ]; };\n",
		   "cosid.conf:3: warning: 'allowed_peers' is empty: no process can connect\n");
	/* Configurations of versions that had it go on. */
	files_warn(ONE "socket_mode = \"0662\";\n",
		   "cosid.conf:3: warning: 'socket_mode': every user of the host can make every "
		   "call; use 0660, or set 'allowed_peers'\n");
	config_unref(files_load(ONE "socket_mode = \"0664\";\n"));
	config_unref(
		files_load(ONE "socket_mode = \"0666\"; allowed_peers = { uids = [ 0 ]; };\n"));
	files_warn(ONE "state_dir = \"/var/lib/cosid\";\n",
		   "cosid.conf:3: warning: 'state_dir' is ignored: cosid loads modules from memory "
		   "and needs no directory; remove the line\n");
	files_refuse(ONE "allowed_peers = { gids = 0; };\n",
		     "cosid.conf:3: 'gids': expected a list of numbers, found a number\n");
}

static void
test_endpoint__environment_wins(void **state)
{
	struct config *config;

	(void)state;
	assert_int_equal(setenv("COSI_ENDPOINT", "unix:///run/other.sock", 1), 0);
	config = files_load(ONE "endpoint = \"unix:///run/file.sock\";\n");
	assert_string_equal(config->socket_path, "/run/other.sock");
	config_unref(config);
	files_refuse(
		ONE "endpoint = \"tcp://[::]:1\";\n",
		"cosid.conf:3: 'endpoint': expected unix:///absolute/path.sock: only a UNIX socket "
		"is served\n");
	assert_int_equal(setenv("COSI_ENDPOINT", "unix:///run/other", 1), 0);
	files_refuse(ONE,
		     "the environment's COSI_ENDPOINT: the name of the socket must end in .sock\n");
	assert_int_equal(setenv("COSI_ENDPOINT", "", 1), 0);
	files_refuse(ONE,
		     "the environment's COSI_ENDPOINT: expected unix:///absolute/path.sock: only a "
		     "UNIX socket is served\n");
	assert_int_equal(unsetenv("COSI_ENDPOINT"), 0);
}

static void
refuse_path(const char *path, const char *lines)
{
	struct diag diag = { 0 };

	assert_null(config_load(path, &diag));
	assert_string_equal(files_lines(&diag), lines);
}

static void
test_file__cannot_be_read(void **state)
{
	const char *path = files_path("dir");

	(void)state;
	refuse_path(files_path("absent.conf"),
		    "absent.conf: cannot read the configuration: No such file or directory\n");
	assert_int_equal(mkdir(path, 0700), 0);
	refuse_path(path, "dir: cannot read the configuration: this is a directory\n");
	path = files_path("fifo");
	assert_int_equal(mkfifo(path, 0600), 0);
	refuse_path(path, "fifo: cannot read the configuration: this is not a regular file\n");
}

static void
test_file__unreadable(void **state)
{
	const char *path = files_put_bytes("closed.conf", NAME, strlen(NAME), 0);

	(void)state;
	if (geteuid() == 0)
		assert_int_equal(seteuid(65534), 0);
	refuse_path(path, "closed.conf: cannot read the configuration: Permission denied\n");
	if (getuid() == 0)
		assert_int_equal(seteuid(0), 0);
}

static void
test_file__size_limit(void **state)
{
	size_t most = 1 << 20, head = strlen(ONE);
	char *text = test_malloc(most + 2);

	(void)state;
	memset(text, '\n', most + 1);
	memcpy(text, ONE, head);
	text[most] = '\0';
	config_unref(files_load(text));
	text[most] = '\n';
	text[most + 1] = '\0';
	files_refuse(text, "cosid.conf: cannot read the configuration: the file is too large\n");
	test_free(text);
}

static void
test_file__syntax(void **state)
{
	(void)state;
	files_refuse(NAME "workers = ;\n", "cosid.conf:2: syntax error\n");
	files_refuse(NAME "workers = 1;\nworkers = 2;\n", "cosid.conf:3: duplicate setting name\n");
	files_refuse(NAME "x = [ 1, \"a\" ];\n",
		     "cosid.conf:2: mismatched element type in array\n");
	files_refuse(NAME "x = { \n", "cosid.conf:3: syntax error\n");
}

static void
test_refs__counted(void **state)
{
	struct config *config = files_load(ONE);

	(void)state;
	assert_ptr_equal(config_ref(config), config);
	config_unref(config);
	assert_string_equal(config->driver_name, "cosid.example.org");
	config_unref(config);
	config_unref(NULL);
}

static void
test_keys__misspelt(void **state)
{
	(void)state;
	files_refuse(
		"driver_nmae = \"cosid.example.org\";\nWorkers = 3;\nworker = 3;\nmetrics = 1;\n"
		"backends = (\n{ nsme = \"p\";\n  module = \"posix\"; } );\n"
		"log = { lvvel = \"info\"; };\n",
		"cosid.conf:1: unknown key 'driver_nmae': did you mean 'driver_name'?\n"
		"cosid.conf:2: unknown key 'Workers': did you mean 'workers'?\n"
		"cosid.conf:3: unknown key 'worker': did you mean 'workers'?\n"
		"cosid.conf:4: unknown key 'metrics'\n"
		"cosid.conf:8: unknown key 'lvvel': did you mean 'level'?\n"
		"cosid.conf:6: 'name' is required: is it what 'nsme' means?\n");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults__one_backend),
		cmocka_unit_test(test_values__every_key),
		cmocka_unit_test(test_errors__all_in_one_run),
		cmocka_unit_test(test_errors__wrong_types),
		cmocka_unit_test(test_errors__nothing_there),
		cmocka_unit_test(test_warnings__do_not_refuse),
		cmocka_unit_test(test_endpoint__environment_wins),
		cmocka_unit_test(test_file__cannot_be_read),
		cmocka_unit_test(test_file__unreadable),
		cmocka_unit_test(test_file__size_limit),
		cmocka_unit_test(test_file__syntax),
		cmocka_unit_test(test_refs__counted),
		cmocka_unit_test(test_keys__misspelt),
	};

	return cmocka_run_group_tests(tests, files_setup, files_teardown);
}
