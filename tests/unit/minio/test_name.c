/* SPDX-License-Identifier: Apache-2.0
 * test_name.c - bucket names of this store, and names that its tags cannot hold. */
#include "minio.h"
#include "unit.h"

#include "banned.h"

static void
expect_mark(const char *name, const char *tag)
{
	const struct cosi_mark mark = { "owner", name, "1:0" };
	struct cosi_mark out;
	struct host host;

	host_init(&host, NULL);
	assert_int_equal(minio_name_mark(&host.call, &mark, &out), 0);
	assert_string_equal(out.owner, "owner");
	assert_string_equal(out.params, "1:0");
	if (tag == NULL)
		assert_ptr_equal(out.name, name);
	else
		assert_string_equal(out.name, tag);
	host_done(&host);
}

static void
test_mark__what_a_tag_holds_stays(void **state)
{
	char longest[130];

	(void)state;
	expect_mark("bc-1234.x_y:z/@+", NULL);
	memset(longest, 'n', sizeof longest);
	longest[128] = '\0';
	expect_mark(longest, NULL);
	expect_mark(NULL, NULL);
}

static void
test_mark__all_else_is_hashed(void **state)
{
	char long_name[130];

	(void)state;
	expect_mark("a b",
		    "=sha256:c8687a08aa5d6ed2044328fa6a697ab8e96dc34291e8c2034ae8c38e6fcc6d65");
	expect_mark("=a",
		    "=sha256:dc6250311f21f513242f3fcf7befe6c9a25fdf8b54aed38bd99ee310bd0a6fa2");
	memset(long_name, 'n', sizeof long_name);
	long_name[129] = '\0';
	expect_mark(long_name,
		    "=sha256:0bf2917cc7e3d671a8cb2cea35cfffbc6586cfda9f0ae830a6e1f2295b74fc8c");
}

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
		cmocka_unit_test(test_mark__what_a_tag_holds_stays),
		cmocka_unit_test(test_mark__all_else_is_hashed),
		cmocka_unit_test(test_name__of_the_servers_own_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
