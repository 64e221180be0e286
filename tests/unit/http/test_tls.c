/* SPDX-License-Identifier: Apache-2.0
 * test_tls.c - whom a client trusts. */
#include <arpa/inet.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fakes/pki.h"
#include "rig.h"

#include "banned.h"

static char dir[] = "/tmp/cosid-test-pki-XXXXXX";
static const char *const leaves[] = { "good", "expired", "other" };

static const struct httpd_step ok[] = { { .bytes = OK } };

static const char *
path_of(const char *name, const char *suffix, char out[static 128])
{
	(void)snprintf(out, 128, "%s/%s%s", dir, name, suffix);
	return out;
}

static int
make_certificates(void **state)
{
	struct pki *pki;

	(void)state;
	if (http_global_init() != 0 || mkdtemp(dir) == NULL)
		return -1;
	pki = pki_new(dir);
	pki_issue(pki, "good", "IP:127.0.0.1", 1);
	pki_issue(pki, "expired", "IP:127.0.0.1", -1);
	pki_issue(pki, "other", "DNS:other.example,IP:127.0.0.2", 1);
	pki_free(pki);
	return 0;
}

static int
remove_certificates(void **state)
{
	char path[128];

	(void)state;
	for (size_t i = 0; i < COUNT(leaves); i++) {
		(void)unlink(path_of(leaves[i], ".pem", path));
		(void)unlink(path_of(leaves[i], ".key", path));
	}
	(void)unlink(path_of("ca", ".pem", path));
	http_global_done();
	return rmdir(dir);
}

/* A server with that certificate, and a client that trusts the test's CA, the system's, or any. */
static void
open_tls(struct rig *rig, const char *leaf, bool with_ca, bool insecure)
{
	char cert[128], key[128], ca[128];
	const struct httpd_tls tls = { path_of(leaf, ".pem", cert), path_of(leaf, ".key", key) };
	struct http_config config = rig_config();
	struct status status = { 0 };

	*rig = (struct rig){ 0 };
	arena_init(&rig->arena, (size_t)1 << 20);
	rig->httpd = httpd_start(ok, 1, &tls);
	rig->base = httpd_url(rig->httpd);
	config.ca_file = with_ca ? path_of("ca", ".pem", ca) : NULL;
	config.insecure = insecure;
	rig->client = http_client_new(&config, &status);
	assert_non_null(rig->client);
}

static void
test_trusted__by_ca_file(void **state)
{
	struct rig rig;

	(void)state;
	open_tls(&rig, "good", true, false);
	for (int i = 0; i < 3; i++)
		assert_non_null(rig_send(&rig, .method = "PUT", .path = "/b"));
	assert_int_equal(httpd_nconnections(rig.httpd), 1);
	rig_close(&rig);
}

/* Nothing is sent, and it is not tried again: the same certificate would come. */
static void
refused(const char *leaf, bool with_ca, const char *reason)
{
	struct rig rig;
	char text[512];

	open_tls(&rig, leaf, with_ca, false);
	assert_null(rig_send(&rig, .method = "PUT", .path = "/b"));
	(void)snprintf(text, sizeof text, "cannot reach %s: %s", rig.base, reason);
	assert_failed(&rig, COSI_UNAVAILABLE, text);
	assert_int_equal(rig.call.unknown_ms, 0);
	assert_int_equal(httpd_nrequests(rig.httpd), 0);
	assert_int_equal(httpd_nconnections(rig.httpd), 1);
	rig_close(&rig);
}

static void
test_refused__unknown_ca(void **state)
{
	(void)state;
	refused("good", false, "SSL certificate problem: unable to get local issuer certificate");
}

static void
test_refused__expired(void **state)
{
	(void)state;
	refused("expired", true, "SSL certificate problem: certificate has expired");
}

static void
test_refused__other_host(void **state)
{
	(void)state;
	refused("other", true,
		"SSL: no alternative certificate subject name matches target host name "
		"'127.0.0.1'");
}

static void
test_insecure__takes_all(void **state)
{
	struct rig rig;

	(void)state;
	for (size_t i = 0; i < COUNT(leaves); i++) {
		open_tls(&rig, leaves[i], i == 0, true);
		assert_non_null(rig_send(&rig, .method = "PUT", .path = "/b"));
		rig_close(&rig);
	}
}

/* http:// asked on a TLS port, https:// on a plain one. */
static void
test_mismatch__of_schemes(void **state)
{
	struct rig rig;
	char base[128], text[256];

	(void)state;
	open_tls(&rig, "good", true, false);
	(void)snprintf(base, sizeof base, "http%s", rig.base + strlen("https"));
	rig.base = base;
	assert_null(rig_send(&rig, .method = "PUT", .path = "/b"));
	assert_int_equal(rig.status.code, COSI_UNAVAILABLE);
	rig_close(&rig);
	rig_open(&rig, NULL, ok, 1);
	(void)snprintf(base, sizeof base, "https%s", rig.base + strlen("http"));
	rig.base = base;
	/* the server waits for the end of a head, the client for a handshake */
	http_client_free(rig.client);
	rig.client = http_client_new(&(struct http_config){ .backend = "shop",
							    .connect_timeout_ms = 250,
							    .request_timeout_ms = RIG_PATIENCE_MS },
				     &rig.status);
	assert_null(rig_send(&rig, .method = "PUT", .path = "/b"));
	(void)snprintf(text, sizeof text, "cannot reach %s: no connection within 250 ms", base);
	assert_failed(&rig, COSI_UNAVAILABLE, text);
	rig_close(&rig);
}

/* A web server that answers what it cannot read, as they all do. */
static void *
answer_in_plain(void *arg)
{
	static const char answer[] = ANSWER("400 Bad Request");
	char hello[4096];
	int fd = accept(*(int *)arg, NULL, NULL);

	if (read(fd, hello, sizeof hello) > 0)
		(void)!write(fd, answer, sizeof answer - 1);
	(void)shutdown(fd, SHUT_WR);
	while (read(fd, hello, sizeof hello) > 0)
		;
	(void)close(fd);
	return NULL;
}

static void
test_mismatch__is_asked_about(void **state)
{
	static const char hint[] = "wrong version number: does it speak TLS?";
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof address;
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct http_config config = rig_config();
	struct rig rig;
	char base[64];
	pthread_t thread;

	(void)state;
	assert_int_equal(bind(listener, (struct sockaddr *)&address, len), 0);
	assert_int_equal(listen(listener, 1), 0);
	assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &len), 0);
	(void)snprintf(base, sizeof base, "https://127.0.0.1:%u", ntohs(address.sin_port));
	assert_int_equal(pthread_create(&thread, NULL, answer_in_plain, &listener), 0);
	config.retries = 0;
	rig_open(&rig, &config, ok, 1);
	rig.base = base;
	assert_null(rig_send(&rig, .method = "PUT", .path = "/b"));
	assert_int_equal(rig.status.code, COSI_UNAVAILABLE);
	assert_non_null(strstr(rig.status.text, base));
	assert_non_null(strstr(rig.status.text, hint));
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(close(listener), 0);
	rig_close(&rig);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trusted__by_ca_file),
		cmocka_unit_test(test_refused__unknown_ca),
		cmocka_unit_test(test_refused__expired),
		cmocka_unit_test(test_refused__other_host),
		cmocka_unit_test(test_insecure__takes_all),
		cmocka_unit_test(test_mismatch__of_schemes),
		cmocka_unit_test(test_mismatch__is_asked_about),
	};

	return cmocka_run_group_tests(tests, make_certificates, remove_certificates);
}
