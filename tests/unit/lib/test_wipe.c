/* SPDX-License-Identifier: Apache-2.0
 * test_wipe.c - keys, and what follows from them, do not stay on the stack. */
#include "fakes/wipe.h"

#include <arpa/inet.h>

#include "s3/name.h"
#include "text/text.h"

#include "unit.h"

#include "banned.h"

#define OWNER "cosid.example.org"

struct job {
	struct host host;
	const char *key, *secret;
	struct hash mac;
};
static struct job job;

static void
run_hmac(void *arg)
{
	(void)arg;
	assert_int_equal(hash_hmac(&job.host.call, job.key, strlen(job.key), "text", 4, &job.mac),
			 0);
}

static void
run_secret(void *arg)
{
	(void)arg;
	job.secret = s3_account_secret(&job.host.call, "minio", job.key, OWNER, "cosi-ba-1");
	assert_non_null(job.secret);
}

/* As the words of SHA-256's state. */
static void
check_words(const struct hash *hash)
{
	uint32_t words[HASH_BYTES / sizeof(uint32_t)];

	memcpy(words, hash->bytes, sizeof words);
	for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
		words[i] = ntohl(words[i]);
	assert_false(wipe_stack_has(words, sizeof words));
}

static void
check_pads(const void *key, size_t len)
{
	static const uint8_t masks[] = { 0, 0x36, 0x5c };
	uint8_t pad[64];

	for (size_t i = 0; i < sizeof masks; i++) {
		memcpy(pad, key, len);
		for (size_t j = 0; j < len; j++)
			pad[j] ^= masks[i];
		assert_false(wipe_stack_has(pad, len));
	}
}

/* Without this the others would pass whatever happened. */
static void
leave_text(void *arg)
{
	char text[64];

	memcpy(text, arg, sizeof text);
	__asm__ volatile("" : : "r"(text) : "memory");
}

static void
test_search__finds_what_is_left(void **state)
{
	static char text[64] = "something that nobody wipes, and that is easy to find again";

	(void)state;
	wipe_run(leave_text, text);
	assert_true(wipe_stack_has(text, sizeof text));
}

static void
test_hmac__short_key(void **state)
{
	static const char key[] = "a key that is shorter than a block of SHA-256";

	(void)state;
	host_init(&job.host, NULL);
	job.key = key;
	wipe_run(run_hmac, NULL);
	check_pads(key, sizeof key - 1);
	check_words(&job.mac);
	host_done(&job.host);
}

static void
test_hmac__long_key(void **state)
{
	static const char key[] =
		"a key that is longer than a block of SHA-256, so that the digest takes its place";
	struct hash digest;

	(void)state;
	host_init(&job.host, NULL);
	job.key = key;
	assert_int_equal(hash_sha256(&job.host.call, key, sizeof key - 1, &digest), 0);
	wipe_run(run_hmac, NULL);
	check_pads(digest.bytes, sizeof digest.bytes);
	check_words(&digest);
	check_words(&job.mac);
	host_done(&job.host);
}

static void
test_secret__of_an_account(void **state)
{
	static const char key[] = "current-credential-key-0123456789abcdef";
	static const char id[] = "cosid/minio/secret-key/1/" OWNER "/cosi-ba-1";
	char text[HASH_BASE32_MAX];

	(void)state;
	host_init(&job.host, NULL);
	job.key = key;
	wipe_run(run_secret, NULL);
	assert_int_equal(
		hash_hmac(&job.host.call, key, sizeof key - 1, id, sizeof id - 1, &job.mac), 0);
	hash_base32(&job.mac, text);
	assert_string_equal(job.secret, text);
	assert_false(wipe_stack_has(text, strlen(text)));
	assert_false(wipe_stack_has(job.mac.bytes, sizeof job.mac.bytes));
	host_done(&job.host);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_search__finds_what_is_left),
		cmocka_unit_test(test_hmac__short_key),
		cmocka_unit_test(test_hmac__long_key),
		cmocka_unit_test(test_secret__of_an_account),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
