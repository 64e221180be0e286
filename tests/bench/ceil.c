/* SPDX-License-Identifier: Apache-2.0
 * ceil.c - what a store gives by itself for the HTTP requests of a COSI lifecycle.
 *
 *   ceil rgw|minio ENDPOINT CONNECTIONS SECONDS      keys in $CEIL_ACCESS_KEY, $CEIL_SECRET_KEY
 *
 * Each connection sends, one after the other, the requests that the store's module sends for
 * create, grant, revoke and delete (ceil_steps.c).  libcurl signs them; one thread.  Prints one
 * JSON line; exit 1 when an answer was not the expected one.
 */
#include <curl/curl.h>
#include <inttypes.h>
#include <openssl/sha.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/parse.h"
#include "ceil.h"

#include "banned.h"

enum { MAX_CONNS = 256 };

struct chain { /* one connection and its place among the steps */
	CURL *easy;
	struct curl_slist *headers;
	size_t step;
	char name[64], url[1024], body[2048];
};
static const struct ceil_step *steps;
static size_t nsteps;
static const char *endpoint, *access_key, *secret_key, *sigv4;
static unsigned char sealed[512]; /* a body that is no text */
static size_t sealed_len;
static unsigned long sequence, lifecycles, unexpected;
static char first_unexpected[128];

static size_t
drop(char *data, size_t size, size_t n, void *user)
{
	(void)data, (void)user;
	return size * n;
}

/* The format is not a literal, because the directives stand in the texts of the steps. */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void
set_body(struct chain *c, const struct ceil_step *step)
{
	unsigned char digest[SHA256_DIGEST_LENGTH];
	char header[128] = "x-amz-content-sha256: ";
	const void *body = c->body;
	size_t len = strlen(header), body_len;

	c->body[0] = '\0';
	if (step->body != NULL)
		(void)snprintf(c->body, sizeof c->body, step->body, c->name);
	body_len = strlen(c->body);
	if (step->flags & CEIL_SEALED) {
		body = sealed;
		body_len = sealed_len;
	}
	SHA256(body, body_len, digest);
	parse_hex(digest, sizeof digest, header + len);
	curl_slist_free_all(c->headers);
	c->headers = curl_slist_append(NULL, header);
	if (step->flags & CEIL_TYPED)
		c->headers =
			curl_slist_append(c->headers, "Content-Type: application/octet-stream");
	if (step->body != NULL) {
		curl_easy_setopt(c->easy, CURLOPT_POSTFIELDS, body);
		curl_easy_setopt(c->easy, CURLOPT_POSTFIELDSIZE, (long)body_len);
	}
}

static void
prepare(struct chain *c)
{
	const struct ceil_step *step = &steps[c->step];
	bool as_account = (step->flags & CEIL_AS_ACCOUNT) != 0;
	char target[512];

	curl_easy_reset(c->easy);
	(void)snprintf(target, sizeof target, step->target,
		       step->flags & CEIL_OWN_KEY ? access_key : c->name, c->name);
	(void)snprintf(c->url, sizeof c->url, "%s%s", endpoint, target);
	set_body(c, step);
	curl_easy_setopt(c->easy, CURLOPT_URL, c->url);
	curl_easy_setopt(c->easy, CURLOPT_AWS_SIGV4, sigv4);
	curl_easy_setopt(c->easy, CURLOPT_USERNAME, as_account ? c->name : access_key);
	curl_easy_setopt(c->easy, CURLOPT_PASSWORD, secret_key);
	curl_easy_setopt(c->easy, CURLOPT_NOPROXY, "*");
	curl_easy_setopt(c->easy, CURLOPT_HTTPHEADER, c->headers);
	curl_easy_setopt(c->easy, CURLOPT_WRITEFUNCTION, drop);
	curl_easy_setopt(c->easy, CURLOPT_TIMEOUT, 60L);
	curl_easy_setopt(c->easy, CURLOPT_CUSTOMREQUEST, step->method);
	curl_easy_setopt(c->easy, CURLOPT_NOBODY, strcmp(step->method, "HEAD") == 0 ? 1L : 0L);
	curl_easy_setopt(c->easy, CURLOPT_PRIVATE, c);
}

