/* SPDX-License-Identifier: Apache-2.0
 * test_codes.c - every cell of the code table (docs/design/api.md), by the method's path. */
#include "rig.h"

#include <grpc/status.h>

#include "banned.h"

struct cell {
	uint32_t code;
	unsigned grpc;
};

/* What all methods of both versions answer alike: clauses 28, 30, 31, 32, 33, and clause 78, by
 * which 3, 6, 11 and 12 are final for a client and the others are not. */
static const struct cell common[] = {
	{ COSI_OK, GRPC_STATUS_OK },
	{ COSI_INVALID, GRPC_STATUS_INVALID_ARGUMENT },
	{ COSI_PRECONDITION, GRPC_STATUS_FAILED_PRECONDITION },
	{ COSI_DENIED, GRPC_STATUS_PERMISSION_DENIED },
	{ COSI_UNAUTHENTICATED, GRPC_STATUS_UNAUTHENTICATED },
	{ COSI_BUSY, GRPC_STATUS_ABORTED },
	{ COSI_UNAVAILABLE, GRPC_STATUS_UNAVAILABLE },
	{ COSI_TIMEOUT, GRPC_STATUS_DEADLINE_EXCEEDED },
	{ COSI_EXHAUSTED, GRPC_STATUS_RESOURCE_EXHAUSTED },
	{ COSI_UNSUPPORTED, GRPC_STATUS_UNIMPLEMENTED },
	{ COSI_INTERNAL, GRPC_STATUS_INTERNAL },
};

static unsigned
answer(const char *path, uint32_t code, size_t nbuckets)
{
	return codes_grpc(rig_method(path)->codes, code, nbuckets);
}

static void
test_codes__common(void **state)
{
	(void)state;
	for (const struct api_version *const *d = api_versions; *d != NULL; d++)
		for (size_t i = 0; i < (*d)->nmethods; i++)
			for (size_t c = 0; c < sizeof common / sizeof common[0]; c++)
				for (size_t n = 0; n < 3; n++)
					assert_int_equal(codes_grpc((*d)->methods[i].codes,
								    common[c].code, n),
							 common[c].grpc);
}

static void
test_codes__no_such_code(void **state)
{
	(void)state;
	assert_int_equal(answer(V1 "DriverCreateBucket", COSI_INTERNAL + 1, 0),
			 GRPC_STATUS_INTERNAL);
	assert_int_equal(answer(V2 "DriverDeleteBucket", UINT32_MAX, 0), GRPC_STATUS_INTERNAL);
}

/* clause 8: a value that cannot be used is OUT_OF_RANGE. */
static void
test_out_of_range__v1alpha1(void **state)
{
	(void)state;
	assert_int_equal(answer(V1 "DriverCreateBucket", COSI_OUT_OF_RANGE, 0),
			 GRPC_STATUS_OUT_OF_RANGE);
	assert_int_equal(answer(V1 "DriverGrantBucketAccess", COSI_OUT_OF_RANGE, 1),
			 GRPC_STATUS_OUT_OF_RANGE);
	assert_int_equal(answer(V1 "DriverDeleteBucket", COSI_OUT_OF_RANGE, 0),
			 GRPC_STATUS_INVALID_ARGUMENT);
	assert_int_equal(answer(V1 "DriverRevokeBucketAccess", COSI_OUT_OF_RANGE, 1),
			 GRPC_STATUS_INVALID_ARGUMENT);
}

/* OUT_OF_RANGE at v1alpha2 means that several buckets cannot be had together, and that alone. */
static void
test_out_of_range__v1alpha2(void **state)
{
	(void)state;
	for (size_t n = 0; n < 3; n++) {
		assert_int_equal(answer(V2 "DriverCreateBucket", COSI_OUT_OF_RANGE, n),
				 GRPC_STATUS_INVALID_ARGUMENT);
		assert_int_equal(answer(V2 "DriverGetBucket", COSI_OUT_OF_RANGE, n),
				 GRPC_STATUS_INVALID_ARGUMENT);
		assert_int_equal(answer(V2 "DriverGetExistingBucket", COSI_OUT_OF_RANGE, n),
				 GRPC_STATUS_INVALID_ARGUMENT);
		assert_int_equal(answer(V2 "DriverDeleteBucket", COSI_OUT_OF_RANGE, n),
				 GRPC_STATUS_INVALID_ARGUMENT);
		assert_int_equal(answer(V2 "DriverRevokeBucketAccess", COSI_OUT_OF_RANGE, n),
				 GRPC_STATUS_INVALID_ARGUMENT);
		assert_int_equal(answer(V2 "DriverGrantBucketAccess", COSI_OUT_OF_RANGE, n),
				 n > 1 ? GRPC_STATUS_OUT_OF_RANGE : GRPC_STATUS_INVALID_ARGUMENT);
	}
}

