/* SPDX-License-Identifier: Apache-2.0
 * test_hash.c - known answers: FIPS 180-4, RFC 4231, RFC 4648. */
#include "text/hash.h"

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
test_hmac__rfc4231_case_2(void **state)
{
	static const char data[] = "what do ya want for nothing?";
	struct host host;
	struct hash hash;
	char hex[HASH_HEX_MAX];

	(void)state;
	host_init(&host, NULL);
	assert_int_equal(hash_hmac(&host.call, "Jefe", 4, data, strlen(data), &hash), 0);
	hash_hex(&hash, hex);
	assert_string_equal(hex,
			    "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
	host_done(&host);
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
		cmocka_unit_test(test_hmac__rfc4231_case_2),
		cmocka_unit_test(test_base32__known_answers),
		cmocka_unit_test(test_base64__known_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