static void
begin(struct chain *c)
{
	c->step = 0;
	(void)snprintf(c->name, sizeof c->name, "ceil-%x-%lu", (unsigned)getpid(), sequence++);
}

/* After an answer: the next step, a new lifecycle, or the end of this connection (false). */
static bool
advance(struct chain *c, bool more)
{
	long status = 0;

	curl_easy_getinfo(c->easy, CURLINFO_RESPONSE_CODE, &status);
	if (status != steps[c->step].status && unexpected++ == 0)
		(void)snprintf(first_unexpected, sizeof first_unexpected, "%s step %zu: %ld",
			       steps[c->step].method, c->step, status);
	if (++c->step == nsteps) {
		lifecycles++;
		if (!more)
			return false;
		begin(c);
	}
	prepare(c);
	return true;
}

/* Of this process. */
static int64_t
cpu_us(void)
{
	struct rusage used;

	(void)getrusage(RUSAGE_SELF, &used);
	return ((int64_t)used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000 +
	       used.ru_utime.tv_usec + used.ru_stime.tv_usec;
}

static double
run(CURLM *multi, struct chain *chains, int64_t nchains, int64_t seconds)
{
	int64_t start = clock_mono_us(), stop = start + seconds * 1000000, active = nchains;
	int running, left;
	CURLMsg *message;

	for (int64_t i = 0; i < nchains; i++) {
		chains[i].easy = curl_easy_init();
		begin(&chains[i]);
		prepare(&chains[i]);
		curl_multi_add_handle(multi, chains[i].easy);
	}
	while (active > 0) {
		curl_multi_perform(multi, &running);
		while ((message = curl_multi_info_read(multi, &left)) != NULL) {
			struct chain *c;
			curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&c);
			curl_multi_remove_handle(multi, c->easy);
			if (advance(c, clock_mono_us() < stop))
				curl_multi_add_handle(multi, c->easy);
			else
				active--;
		}
		if (active > 0)
			curl_multi_poll(multi, NULL, 0, 100, NULL);
	}
	return (double)(clock_mono_us() - start) / 1e6;
}

/* The sealed body is made by who starts this: it is the same for all users. */
static int
read_sealed(const char *path)
{
	FILE *file = path != NULL ? fopen(path, "re") : NULL;

	if (path == NULL)
		return 0;
	if (file == NULL)
		return -1;
	sealed_len = fread(sealed, 1, sizeof sealed, file);
	return fclose(file);
}

int
main(int argc, char **argv)
{
	static struct chain chains[MAX_CONNS];
	int64_t nchains = 0, seconds = 0, began_us;
	double elapsed;
	CURLM *multi;

	access_key = getenv("CEIL_ACCESS_KEY");
	secret_key = getenv("CEIL_SECRET_KEY");
	steps = argc == 5 ? ceil_steps_of(argv[1], &nsteps, &sigv4) : NULL;
	if (steps == NULL || parse_int(argv[3], &nchains) != 0 ||
	    parse_int(argv[4], &seconds) != 0 || nchains < 1 || nchains > MAX_CONNS ||
	    access_key == NULL || secret_key == NULL || read_sealed(getenv("CEIL_SEALED")) != 0) {
		(void)fprintf(stderr, "usage: CEIL_ACCESS_KEY=.. CEIL_SECRET_KEY=.. "
				      "[CEIL_SEALED=FILE] ceil rgw|minio ENDPOINT CONNECTIONS "
				      "SECONDS\n");
		return 2;
	}
	endpoint = argv[2];
	curl_global_init(CURL_GLOBAL_ALL);
	multi = curl_multi_init();
	curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)nchains + 8);
	began_us = cpu_us();
	elapsed = run(multi, chains, nchains, seconds);
	(void)printf("{\"lifecycles\":%lu,\"lifecycles_per_s\":%.2f,\"cpu_us\":%" PRId64
		     ",\"unexpected\":%lu,\"first\":\"%s\"}\n",
		     lifecycles, (double)lifecycles / elapsed, cpu_us() - began_us, unexpected,
		     first_unexpected);
	return unexpected == 0 ? 0 : 1;
}
