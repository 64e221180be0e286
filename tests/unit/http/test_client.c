/* SPDX-License-Identifier: Apache-2.0
 * test_client.c - many threads on one client, connections that are kept and let go. */
#include "http/client.h"

#include <dirent.h>
#include <pthread.h>
#include <unistd.h>

#include "rig.h"

#include "banned.h"

enum { THREADS = 16, REQUESTS = 200 };

struct worker {
	struct rig *rig;
	pthread_t thread;
	int number, failed;
};

/* Each answer must be the one to its own request. */
static void *
ask(void *arg)
{
	static const char *const methods[] = { "GET", "PUT", "POST", "DELETE" };
	static const atomic_bool never;
	struct worker *worker = arg;
	const struct cosi_http_reply *reply;
	char path[64], expected[128];

	for (int i = 0; i < REQUESTS; i++) {
		const char *method = methods[i % 4];
		struct status status = { 0 };
		struct arena arena;
		struct http_call call = { .arena = &arena,
					  .status = &status,
					  .deadline_ms = CLOCK_NEVER,
					  .cancelled = &never };

		arena_init(&arena, 65536);
		(void)snprintf(path, sizeof path, "/%d/%d", worker->number, i);
		(void)snprintf(expected, sizeof expected, "%s %s HTTP/1.1", method, path);
		reply = http_send(worker->rig->client, &call, worker->rig->base,
				  COSI_HTTP(.method = method, .path = path));
		worker->failed += reply == NULL || strcmp(reply->body.data, expected) != 0 ||
				  call.nrequests != 1;
		arena_done(&arena);
	}
	return NULL;
}

static void
run_workers(struct rig *rig)
{
	struct worker workers[THREADS];

	for (int i = 0; i < THREADS; i++) {
		workers[i] = (struct worker){ .rig = rig, .number = i };
		assert_int_equal(pthread_create(&workers[i].thread, NULL, ask, &workers[i]), 0);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(workers[i].thread, NULL);
		assert_int_equal(workers[i].failed, 0);
	}
}

static const struct httpd_step echo[] = { { .echo = 1 } };

static void
test_threads__each_gets_its_own_answer(void **state)
{
	struct rig rig;

	(void)state;
	rig_open(&rig, NULL, echo, 1);
	run_workers(&rig);
	assert_int_equal(httpd_nrequests(rig.httpd), THREADS * REQUESTS);
	/* connections are kept, and never more than were needed at once */
	assert_in_range(httpd_nconnections(rig.httpd), 1, THREADS);
	rig_close(&rig);
}

/* The reaper closes while others work. */
static void
test_threads__with_handles_that_expire(void **state)
{
	struct http_config config = rig_config();
	struct rig rig;

	(void)state;
	config.idle_ms = 1;
	rig_open(&rig, &config, echo, 1);
	run_workers(&rig);
	assert_int_equal(httpd_nrequests(rig.httpd), THREADS * REQUESTS);
	httpd_wait_all_closed(rig.httpd);
	rig_close(&rig);
}

static void
test_kept__one_connection_for_one_after_the_other(void **state)
{
	struct rig rig;

	(void)state;
	rig_open(&rig, NULL, echo, 1);
	for (int i = 0; i < 10; i++)
		assert_non_null(rig_send(&rig, .method = "GET", .path = "/b"));
	assert_int_equal(httpd_nconnections(rig.httpd), 1);
	rig_close(&rig);
}

/* A connection without requests is closed after its idle time. */
static void
test_idle__connection_is_closed(void **state)
{
	struct http_config config = rig_config();
	struct rig rig;

	(void)state;
	config.idle_ms = 20;
	rig_open(&rig, &config, echo, 1);
	for (int i = 1; i <= 3; i++) {
		assert_non_null(rig_send(&rig, .method = "GET", .path = "/b"));
		httpd_wait_all_closed(rig.httpd);
		assert_int_equal(httpd_nconnections(rig.httpd), i);
	}
	rig_close(&rig);
}

static unsigned
count_reapers(void)
{
	unsigned n = 0;
	char path[300], name[32];
	DIR *dir = opendir("/proc/self/task");

	for (const struct dirent *entry; (entry = readdir(dir)) != NULL;) {
		FILE *file;

		(void)snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
		file = fopen(path, "re");
		n += file != NULL && fgets(name, sizeof name, file) != NULL &&
		     strcmp(name, "http-reaper\n") == 0;
		if (file != NULL)
			(void)fclose(file);
	}
	(void)closedir(dir);
	return n;
}

