/* SPDX-License-Identifier: Apache-2.0
 * test_wipe.c - no signature stays on the stack, no key in memory after close(). */
#include "fakes/wipe.h"

#include "azure.h"
#include "text/text.h"
#include "unit.h"
#include "vectors.h"

#include "banned.h"

extern const struct cosi_module cosi_module;

struct job {
	struct host host;
	struct azure_key key;
	const char *signature;
};

static void
run_sign(void *arg)
{
	struct job *job = arg;

	job->signature = azure_key_sign(&job->host.call, &job->key, "a text");
}

/* A SAS is a signature and what everybody knows. */
static void
test_sign__signature(void **state)
{
	static struct job job;
	struct hash mac;

	(void)state;
	host_init(&job.host, NULL);
	assert_int_equal(azure_key_read(ACCOUNT_KEY, &job.key), 0);
	wipe_run(run_sign, &job);
	assert_int_equal(strlen(job.signature), 44);
	assert_false(wipe_stack_has(job.signature, 44));
	assert_int_equal(hash_hmac(&job.host.call, job.key.bytes, job.key.len, "a text", 6, &mac),
			 0);
	assert_false(wipe_stack_has(mac.bytes, sizeof mac.bytes));
	explicit_bzero(&job.key, sizeof job.key);
	host_done(&job.host);
}

static void
test_close__key(void **state)
{
	static const struct azure_config config = { .account = "cosiacct",
						    .account_key = ACCOUNT_KEY,
						    .token_form = "container" };
	static uint8_t key[64];
	struct host host;
	void *instance;

	(void)state;
	for (size_t i = 0; i < sizeof key; i++)
		key[i] = (uint8_t)i;
	wipe_look_for(key, sizeof key);
	explicit_bzero(key, sizeof key);
	host_init(&host, "https://cosiacct.blob.core.windows.net");
	assert_int_equal(cosi_module.open(&host.call, &config, &instance), 0);
	host_reset(&host);
	assert_int_equal(wipe_count(), 1);
	cosi_module.close(instance);
	assert_int_equal(wipe_count(), 0);
	host_done(&host);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sign__signature),
		cmocka_unit_test(test_close__key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
