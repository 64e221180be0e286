/* SPDX-License-Identifier: Apache-2.0
 * test_name.c - bucket names of this store. */
#include "minio.h"
#include "unit.h"

#include "banned.h"

extern const struct cosi_module cosi_module;

static const char *
map_name(struct host *host, uint32_t kind, const char *asked, bool exact)
{
	return cosi_module.map_name(NULL, &host->call, kind, asked, exact);
}

static void
test_name__of_the_servers_own_pages(void **state)
{
	const char *other;
	struct host host;

	(void)state;
	host_init(&host, NULL);
	assert_string_equal(map_name(&host, COSI_BUCKET, "minio-1", true), "minio-1");
	assert_null(map_name(&host, COSI_BUCKET, "a/b", true));
	host_reset(&host);
	assert_null(map_name(&host, COSI_BUCKET, "minio", true));
	assert_int_equal(host.code, COSI_INVALID);
	host_reset(&host);
	other = map_name(&host, COSI_BUCKET, "minio", false);
	assert_string_equal(map_name(&host, COSI_BUCKET, other, true), other);
	assert_string_equal(map_name(&host, COSI_ACCOUNT, "minio", true), "minio");
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
