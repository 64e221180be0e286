/* SPDX-License-Identifier: Apache-2.0
 * test_left_out.c - backends that a start leaves out: the others serve, and it is tried again. */
#include <sys/stat.h>
#include <sys/wait.h>

#include "backends.h"
#include "module/crash.h"
#include "module/crash_record.h"

#include "banned.h"

/* ---- what cannot be opened ---- */

static void
test_start__others_serve(void **state)
{
	struct world *world = *state;
	struct generation *generation;
	const struct backend *backends;
	char text[8192];

	(void)snprintf(text, sizeof text,
		       "%s,\n%s,\n%s,\n{ name = \"b4\"; module = \"absent\"; },\n%s",
		       entry(world, "b1", ""), entry(world, "b2", "colour = 1;"),
		       entry(world, "b3", "fail_open = true;"),
		       entry(world, "b5", "retries = \"many\"; accept_new = 7;"));
	generation = open_in_mode(world, text, GENERATION_START);
	assert_non_null(generation);
	assert_int_equal(generation->nbackends, 5);
	assert_int_equal(generation->nleft_out, 4);
	assert_int_equal(generation->protocols, COSI_S3);
	backends = generation->backends;
	assert_null(backends[0].left_out);
	rig_assert_has(backends[1].left_out, "cosid.conf:5: unknown key 'colour'");
	rig_assert_has(backends[2].left_out, "backend 'b3': cannot open 'here': told to fail");
	rig_assert_has(backends[3].left_out, "backend 'b4': cannot load module 'absent'");
	rig_assert_has(backends[4].left_out, "cosid.conf:8: 'retries': ");
	/* What a request would need to know of them. */
	assert_int_equal(backends[1].module->protocols, COSI_S3);
	assert_string_equal(backends[3].module->name, "absent");
	assert_int_equal(backends[3].module->protocols, COSI_S3 | COSI_AZURE | COSI_GCS);
	assert_true(backends[4].config->accept_new);
	assert_int_equal(world->diag.nerrors, 5);
	counted(world, "o");
	generation_unref(generation);
	counted(world, "oc");
}

static void
test_start__needs_one_that_opens(void **state)
{
	struct world *world = *state;

	assert_null(open_in_mode(world, entry(world, "b", "fail_open = true;"), GENERATION_START));
	assert_int_equal(world->diag.nerrors, 1);
}

static void
test_retry__leaves_the_open_ones_alone(void **state)
{
	struct world *world = *state;
	const char *secret = rig_path(world->dir, "secret");
	struct generation *next;
	char text[8192], more[4096];

	(void)snprintf(more, sizeof more, "password = \"file:%s\";", secret);
	(void)snprintf(text, sizeof text, "%s,\n%s", entry(world, "b1", ""),
		       entry(world, "b2", more));
	world->before = open_in_mode(world, text, GENERATION_START);
	assert_int_equal(world->before->nleft_out, 1);
	counted(world, "o");
	next = open_in_mode(world, text, GENERATION_RETRY);
	assert_int_equal(next->nleft_out, 1);
	rig_assert_has(next->backends[1].left_out, "No such file or directory");
	generation_unref(next);
	counted(world, "o");
	rig_write(secret, "s3cret-of-b2", 12);
	assert_int_equal(chmod(secret, 0600), 0);
	/* A change of the open one is left for a reload. */
	(void)snprintf(text, sizeof text, "%s,\n%s", entry(world, "b1", "region = \"there\";"),
		       entry(world, "b2", more));
	next = open_in_mode(world, text, GENERATION_RETRY);
	assert_int_equal(next->nleft_out, 0);
	assert_true(backend_is_same(&world->before->backends[0], &next->backends[0]));
	counted(world, "oo");
	generation_unref((struct generation *)(uintptr_t)world->before);
	generation_unref(next);
	counted(world, "oocc");
	world->before = NULL;
}

/* ---- modules that end the process ---- */

static const char *
record_in(const struct world *world)
{
	return rig_path(world->dir, "admin/record");
}

/* A process that opens the backend and then ends like that; what it has left out, or none. */
static unsigned
run_process(struct world *world, const char *more, void (*end)(void))
{
	const char *backends = entry(world, "b", more);
	struct status status = { 0 };
	unsigned count = 0;
	int how, ends[2];
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		struct generation *generation;

		for (int sig = 1; sig < NSIG; sig++)
			(void)signal(sig, SIG_DFL);
		if (freopen("/dev/null", "w", stderr) == NULL)
			_exit(EXIT_FAILURE);
		crash_install();
		if (crash_record_open(record_in(world), &status) < 0)
			_exit(EXIT_FAILURE);
		generation = open_in_mode(world, backends, GENERATION_START);
		if (generation == NULL)
			_exit(EXIT_FAILURE);
		crash_record_write(generation);
		count = (unsigned)generation->nleft_out;
		(void)!write(ends[1], &count, sizeof count);
		if (end == NULL) {
			crash_record_end();
			_exit(EXIT_SUCCESS);
		}
		CRASH_SCOPE(&generation->backends[0], "grant", LOG_NO_FIELDS);
		end();
	}
	(void)close(ends[1]);
	assert_int_equal(read(ends[0], &count, sizeof count), sizeof count);
	(void)close(ends[0]);
	assert_int_equal(waitpid(pid, &how, 0), pid);
	assert_int_equal(WIFSIGNALED(how), end != NULL);
	return count;
}

