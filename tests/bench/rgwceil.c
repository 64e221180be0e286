/* SPDX-License-Identifier: Apache-2.0
 * rgwceil.c - what a RADOS Gateway gives by itself for the HTTP requests of a COSI lifecycle.
 *
 *   rgwceil ENDPOINT CONNECTIONS SECONDS      keys in $RGW_ACCESS_KEY, $RGW_SECRET_KEY
 *
 * Each connection sends, one after the other, the thirteen requests that the ceph-rgw module sends
 * for create, grant, revoke and delete (docs/design.md section 9).  libcurl signs them; one thread.
 * Prints one JSON line; exit 1 when an answer was not the expected one.
 */
#include <curl/curl.h>
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

#include "banned.h"

static const struct step {
	const char *method, *target; /* %s: bucket and account name; %a: the driver's access key */
	const char *body;
	long status;
} steps[] = {
	{ "GET", "/%s?tagging=", NULL, 404 },
	{ "PUT", "/%s", "", 200 },
	{ "PUT", "/%s?tagging=",
	  "<Tagging><TagSet><Tag><Key>cosi-driver</Key><Value>bench.example.org</Value></"
	  "Tag><Tag><Key>cosi-name</Key>"
	  "<Value>%s</Value></Tag><Tag><Key>cosi-params</"
	  "Key><Value>1:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991"
	  "b7852b855</Value></Tag></TagSet></Tagging>",
	  200 },
	{ "HEAD", "/%s", NULL, 200 },
	{ "PUT", "/admin/user?display-name=cosid%%3Abench&max-buckets=-1&uid=%s", "", 200 },
	{ "POST", "/",
	  "Action=PutUserPolicy&PolicyDocument=%%7B%%22Version%%22%%3A%%222012-10-17%%22%%2C%%"
	  "22Statement%%22%%3A%%5B%%7B%%22Effect"
	  "%%22%%3A%%22Allow%%22%%2C%%22Action%%22%%3A%%5B%%22s3%%3AGetObject%%22%%5D%%2C%%"
	  "22Resource%%22%%3A%%5B%%22arn%%3Aaws"
	  "%%3As3%%3A%%3A%%3Abench%%22%%5D%%7D%%5D%%7D&PolicyName=cosi&UserName=%s",
	  200 },
	{ "GET", "/admin/user?uid=%s", NULL, 200 },
	{ "GET", "/admin/user?uid=%s", NULL, 200 },
	{ "DELETE", "/admin/user?uid=%s", NULL, 200 },
	{ "GET", "/admin/user?uid=%s", NULL, 404 },
	{ "GET", "/admin/user?access-key=%a&stats=true", NULL, 200 },
	{ "GET", "/%s?tagging=", NULL, 200 },
	{ "DELETE", "/%s", NULL, 204 },
};
enum { NSTEPS = sizeof steps / sizeof steps[0], MAX_CONNS = 256 };

struct chain { /* one connection and its place among the steps */
	CURL *easy;
	struct curl_slist *headers;
	size_t step;
	char name[64], url[1024], body[2048];
};
static const char *endpoint, *access_key, *secret_key;
static unsigned long sequence, lifecycles, unexpected;
static char first_unexpected[128];

static size_t
drop(char *data, size_t size, size_t n, void *user)
{
	(void)data, (void)user;
	return size * n;
}

/* The directives of the steps' texts are ours, so the format is not a literal. */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void
set_body(struct chain *c, const struct step *step)
{
	unsigned char digest[SHA256_DIGEST_LENGTH];
	char header[128] = "x-amz-content-sha256: ";
	size_t len = strlen(header);

	c->body[0] = '\0';
	if (step->body != NULL)
		(void)snprintf(c->body, sizeof c->body, step->body, c->name);
	SHA256((const unsigned char *)c->body, strlen(c->body), digest);
	parse_hex(digest, sizeof digest, header + len);
	curl_slist_free_all(c->headers);
	c->headers = curl_slist_append(NULL, header);
	if (step->body != NULL) {
		curl_easy_setopt(c->easy, CURLOPT_POSTFIELDS, c->body);
		curl_easy_setopt(c->easy, CURLOPT_POSTFIELDSIZE, (long)strlen(c->body));
	}
}

static void
prepare(struct chain *c)
{
	const struct step *step = &steps[c->step];
	bool own = strstr(step->target, "%a") != NULL;
	char target[512];

	curl_easy_reset(c->easy);
	(void)snprintf(target, sizeof target,
		       own ? "/admin/user?access-key=%s&stats=true" : step->target,
		       own ? access_key : c->name);
	(void)snprintf(c->url, sizeof c->url, "%s%s", endpoint, target);
	set_body(c, step);
	curl_easy_setopt(c->easy, CURLOPT_URL, c->url);
	curl_easy_setopt(c->easy, CURLOPT_AWS_SIGV4, "aws:amz:default:s3");
	curl_easy_setopt(c->easy, CURLOPT_USERNAME, access_key);
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
	if (++c->step == NSTEPS) {
		lifecycles++;
		if (!more)
			return false;
		begin(c);
	}
	prepare(c);
	return true;
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

int
main(int argc, char **argv)
{
	static struct chain chains[MAX_CONNS];
	int64_t nchains = 0, seconds = 0;
	double elapsed;
	CURLM *multi;

	access_key = getenv("RGW_ACCESS_KEY");
	secret_key = getenv("RGW_SECRET_KEY");
	if (argc != 4 || parse_int(argv[2], &nchains) != 0 || parse_int(argv[3], &seconds) != 0 ||
	    nchains < 1 || nchains > MAX_CONNS || access_key == NULL || secret_key == NULL) {
		(void)fprintf(stderr, "usage: RGW_ACCESS_KEY=.. RGW_SECRET_KEY=.. rgwceil ENDPOINT "
				      "CONNECTIONS SECONDS\n");
		return 2;
	}
	endpoint = argv[1];
	curl_global_init(CURL_GLOBAL_ALL);
	multi = curl_multi_init();
	curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)nchains + 8);
	elapsed = run(multi, chains, nchains, seconds);
	(void)printf("{\"lifecycles\":%lu,\"lifecycles_per_s\":%.2f,\"unexpected\":%lu,\"first\":"
		     "\"%s\"}\n",
		     lifecycles, (double)lifecycles / elapsed, unexpected, first_unexpected);
	return unexpected == 0 ? 0 : 1;
}
