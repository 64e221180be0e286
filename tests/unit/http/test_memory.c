/* SPDX-License-Identifier: Apache-2.0
 * test_memory.c - any one allocation fails, ours or libcurl's: a clean error, nothing is lost.
 *
 * Linked with --wrap; the sanitized build reports what leaks.
 */
#include "rig.h"

#include "banned.h"

/* Allocations of this thread that still succeed; negative: all do.  The server has its own threads.
 */
static _Thread_local long left = -1;
static bool failed;

static bool
fails(void)
{
	if (left < 0 || left-- > 0)
		return false;
	failed = true; /* this one; left is -1 now */
	return true;
}

/* The linker sends every call of F in cosid's objects to __wrap_F. */
void *__real_calloc(size_t n, size_t size);
char *__real_strdup(const char *s);
void *__real_wiped_malloc(size_t size);
void *__real_wiped_calloc(size_t n, size_t size);
void *__real_wiped_realloc(void *p, size_t size);
char *__real_wiped_strdup(const char *s);
void *__wrap_calloc(size_t n, size_t size);
char *__wrap_strdup(const char *s);
void *__wrap_wiped_malloc(size_t size);
void *__wrap_wiped_calloc(size_t n, size_t size);
void *__wrap_wiped_realloc(void *p, size_t size);
char *__wrap_wiped_strdup(const char *s);

void *
__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

char *
__wrap_strdup(const char *s)
{
	return fails() ? NULL : __real_strdup(s);
}

void *
__wrap_wiped_malloc(size_t size)
{
	return fails() ? NULL : __real_wiped_malloc(size);
}

void *
__wrap_wiped_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_wiped_calloc(n, size);
}

void *
__wrap_wiped_realloc(void *p, size_t size)
{
	return fails() ? NULL : __real_wiped_realloc(p, size);
}

char *
__wrap_wiped_strdup(const char *s)
{
	return fails() ? NULL : __real_wiped_strdup(s);
}

/* It is no bug of anybody's, INTERNAL; libcurl may give another reason for it. */
static void
check_refusal(const struct rig *rig)
{
	assert_int_not_equal(rig->status.code, COSI_OK);
	assert_int_not_equal(rig->status.code, COSI_INTERNAL);
}

/* A client's whole life.   */
static void
live(struct rig *rig, const struct http_config *config)
{
	static const struct cosi_kv headers[] = { { "x-amz-date", "now" } };
	static const char *const methods[] = { "PUT", "GET" };
	const struct cosi_http_reply *reply = NULL;

	rig_begin(rig);
	rig->client = http_client_new(config, &rig->status);
	if (rig->client == NULL)
		check_refusal(rig);
	for (size_t i = 0; i < COUNT(methods) && rig->client != NULL; i++) {
		reply = http_send(rig->client, &rig->call, rig->base,
				  COSI_HTTP(.method = methods[i], .path = "/b", .query = "q",
					    .headers = headers, .nheaders = 1,
					    .body = { "xy", i == 0 ? 2 : 0 }));
		if (reply == NULL)
			check_refusal(rig);
		else
			assert_string_equal(reply->body.data, "0123456789");
	}
	http_client_free(rig->client);
	rig->client = NULL;
}

static void
every_allocation(struct rig *rig, const struct http_config *config)
{
	long n = 0;

	do {
		failed = false;
		left = n++;
		live(rig, config);
		left = -1;
	} while (failed);
	/* the one that went through untouched */
	assert_int_equal(rig->status.code, COSI_OK);
	assert_true(n > 50);
}

static const struct httpd_step answer[] = {
	{ .bytes = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\nETag: x\r\n\r\n0123456789" }
};

static void
test_allocation__any_one_fails(void **state)
{
	struct http_config config = rig_config();
	struct rig rig;

	(void)state;
	config.retries = 0;
	rig_open(&rig, &config, answer, 1);
	http_client_free(rig.client);
	every_allocation(&rig, &config);
	rig.client = NULL;
	rig_close(&rig);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_allocation__any_one_fails),
	};

	return RIG_RUN(tests);
}