static void
test_crash__third_in_a_row_leaves_it_out(void **state)
{
	struct world *world = *state;

	for (int i = 0; i < CRASH_RECORD_LIMIT; i++)
		assert_int_equal(run_process(world, "", abort), 0);
	assert_int_equal(run_process(world, "", NULL), 1);
	/* A clean stop changes nothing once it is left out, other settings do. */
	assert_int_equal(run_process(world, "", NULL), 1);
	assert_int_equal(run_process(world, "region = \"there\";", NULL), 0);
	assert_int_equal(run_process(world, "", NULL), 0);
}

static void
test_crash__clean_end_breaks_the_row(void **state)
{
	struct world *world = *state;

	for (int i = 0; i < 3 * CRASH_RECORD_LIMIT; i++) {
		assert_int_equal(run_process(world, "", abort), 0);
		if (i % 2 == 1)
			assert_int_equal(run_process(world, "", NULL), 0);
	}
}

/* As long as nothing else is known: a record that is cut, of another format, or too long. */
static void
test_record__unreadable_one_says_nothing(void **state)
{
	static const unsigned char digest[32];
	struct world *world = *state;
	const char *const texts[] = { "crash b 0000000000000000",
				      "crash b 0000000000000000 \n",
				      "crash\nserves\nserves b\n",
				      "serves b x\n",
				      "\n\n\n",
				      "serves b",
				      "crash bb 0000000000000000\n" };
	struct status status = { 0 };

	assert_int_equal(mkdir(rig_path(world->dir, "admin"), 0700), 0);
	for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
		rig_write(record_in(world), texts[i], strlen(texts[i]));
		assert_int_equal(crash_record_open(record_in(world), &status), 0);
		assert_int_equal(crash_record_count("b", digest), 0);
		assert_int_equal(crash_record_protocols("b", "good"), 0);
		crash_record_end();
	}
}

static void
test_record__remembers_a_backend_that_is_left_out(void **state)
{
	const char *const before = "serves b2 absent 1\nserves b1 other 2\n"
				   "crash b2 0123456789abcdef\n"
				   "end\n"
				   "crash b2 0123456789abcdef\ncrash b3 0123456789abcdef\n";
	struct world *world = *state;
	struct generation *generation;
	struct status status = { 0 };
	char text[4096], *record;
	size_t len;

	assert_int_equal(mkdir(rig_path(world->dir, "admin"), 0700), 0);
	rig_write(record_in(world), before, strlen(before));
	assert_int_equal(crash_record_open(record_in(world), &status), 0);
	(void)snprintf(text, sizeof text, "%s,\n{ name = \"b2\"; module = \"absent\"; }",
		       entry(world, "b1", ""));
	generation = open_in_mode(world, text, GENERATION_START);
	assert_int_equal(generation->backends[1].module->protocols, COSI_S3);
	assert_int_equal(generation->protocols, COSI_S3);
	crash_record_write(generation);
	generation_unref(generation);
	/* Another module may serve something else. */
	assert_int_equal(crash_record_protocols("b1", "good"), COSI_S3);
	assert_int_equal(crash_record_protocols("b1", "other"), 0);
	record = rig_read(record_in(world), &len);
	assert_string_equal(record, "serves b1 good 1\nserves b2 absent 1\n"
				    "crash b2 0123456789abcdef\n");
	free(record);
	crash_record_end();
	record = rig_read(record_in(world), &len);
	rig_assert_has(record, "\nend\n");
	free(record);
}

/* Another cosid serves on the socket. */
static void
test_record__is_left_alone_by_a_start_that_fails(void **state)
{
	struct world *world = *state;
	struct status status = { 0 };
	char *record;
	size_t len;

	assert_int_equal(mkdir(rig_path(world->dir, "admin"), 0700), 0);
	rig_write(record_in(world), "serves b good 1\n", 16);
	assert_int_equal(crash_record_open(record_in(world), &status), 0);
	crash_record_end();
	record = rig_read(record_in(world), &len);
	assert_string_equal(record, "serves b good 1\n");
	free(record);
}

static void
test_record__cannot_be_opened(void **state)
{
	struct world *world = *state;
	struct status status = { 0 };

	assert_int_equal(crash_record_open(rig_path(world->dir, "no/such/record"), &status), -1);
	rig_assert_has(status.text, "cannot open the record of crashes '");
	rig_assert_has(status.text, "no/such/record': No such file or directory");
	/* Nothing happens without. */
	crash_record_end();
	/* Where others could write it. */
	status = (struct status){ 0 };
	assert_int_equal(mkdir(rig_path(world->dir, "open"), 0700), 0);
	assert_int_equal(chmod(rig_path(world->dir, "open"), 0777), 0);
	assert_int_equal(crash_record_open(rig_path(world->dir, "open/record"), &status), -1);
	rig_assert_has(status.text, "open/record': users other than its owner may write to '");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_start__others_serve, setup, teardown),
		cmocka_unit_test_setup_teardown(test_start__needs_one_that_opens, setup, teardown),
		cmocka_unit_test_setup_teardown(test_retry__leaves_the_open_ones_alone, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_crash__third_in_a_row_leaves_it_out, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_crash__clean_end_breaks_the_row, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_record__unreadable_one_says_nothing, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_record__remembers_a_backend_that_is_left_out,
						setup, teardown),
		cmocka_unit_test_setup_teardown(test_record__is_left_alone_by_a_start_that_fails,
						setup, teardown),
		cmocka_unit_test_setup_teardown(test_record__cannot_be_opened, setup, teardown),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