/* clause 6: an incompatible bucket is ALREADY_EXISTS; never on Grant, where v0.2.2's sidecar dies
 * of it. */
static void
test_exists__v1alpha1(void **state)
{
	(void)state;
	assert_int_equal(answer(V1 "DriverCreateBucket", COSI_EXISTS, 0),
			 GRPC_STATUS_ALREADY_EXISTS);
	assert_int_equal(answer(V1 "DriverGrantBucketAccess", COSI_EXISTS, 1),
			 GRPC_STATUS_FAILED_PRECONDITION);
	assert_int_equal(answer(V1 "DriverDeleteBucket", COSI_EXISTS, 0),
			 GRPC_STATUS_FAILED_PRECONDITION);
	assert_int_equal(answer(V1 "DriverRevokeBucketAccess", COSI_EXISTS, 1),
			 GRPC_STATUS_FAILED_PRECONDITION);
}

/* clauses 62, 74 */
static void
test_exists__v1alpha2(void **state)
{
	static const char *const paths[] = {
		V2 "DriverCreateBucket",      V2 "DriverGetExistingBucket",
		V2 "DriverGetBucket",         V2 "DriverDeleteBucket",
		V2 "DriverGrantBucketAccess", V2 "DriverRevokeBucketAccess",
	};

	(void)state;
	for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
		assert_int_equal(answer(paths[i], COSI_EXISTS, 1), GRPC_STATUS_ALREADY_EXISTS);
}

/* clause 72: Get says so, and Grant. Of Delete and Revoke clients would take it for "gone", which
 * is OK and nothing else: there it is a module's bug. */
static void
test_not_found__both(void **state)
{
	(void)state;
	assert_int_equal(answer(V1 "DriverDeleteBucket", COSI_NOT_FOUND, 0), GRPC_STATUS_INTERNAL);
	assert_int_equal(answer(V1 "DriverRevokeBucketAccess", COSI_NOT_FOUND, 1),
			 GRPC_STATUS_INTERNAL);
	assert_int_equal(answer(V2 "DriverDeleteBucket", COSI_NOT_FOUND, 0), GRPC_STATUS_INTERNAL);
	assert_int_equal(answer(V2 "DriverRevokeBucketAccess", COSI_NOT_FOUND, 2),
			 GRPC_STATUS_INTERNAL);
	assert_int_equal(answer(V1 "DriverGrantBucketAccess", COSI_NOT_FOUND, 1),
			 GRPC_STATUS_NOT_FOUND);
	assert_int_equal(answer(V2 "DriverGrantBucketAccess", COSI_NOT_FOUND, 1),
			 GRPC_STATUS_NOT_FOUND);
	assert_int_equal(answer(V2 "DriverGetBucket", COSI_NOT_FOUND, 0), GRPC_STATUS_NOT_FOUND);
	assert_int_equal(answer(V2 "DriverGetExistingBucket", COSI_NOT_FOUND, 0),
			 GRPC_STATUS_NOT_FOUND);
	assert_int_equal(answer(V1 "DriverCreateBucket", COSI_NOT_FOUND, 0), GRPC_STATUS_INTERNAL);
	assert_int_equal(answer(V2 "DriverCreateBucket", COSI_NOT_FOUND, 0), GRPC_STATUS_INTERNAL);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_codes__common),
		cmocka_unit_test(test_codes__no_such_code),
		cmocka_unit_test(test_out_of_range__v1alpha1),
		cmocka_unit_test(test_out_of_range__v1alpha2),
		cmocka_unit_test(test_exists__v1alpha1),
		cmocka_unit_test(test_exists__v1alpha2),
		cmocka_unit_test(test_not_found__both),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