/* One reaper closes for all clients, and goes with the last of them. */
static void
test_idle__one_reaper_for_all_clients(void **state)
{
	struct http_config config = rig_config();
	struct rig rigs[3];

	(void)state;
	config.idle_ms = 20;
	for (size_t i = 0; i < COUNT(rigs); i++) {
		rig_open(&rigs[i], &config, echo, 1);
		assert_non_null(rig_send(&rigs[i], .method = "GET", .path = "/b"));
	}
	assert_int_equal(count_reapers(), 1);
	for (size_t i = 0; i < COUNT(rigs); i++) {
		httpd_wait_all_closed(rigs[i].httpd);
		rig_close(&rigs[i]);
	}
	assert_int_equal(count_reapers(), 0);
	/* and comes again with the next */
	rig_open(&rigs[0], &config, echo, 1);
	assert_non_null(rig_send(&rigs[0], .method = "GET", .path = "/b"));
	httpd_wait_all_closed(rigs[0].httpd);
	rig_close(&rigs[0]);
}

static void
test_idle__at_most_64_handles(void **state)
{
	struct handle *handles[CLIENT_IDLE_MAX + 1];
	struct status status = { 0 };
	struct http_config config = rig_config();
	struct http_client *client = http_client_new(&config, &status);
	struct origin *origin = client_origin(client, "http://127.0.0.1:1", &status);

	(void)state;
	for (size_t i = 0; i < COUNT(handles); i++)
		handles[i] = client_take(client, origin);
	for (size_t i = 0; i < COUNT(handles); i++)
		client_give(client, origin, handles[i]);
	assert_int_equal(client_nidle(origin), CLIENT_IDLE_MAX);
	/* the one that came back last goes out first */
	assert_ptr_equal(client_take(client, origin), handles[CLIENT_IDLE_MAX - 1]);
	client_give(client, origin, handles[CLIENT_IDLE_MAX - 1]);
	http_client_free(client);
}

static void
ca_file_refused(const char *text, const char *reason)
{
	char path[] = "/tmp/cosid-test-ca-XXXXXX", expected[256];
	struct http_config config = rig_config();
	struct status status = { 0 };
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	(void)close(fd);
	config.ca_file = path;
	assert_null(http_client_new(&config, &status));
	(void)snprintf(expected, sizeof expected, "%s '%s'", reason, path);
	assert_string_equal(status.text, expected);
	assert_int_equal(status.code, COSI_INVALID);
	(void)unlink(path);
}

static void
test_ca_file__unusable(void **state)
{
	struct http_config config = rig_config();
	struct status status = { 0 };

	(void)state;
	config.ca_file = "/nowhere/ca.pem";
	assert_null(http_client_new(&config, &status));
	assert_string_equal(status.text,
			    "cannot read ca_file '/nowhere/ca.pem': No such file or directory");
	assert_int_equal(status.code, COSI_INVALID);
	ca_file_refused("", "no certificate in PEM form in ca_file");
	ca_file_refused("-----BEGIN PRIVATE KEY-----\n", "no certificate in PEM form in ca_file");
	status = (struct status){ 0 };
	config.ca_file = "/";
	assert_null(http_client_new(&config, &status));
	assert_int_equal(status.code, COSI_INVALID);
}

static void
test_timeouts__above_zero(void **state)
{
	struct http_config config = rig_config();
	struct status status = { 0 };

	(void)state;
	config.connect_timeout_ms = 0;
	assert_null(http_client_new(&config, &status));
	assert_string_equal(status.text, "connect_timeout and request_timeout must be above zero");
	assert_int_equal(status.code, COSI_INVALID);
	config = rig_config();
	config.request_timeout_ms = 0;
	assert_null(http_client_new(&config, &status));
	config.request_timeout_ms = 1;
	config.connect_timeout_ms = 1;
	http_client_free(http_client_new(&config, &status));
}

static void
test_free__nothing(void **state)
{
	(void)state;
	http_client_free(NULL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_threads__each_gets_its_own_answer),
		cmocka_unit_test(test_threads__with_handles_that_expire),
		cmocka_unit_test(test_kept__one_connection_for_one_after_the_other),
		cmocka_unit_test(test_idle__connection_is_closed),
		cmocka_unit_test(test_idle__one_reaper_for_all_clients),
		cmocka_unit_test(test_idle__at_most_64_handles),
		cmocka_unit_test(test_ca_file__unusable),
		cmocka_unit_test(test_timeouts__above_zero),
		cmocka_unit_test(test_free__nothing),
	};

	return RIG_RUN(tests);
}
