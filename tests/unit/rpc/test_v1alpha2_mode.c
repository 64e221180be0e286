/* SPDX-License-Identifier: Apache-2.0
 * test_v1alpha2_mode.c - every number of both numberings of v1alpha2's access modes. */
#include "rig.h"

#include "cosi_v1alpha2.pb-c.h"

#include "banned.h"

/* A number of none of the tags. */
enum { ABSENT = -1 };

static Cosi2__AccessMode *
mode_message(Cosi2__AccessMode *out, int number)
{
	*out = (Cosi2__AccessMode)COSI2__ACCESS_MODE__INIT;
	out->mode = (Cosi2__AccessMode__Mode)number;
	return number != ABSENT ? out : NULL;
}

/* What a Grant on one bucket with these numbers asks for; 0: it is refused. */
static uint32_t
resolve(int data, int object_metadata, int bucket_metadata, struct status *status)
{
	Cosi2__DriverGrantBucketAccessRequest message =
		COSI2__DRIVER_GRANT_BUCKET_ACCESS_REQUEST__INIT;
	Cosi2__DriverGrantBucketAccessRequest__AccessedBucket bucket =
		COSI2__DRIVER_GRANT_BUCKET_ACCESS_REQUEST__ACCESSED_BUCKET__INIT;
	Cosi2__DriverGrantBucketAccessRequest__AccessedBucket *list[] = { &bucket };
	Cosi2__ObjectProtocol protocol = COSI2__OBJECT_PROTOCOL__INIT;
	Cosi2__AuthenticationType auth = COSI2__AUTHENTICATION_TYPE__INIT;
	Cosi2__AccessMode modes[3];
	struct rig_call rig;
	uint32_t mode = 0;

	protocol.type = COSI2__OBJECT_PROTOCOL__TYPE__S3;
	auth.type = COSI2__AUTHENTICATION_TYPE__TYPE__KEY;
	bucket.bucket_id = rig_long(1, 'b');
	bucket.access_mode = mode_message(&modes[0], data);
	bucket.object_metadata = mode_message(&modes[1], object_metadata);
	bucket.bucket_metadata = mode_message(&modes[2], bucket_metadata);
	message.account_name = rig_long(1, 'a');
	message.protocol = &protocol;
	message.authentication_type = &auth;
	message.n_buckets = 1;
	message.buckets = list;
	rig_send(&rig, V2 "DriverGrantBucketAccess", &message.base);
	if (rig.rc == 0)
		mode = rig.call.req.buckets[0].mode;
	else
		assert_int_equal(rig.status.code, COSI_INVALID);
	assert_true(rig.rc < 0 || mode != 0);
	*status = rig.status;
	rig_done(&rig);
	return mode;
}

static void
test_old__numbers(void **state)
{
	static const uint32_t want[] = { 0, COSI_READ_WRITE, COSI_READ_ONLY, COSI_WRITE_ONLY, 0 };
	struct status status;

	(void)state;
	for (int data = ABSENT; data <= 99; data++)
		assert_int_equal(resolve(data, ABSENT, ABSENT, &status),
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
	for (int data = ABSENT; data <= 99; data++)
		assert_int_equal(resolve(data, 1, 1, &status),
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

			assert_int_equal(resolve(data, metadata, 1, &status) != 0, fine);
			assert_int_equal(strstr(status.text, "'object_metadata'") != NULL, !fine);
			assert_int_equal(resolve(data, 1, metadata, &status) != 0, fine);
			assert_int_equal(strstr(status.text, "'bucket_metadata'") != NULL, !fine);
		}
		assert_int_not_equal(resolve(data, ABSENT, 1, &status), 0);
	}
}

/* One of the other tags makes the numbering the new one, whatever it holds. */
static void
test_is_new__either_tag(void **state)
{
	struct status status;

	(void)state;
	assert_int_equal(resolve(4, ABSENT, ABSENT, &status), 0);
	assert_non_null(strstr(status.text, "'access_mode'"));
	assert_int_equal(resolve(4, 1, ABSENT, &status), COSI_WRITE_ONLY);
	assert_int_equal(resolve(4, ABSENT, 1, &status), COSI_WRITE_ONLY);
	assert_int_equal(resolve(4, ABSENT, 0, &status), 0);
	assert_non_null(strstr(status.text, "'bucket_metadata'"));
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
