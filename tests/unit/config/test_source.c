/* SPDX-License-Identifier: Apache-2.0
 * test_source.c - secrets from files, credentials, the environment and the text itself. */
#include "config/load.h"

#include "files.h"

#include "banned.h"

static struct source source;
static const struct source_location place = { "cosid.conf", "key", 7 };

/* Reads a secret that must be had, with these lines said. */
static void
check_good(const char *text, const char *want, const char *lines)
{
	struct diag diag = { 0 };
	const char *got = source_read(&source, text, &place, &diag);

	assert_string_equal(files_lines(&diag), lines);
	assert_non_null(got);
	assert_string_equal(got, want);
	source_done(&source);
}

static void
check_bad(const char *text, const char *lines)
{
	struct diag diag = { 0 };

	assert_null(source_read(&source, text, &place, &diag));
	assert_true(diag.nerrors > 0);
	assert_string_equal(files_lines(&diag), lines);
	assert_int_equal(source.nsecrets, 0);
}

static const char *
file_of(const void *bytes, size_t len, mode_t mode)
{
	static char text[1024];

	(void)snprintf(text, sizeof text, "file:%s", files_put_bytes("secret", bytes, len, mode));
	return text;
}

static void
test_file__one_line_break_is_dropped(void **state)
{
	(void)state;
	check_good(file_of("sesame", 6, 0600), "sesame", "");
	check_good(file_of("sesame\n", 7, 0400), "sesame", "");
	check_good(file_of(" a b \n", 6, 0640), " a b ", "");
	check_good(file_of("\x80\xff\n", 3, 0600), "\x80\xff", "");
}

/* It would pass every check until the first request, whose headers cannot have such bytes. */
static void
test_any__control_bytes(void **state)
{
	(void)state;
	check_bad(file_of("sesame\r\n", 8, 0600),
		  "cosid.conf:7: 'key': the secret has a carriage return at its end\n");
	check_bad(file_of("\r", 1, 0600),
		  "cosid.conf:7: 'key': the secret has a carriage return at its end\n");
	check_bad(file_of("sesame\n\n", 8, 0600),
		  "cosid.conf:7: 'key': the secret has a control byte, 0x0a, at offset 6\n");
	check_bad(file_of("se\rsame", 7, 0600),
		  "cosid.conf:7: 'key': the secret has a control byte, 0x0d, at offset 2\n");
	check_bad(file_of("\tsesame", 7, 0600),
		  "cosid.conf:7: 'key': the secret has a control byte, 0x09, at offset 0\n");
	check_bad("plain:sesame\x1f",
		  "cosid.conf:7: 'key': the secret has a control byte, 0x1f, at offset 6\n");
	check_bad("plain:sesame\x7f",
		  "cosid.conf:7: 'key': the secret has a control byte, 0x7f, at offset 6\n");
	assert_int_equal(setenv("TEST_KEY", "sesame\r", 1), 0);
	check_bad("env:TEST_KEY",
		  "cosid.conf:7: 'key': the secret has a carriage return at its end\n");
	assert_int_equal(unsetenv("TEST_KEY"), 0);
	(void)files_put("rgw.key", "sesame\r\n");
	assert_int_equal(setenv("CREDENTIALS_DIRECTORY", files_dir, 1), 0);
	check_bad("credential:rgw.key",
		  "cosid.conf:7: 'key': the secret has a carriage return at its end\n");
	assert_int_equal(unsetenv("CREDENTIALS_DIRECTORY"), 0);
}

static void
test_file__what_cannot_be_a_secret(void **state)
{
	(void)state;
	check_bad(file_of("", 0, 0600), "cosid.conf:7: 'key': the secret's file is empty\n");
	check_bad(file_of("\n", 1, 0600), "cosid.conf:7: 'key': the secret's file is empty\n");
	check_bad(file_of("a\0b", 3, 0600),
		  "cosid.conf:7: 'key': the secret's file holds a NUL; write "
		  "binary keys as base64\n");
	check_bad("file:/nowhere/secret", "cosid.conf:7: 'key': cannot read the secret's file "
					  "'/nowhere/secret': No such file or directory\n");
	check_bad("file:/etc",
		  "cosid.conf:7: 'key': cannot read the secret's file '/etc': this is a "
		  "directory\n");
	check_bad("file:sesame", "cosid.conf:7: 'key': expected an absolute path after file:\n");
	check_bad("file:", "cosid.conf:7: 'key': expected an absolute path after file:\n");
}

