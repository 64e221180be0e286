/* SPDX-License-Identifier: Apache-2.0
 * test_hash.c - known answers: FIPS 180-4, RFC 4231, RFC 4648. */
#include "text/text.h"

#include "unit.h"

#include "banned.h"

static void
test_sha256__abc(void **state)
{
	struct host host;
	struct hash hash;
	char hex[HASH_HEX_MAX];

	(void)state;
	host_init(&host, NULL);
	assert_int_equal(hash_sha256(&host.call, "abc", 3, &hash), 0);
	hash_hex(&hash, hex);
	assert_string_equal(hex,
			    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	host_done(&host);
}

static void
expect_hmac(const char *key, size_t key_len, const char *data, const char *expected)
{
	struct host host;
	struct hash hash;
	char hex[HASH_HEX_MAX];

	host_init(&host, NULL);
	assert_int_equal(hash_hmac(&host.call, key, key_len, data, strlen(data), &hash), 0);
	hash_hex(&hash, hex);
	assert_string_equal(hex, expected);
	host_done(&host);
}

static void
test_hmac__rfc4231(void **state)
{
	char key[131];

	(void)state;
	memset(key, 0xaa, sizeof key);
	expect_hmac("Jefe", 4, "what do ya want for nothing?",
		    "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
	expect_hmac(key, sizeof key, "Test Using Larger Than Block-Size Key - Hash Key First",
		    "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

/* Computed with another program: a block's length is where a key begins to be hashed. */
static void
test_hmac__keys_around_a_block(void **state)
{
	char key[65];

	(void)state;
	memset(key, 'k', sizeof key);
	expect_hmac(key, 63, "text",
		    "c90d83e78c64ee16fe2eefa3e8a834d79d1d3d0ea483f8d9908323b714c7f134");
	expect_hmac(key, 64, "text",
		    "0414bb1d8c0c4556cdb2028727b16610ae377b1a194b6db1f853d4297f2329bc");
	expect_hmac(key, 65, "text",
		    "5b69580123e3d7e788b7e8352ac37a3247b911c5ec0837147b74109a6382d3f5");
	expect_hmac("", 0, "", "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
}

static void
test_base32__known_answers(void **state)
{
	struct hash hash = { { 0 } };
	char text[HASH_BASE32_MAX];

	(void)state;
	hash_base32(&hash, text);
	assert_string_equal(text, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
	memset(hash.bytes, 0xff, sizeof hash.bytes);
	hash_base32(&hash, text);
	assert_string_equal(text, "777777777777777777777777777777777777777777777777777Q");
	memcpy(hash.bytes, "foobarfoobarfoobarfoobarfoobarfo", sizeof hash.bytes);
	hash_base32(&hash, text);
	assert_string_equal(text, "MZXW6YTBOJTG633CMFZGM33PMJQXEZTPN5RGC4TGN5XWEYLSMZXQ");
}

static void
test_base64__known_answer(void **state)
{
	struct hash hash;
	char text[HASH_BASE64_MAX];

	(void)state;
	memcpy(hash.bytes, "foobarfoobarfoobarfoobarfoobarfo", sizeof hash.bytes);
	hash_base64(&hash, text);
	assert_string_equal(text, "Zm9vYmFyZm9vYmFyZm9vYmFyZm9vYmFyZm9vYmFyZm8=");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sha256__abc),
		cmocka_unit_test(test_hmac__rfc4231),
		cmocka_unit_test(test_hmac__keys_around_a_block),
		cmocka_unit_test(test_base32__known_answers),
		cmocka_unit_test(test_base64__known_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
