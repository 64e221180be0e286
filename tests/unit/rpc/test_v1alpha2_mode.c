/* SPDX-License-Identifier: Apache-2.0
 * test_v1alpha2_mode.c - every number of both numberings of v1alpha2's access modes. */
#include "rig.h"

#include "rpc/v1alpha2.h"

#include "banned.h"

static uint32_t
resolve(int data, int object_metadata, int bucket_metadata, bool newer, struct status *status)
{
	const struct mode_numbers numbers = { data, object_metadata, bucket_metadata };
	uint32_t mode = 0;

	*status = (struct status){ 0 };
	if (mode_resolve(&numbers, newer, &mode, status) != 0)
		assert_int_equal(status->code, COSI_INVALID);
	return mode;
}

static void
test_old__numbers(void **state)
{
	static const uint32_t want[] = { 0, COSI_READ_WRITE, COSI_READ_ONLY, COSI_WRITE_ONLY, 0 };
	struct status status;

	(void)state;
	for (int data = MODE_ABSENT; data <= 99; data++)
		assert_int_equal(resolve(data, MODE_ABSENT, MODE_ABSENT, false, &status),
				 data >= 0 && data < 5 ? want[data] : 0);
	assert_non_null(strstr(status.text, "'access_mode'"));
}

static void
test_new__numbers(void **state)
{
	static const uint32_t want[] = { 0, COSI_READ_ONLY, COSI_READ_WRITE, COSI_READ_ONLY,
					 COSI_WRITE_ONLY };
	struct status status;

	(void)state;
	for (int data = MODE_ABSENT; data <= 99; data++)
		assert_int_equal(resolve(data, 1, 1, true, &status),
				 data >= 0 && data < 5 ? want[data] : 0);
	assert_non_null(strstr(status.text, "'object_data'"));
}

/* data: 1 ANY, 2 READ_WRITE, 3 READ_ONLY, 4 WRITE_ONLY; metadata likewise. */
static void
test_new__metadata(void **state)
{
	struct status status;

	(void)state;
	for (int data = 1; data <= 4; data++) {
		for (int metadata = 0; metadata <= 5; metadata++) {
			bool fine = metadata == 1 || (metadata == 3 && data != 4);

			assert_int_equal(resolve(data, metadata, 1, true, &status) != 0, fine);
			assert_int_equal(strstr(status.text, "'object_metadata'") != NULL, !fine);
			assert_int_equal(resolve(data, 1, metadata, true, &status) != 0, fine);
			assert_int_equal(strstr(status.text, "'bucket_metadata'") != NULL, !fine);
		}
		assert_int_not_equal(resolve(data, MODE_ABSENT, 1, true, &status), 0);
	}
}

static void
test_is_new__either_tag(void **state)
{
	(void)state;
	assert_false(mode_is_new(&(struct mode_numbers){ 4, MODE_ABSENT, MODE_ABSENT }));
	assert_true(mode_is_new(&(struct mode_numbers){ 4, 1, MODE_ABSENT }));
	assert_true(mode_is_new(&(struct mode_numbers){ 4, MODE_ABSENT, 0 }));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_old__numbers),
		cmocka_unit_test(test_new__numbers),
		cmocka_unit_test(test_new__metadata),
		cmocka_unit_test(test_is_new__either_tag),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