static void
test_file__everyone_can_read(void **state)
{
	(void)state;
	check_good(file_of("sesame", 6, 0644), "sesame",
		   "cosid.conf:7: warning: 'key': everyone can read the secret's file 'secret'\n");
	check_bad(file_of("sesame", 6, 0660),
		  "cosid.conf:7: 'key': cannot read the secret's file 'secret': users other than "
		  "its owner may write to 'secret' (mode 0660): chmod go-w it\n");
}

static void
test_file__size_limit(void **state)
{
	size_t most = 65536;
	char *bytes = test_malloc(most + 2);
	struct diag diag = { 0 };
	const char *text;

	(void)state;
	for (size_t breaks = 0; breaks < 2; breaks++) {
		memset(bytes, 's', most);
		memset(bytes + most, '\n', breaks);
		text = source_read(&source, file_of(bytes, most + breaks, 0600), &place, &diag);
		assert_non_null(text);
		assert_int_equal(strlen(text), most);
		source_done(&source);
	}
	memset(bytes, 's', most + 2);
	check_bad(file_of(bytes, most + 1, 0600),
		  "cosid.conf:7: 'key': the secret's file is larger than 64 KiB\n");
	check_bad(file_of(bytes, most + 2, 0600), "cosid.conf:7: 'key': cannot read the secret's "
						  "file 'secret': the file is too large\n");
	test_free(bytes);
}

static void
test_credential__of_the_unit(void **state)
{
	(void)state;
	(void)files_put("rgw.key", "sesame\n");
	assert_int_equal(setenv("CREDENTIALS_DIRECTORY", files_dir, 1), 0);
	check_good("credential:rgw.key", "sesame", "");
	check_bad("credential:absent",
		  "cosid.conf:7: 'key': cannot read the credential: No such file or directory\n");
	check_bad("credential:../rgw.key", "cosid.conf:7: 'key': expected the name of a credential "
					   "after credential:, without '/'\n");
	check_bad("credential:", "cosid.conf:7: 'key': expected the name of a credential after "
				 "credential:, without '/'\n");
	check_bad("credential:..", "cosid.conf:7: 'key': expected the name of a credential after "
				   "credential:, without '/'\n");
	(void)files_put("rgw.key", "");
	check_bad("credential:rgw.key", "cosid.conf:7: 'key': the secret's file is empty\n");
	assert_int_equal(unsetenv("CREDENTIALS_DIRECTORY"), 0);
}

static void
test_credential__outside_the_unit(void **state)
{
	(void)state;
	check_bad("credential:rgw.key", "cosid.conf:7: 'key': cannot read the credential: "
					"$CREDENTIALS_DIRECTORY is not set: only the systemd unit "
					"has credentials\n");
	source.checking = true;
	check_good("credential:rgw.key", "",
		   "cosid.conf:7: warning: 'key': cannot read the credential: "
		   "$CREDENTIALS_DIRECTORY is "
		   "not set: only the systemd unit has credentials\n");
	check_bad("file:/nowhere",
		  "cosid.conf:7: 'key': cannot read the secret's file '/nowhere': No "
		  "such file or directory\n");
	source.checking = false;
	assert_int_equal(setenv("CREDENTIALS_DIRECTORY", "relative", 1), 0);
	check_bad("credential:rgw.key", "cosid.conf:7: 'key': cannot read the credential: "
					"$CREDENTIALS_DIRECTORY is not an absolute path\n");
	assert_int_equal(unsetenv("CREDENTIALS_DIRECTORY"), 0);
}

static void
test_env__set_and_not_empty(void **state)
{
	(void)state;
	assert_int_equal(setenv("TEST_KEY", "sesame", 1), 0);
	check_good("env:TEST_KEY", "sesame", "");
	assert_int_equal(unsetenv("TEST_KEY"), 0);
	assert_int_equal(setenv("TEST_EMPTY", "", 1), 0);
	check_bad("env:TEST_EMPTY",
		  "cosid.conf:7: 'key': the environment variable that env: names is empty\n");
	assert_int_equal(unsetenv("TEST_EMPTY"), 0);
	check_bad("env:TEST_KEY",
		  "cosid.conf:7: 'key': the environment variable that env: names is not set\n");
	check_bad("env:",
		  "cosid.conf:7: 'key': the environment variable that env: names is not set\n");
}

