/* SPDX-License-Identifier: Apache-2.0
 * test_seal.c - sealed bodies, against texts that madmin-go opens. */
#include "minio.h"

#include <stdio.h>

#include "unit.h"

#include "banned.h"

#define PASSWORD "cosi-admin-secret-key-0123456789"
#define HEAD     "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f02a0a1a2a3a4a5a6a7"

static void
open_seal(struct minio_seal *seal, struct host *host)
{
	static const uint8_t nonce[8] = { 0xa0, 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7 };
	static uint8_t salt[MINIO_SEAL_SALT];

	host_init(host, NULL);
	for (size_t i = 0; i < sizeof salt; i++)
		salt[i] = (uint8_t)i;
	host->random = salt;
	minio_seal_init(seal, PASSWORD);
	memcpy(&seal->nonce, nonce, sizeof nonce);
}

static void
expect(const char *text, const char *hex)
{
	struct minio_seal seal;
	struct host host;
	struct cosi_bytes sealed;
	char digits[3];

	open_seal(&seal, &host);
	sealed = minio_seal_text(&seal, &host.call, text);
	assert_int_equal(sealed.len, strlen(hex) / 2);
	for (size_t i = 0; i < sealed.len; i++) {
		(void)snprintf(digits, sizeof digits, "%02x", ((const uint8_t *)sealed.data)[i]);
		assert_memory_equal(digits, hex + 2 * i, 2);
	}
	minio_seal_done(&seal);
	host_done(&host);
}

static void
test_seal__known_answers(void **state)
{
	(void)state;
	expect("{\"secretKey\":\"0123456789abcdef0123456789abcdef01234567\",\"status\":"
	       "\"enabled\"}",
	       HEAD
	       "e1ca417dade20593821e44fca548af54dfe060dcd33ad9498e63140f5aa6de8ab52966f778c79dfa"
	       "f02e8b353b979e9dd7dcbfa56c928731514684d19e0c9742543d78260abbe1c4a7fb12ec30150cb6"
	       "99069c6e0b98c084bd42d5");
	expect("", HEAD "51fb587ce39a0ef6b896c3d775bd6e78");
}

/* Two bodies under one key must never have one nonce. */
static void
test_seal__nonces_differ(void **state)
{
	struct minio_seal seal;
	struct host host;
	struct cosi_bytes one, two;

	(void)state;
	open_seal(&seal, &host);
	one = minio_seal_text(&seal, &host.call, "text");
	two = minio_seal_text(&seal, &host.call, "text");
	assert_memory_equal(one.data, two.data, MINIO_SEAL_SALT + 1);
	assert_memory_not_equal((const char *)one.data + MINIO_SEAL_SALT + 1,
				(const char *)two.data + MINIO_SEAL_SALT + 1, 8);
	assert_memory_not_equal((const char *)one.data + MINIO_SEAL_HEAD,
				(const char *)two.data + MINIO_SEAL_HEAD, 4);
	minio_seal_done(&seal);
	host_done(&host);
}

static void
test_seal__one_fragment_and_no_more(void **state)
{
	static char text[MINIO_SEAL_MOST + 2];
	struct minio_seal seal;
	struct host host;

	(void)state;
	open_seal(&seal, &host);
	memset(text, 't', MINIO_SEAL_MOST);
	assert_int_equal(minio_seal_text(&seal, &host.call, text).len,
			 MINIO_SEAL_HEAD + MINIO_SEAL_MOST + MINIO_SEAL_TAG);
	text[MINIO_SEAL_MOST] = 't';
	assert_int_equal(minio_seal_text(&seal, &host.call, text).len, 0);
	assert_int_equal(host.code, COSI_INTERNAL);
	minio_seal_done(&seal);
	host_done(&host);
}

static void
test_seal__done_leaves_no_key(void **state)
{
	static const struct minio_seal nothing;
	struct minio_seal seal;
	struct host host;

	(void)state;
	open_seal(&seal, &host);
	assert_true(minio_seal_text(&seal, &host.call, "text").len > 0);
	minio_seal_done(&seal);
	assert_memory_equal(&seal, &nothing, sizeof seal);
	host_done(&host);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_seal__known_answers),
		cmocka_unit_test(test_seal__nonces_differ),
		cmocka_unit_test(test_seal__one_fragment_and_no_more),
		cmocka_unit_test(test_seal__done_leaves_no_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
