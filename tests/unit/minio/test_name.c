/* SPDX-License-Identifier: Apache-2.0
 * test_name.c - bucket names of this store. */
#include "minio.h"
#include "unit.h"

#include "banned.h"

static void
test_name__of_the_servers_own_pages(void **state)
{
	struct host host;

	(void)state;
	host_init(&host, NULL);
	assert_false(minio_name_is_bucket("minio"));
	assert_false(minio_name_is_bucket("a/b"));
	assert_true(minio_name_is_bucket("minio-1"));
	assert_null(minio_map_name(NULL, &host.call, COSI_BUCKET, "minio", true));
	assert_int_equal(host.code, COSI_INVALID);
	host_reset(&host);
	assert_true(minio_name_is_bucket(
		minio_map_name(NULL, &host.call, COSI_BUCKET, "minio", false)));
	assert_string_equal(minio_map_name(NULL, &host.call, COSI_ACCOUNT, "minio", true), "minio");
	host_done(&host);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_name__of_the_servers_own_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