/* A secret is removed from the environment, for the sake of children and of /proc/PID/environ. */
static void
test_env__does_not_stay_in_the_environment(void **state)
{
	const char *text;

	(void)state;
	assert_int_equal(setenv("TEST_TAKEN", "sesame-open", 1), 0);
	text = getenv("TEST_TAKEN");
	check_good("env:TEST_TAKEN", "sesame-open", "");
	for (size_t i = 0; i < sizeof "sesame-open"; i++)
		assert_int_equal(text[i], 0);
	assert_string_equal(getenv("TEST_TAKEN"), "");
	/* A reload, and another backend. */
	check_good("env:TEST_TAKEN", "sesame-open", "");
	assert_int_equal(setenv("TEST_TAKEN", "another", 1), 0);
	check_good("env:TEST_TAKEN", "another", "");
	check_good("env:TEST_TAKEN", "another", "");
	assert_int_equal(unsetenv("TEST_TAKEN"), 0);
}

static void
test_env__size_limit(void **state)
{
	size_t most = 65536;
	char *value = test_malloc(most + 2);

	(void)state;
	memset(value, 'v', most + 1);
	value[most + 1] = '\0';
	assert_int_equal(setenv("TEST_KEY", value, 1), 0);
	check_bad("env:TEST_KEY", "cosid.conf:7: 'key': the environment variable that env: names "
				  "is larger than 64 KiB\n");
	value[most] = '\0';
	assert_int_equal(setenv("TEST_KEY", value, 1), 0);
	check_good("env:TEST_KEY", value, "");
	assert_int_equal(unsetenv("TEST_KEY"), 0);
	test_free(value);
}

static void
test_plain__where_everyone_can_read(void **state)
{
	struct source_location here = place;
	struct diag diag = { 0 };

	(void)state;
	check_good("plain:sesame", "sesame", "");
	check_good("plain: ", " ", "");
	check_bad("plain:", "cosid.conf:7: 'key': expected a value after plain:\n");
	here.file = files_put_bytes("open.conf", "x", 1, 0604);
	assert_non_null(source_read(&source, "plain:sesame", &here, &diag));
	assert_string_equal(files_lines(&diag),
			    "open.conf:7: warning: 'key': everyone can read the file of "
			    "this secret 'open.conf'\n");
	source_done(&source);
}

/* A secret without its 'env:' or 'file:' must not reach a terminal or a log. */
static void
test_other__is_not_repeated(void **state)
{
	static const char *const bad[] = { "",        "sesame-open", "FILE:/x",  "file",
					   "vault:x", "://sesame",   " plain:x", "plain" };

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		check_bad(bad[i],
			  "cosid.conf:7: 'key': expected file:PATH, credential:NAME, env:NAME or "
			  "plain:VALUE\n");
}

static void
test_limit__of_secrets(void **state)
{
	struct diag diag = { 0 };

	(void)state;
	for (int i = 0; i < SOURCE_SECRETS_MAX; i++)
		assert_non_null(source_read(&source, "plain:x", &place, &diag));
	assert_int_equal(diag.nerrors, 0);
	assert_null(source_read(&source, "plain:x", &place, &diag));
	assert_int_equal(diag.nerrors, 1);
	diag_done(&diag);
	source_done(&source);
}

/* Once read, a secret is masked in every later message. */
static void
test_masking__in_messages(void **state)
{
	struct diag diag = { 0 };

	(void)state;
	assert_non_null(source_read(&source, "plain:sesame-open", &place, &diag));
	diag_error(&diag, "sesame-open.conf", 1, "unknown key 'sesame-open'");
	assert_string_equal(files_lines(&diag), "***.conf:1: unknown key '***'\n");
	source_done(&source);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_file__one_line_break_is_dropped),
		cmocka_unit_test(test_any__control_bytes),
		cmocka_unit_test(test_file__what_cannot_be_a_secret),
		cmocka_unit_test(test_file__everyone_can_read),
		cmocka_unit_test(test_file__size_limit),
		cmocka_unit_test(test_credential__of_the_unit),
		cmocka_unit_test(test_credential__outside_the_unit),
		cmocka_unit_test(test_env__set_and_not_empty),
		cmocka_unit_test(test_env__does_not_stay_in_the_environment),
		cmocka_unit_test(test_env__size_limit),
		cmocka_unit_test(test_plain__where_everyone_can_read),
		cmocka_unit_test(test_other__is_not_repeated),
		cmocka_unit_test(test_limit__of_secrets),
		cmocka_unit_test(test_masking__in_messages),
	};

	return cmocka_run_group_tests(tests, files_setup, files_teardown);
}
