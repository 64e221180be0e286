/* SPDX-License-Identifier: Apache-2.0
 * test_v1alpha2.c - requests of v1alpha2 to ours, in both numberings of the access modes. */
#include "rig.h"

#include "cosi_v1alpha2.pb-c.h"

#include "banned.h"

static char *
text(const char *s)
{
	return (char *)(uintptr_t)s;
}

/* clauses 61, 67, 70: protocols may be none, several, and named twice. */
static void
test_create__request(void **state)
{
	struct rig_call rig;

	(void)state;
	rig_decode(&rig, V2 "DriverCreateBucket",
		   "\x0a\x04"
		   "bc-1\x12\x02\x08\x01\x12\x02\x08\x03\x12\x02\x08\x01\x22\x06\x0a\x01k\x12\x01v",
		   26);
	RIG_OK(&rig);
	assert_int_equal(rig.call.req.op, REQUEST_CREATE);
	assert_string_equal(rig.call.req.name, "bc-1");
	assert_int_equal(rig.call.req.protocols, COSI_S3 | COSI_GCS);
	assert_false(rig.call.req.exact_names);
	assert_false(rig.call.req.delay_reply);
	assert_int_equal(rig.call.req.nparams, 1);
	rig_done(&rig);
	rig_decode(&rig, V2 "DriverCreateBucket",
		   "\x0a\x04"
		   "bc-1",
		   6);
	RIG_OK(&rig);
	assert_int_equal(rig.call.req.protocols, 0);
	rig_done(&rig);
}

/* clauses 63, 66, 68 */
static void
test_create__refused(void **state)
{
	struct rig_call rig;

	(void)state;
	rig_decode(&rig, V2 "DriverCreateBucket", "", 0);
	rig_refused(&rig, COSI_INVALID, "field 'name' is required");
	rig_decode(&rig, V2 "DriverCreateBucket", "\x0a\x02Zz", 4);
	rig_refused(&rig, COSI_INVALID, "field 'name' is not a DNS subdomain");
	rig_decode(&rig, V2 "DriverCreateBucket", "\x0a\x01n\x12\x00", 5);
	rig_refused(&rig, COSI_INVALID, "field 'protocols' must be S3, AZURE or GCS, it is 0");
	rig_decode(&rig, V2 "DriverCreateBucket", "\x0a\x01n\x12\x02\x08\x04", 7);
	rig_refused(&rig, COSI_INVALID, "it is 4");
	rig_decode(&rig, V2 "DriverCreateBucket",
		   "\x0a\x01n\x12\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 16);
	rig_refused(&rig, COSI_INVALID, "it is -1");
}

/* clause 72: both names of the method. */
static void
test_get__both_names(void **state)
{
	static const char *const methods[] = { V2 "DriverGetExistingBucket", V2 "DriverGetBucket" };
	struct rig_call rig;

	(void)state;
	for (int i = 0; i < 2; i++) {
		rig_decode(&rig, methods[i],
			   "\x0a\x03old\x12\x02\x08\x02\x22\x06\x0a\x01k\x12\x01v", 17);
		RIG_OK(&rig);
		assert_int_equal(rig.call.req.op, REQUEST_GET);
		assert_string_equal(rig.call.req.id, "old");
		assert_int_equal(rig.call.req.protocols, COSI_AZURE);
		assert_int_equal(rig.call.req.nparams, 1);
		rig_done(&rig);
		rig_decode(&rig, methods[i], "\x0a\x03o/d", 5);
		rig_refused(&rig, COSI_INVALID,
			    "'existing_bucket_id' may contain only letters, digits");
		rig_decode(&rig, methods[i], "", 0);
		rig_refused(&rig, COSI_INVALID, "field 'existing_bucket_id' is required");
	}
}

static void
test_delete__request(void **state)
{
	Cosi2__DriverDeleteBucketRequest message = COSI2__DRIVER_DELETE_BUCKET_REQUEST__INIT;
	struct rig_call rig;

	(void)state;
	message.bucket_id = rig_long(2048, 'x');
	rig_send(&rig, V2 "DriverDeleteBucket", &message.base);
	RIG_OK(&rig);
	assert_int_equal(rig.call.req.op, REQUEST_DELETE);
	assert_int_equal(strlen(rig.call.req.id), 2048);
	rig_done(&rig);
	message.bucket_id = rig_long(2049, 'x');
	rig_send(&rig, V2 "DriverDeleteBucket", &message.base);
	rig_refused(&rig, COSI_INVALID, "field 'bucket_id' is 2049 bytes long");
	message.bucket_id = text("");
	rig_send(&rig, V2 "DriverDeleteBucket", &message.base);
	rig_refused(&rig, COSI_INVALID, "field 'bucket_id' is required");
}

/* A Grant to be changed and sent: one bucket, S3, KEY, old numbering. */
struct grant {
	Cosi2__DriverGrantBucketAccessRequest message;
	Cosi2__ObjectProtocol protocol;
	Cosi2__AuthenticationType auth;
	Cosi2__DriverGrantBucketAccessRequest__AccessedBucket buckets[LIMIT_BUCKETS + 1];
	Cosi2__DriverGrantBucketAccessRequest__AccessedBucket *list[LIMIT_BUCKETS + 1];
	Cosi2__AccessMode modes[LIMIT_BUCKETS + 1][3];
	char ids[LIMIT_BUCKETS + 1][32];
};

static struct grant *
grant_new(size_t nbuckets)
{
	static struct grant g;

	memset(&g, 0, sizeof g);
	g.message = (Cosi2__DriverGrantBucketAccessRequest)
		COSI2__DRIVER_GRANT_BUCKET_ACCESS_REQUEST__INIT;
	g.protocol = (Cosi2__ObjectProtocol)COSI2__OBJECT_PROTOCOL__INIT;
	g.protocol.type = COSI2__OBJECT_PROTOCOL__TYPE__S3;
	g.auth = (Cosi2__AuthenticationType)COSI2__AUTHENTICATION_TYPE__INIT;
	g.auth.type = COSI2__AUTHENTICATION_TYPE__TYPE__KEY;
	g.message.account_name = text("ba-1");
	g.message.protocol = &g.protocol;
	g.message.authentication_type = &g.auth;
	g.message.n_buckets = nbuckets;
	g.message.buckets = g.list;
	for (size_t i = 0; i < nbuckets; i++) {
		g.list[i] = &g.buckets[i];
		g.buckets[i] = (Cosi2__DriverGrantBucketAccessRequest__AccessedBucket)
			COSI2__DRIVER_GRANT_BUCKET_ACCESS_REQUEST__ACCESSED_BUCKET__INIT;
		(void)snprintf(g.ids[i], sizeof g.ids[i], "r.b%zu", i);
		g.buckets[i].bucket_id = g.ids[i];
		for (int m = 0; m < 3; m++)
			g.modes[i][m] = (Cosi2__AccessMode)COSI2__ACCESS_MODE__INIT;
		g.modes[i][0].mode = COSI2__ACCESS_MODE__MODE__READ_WRITE;
		g.buckets[i].access_mode = &g.modes[i][0];
	}
	return &g;
}

/* The numbers of tags 2, 3 and 4; < 0: not there. */
static void
set_modes(struct grant *g, size_t i, int data, int object_metadata, int bucket_metadata)
{
	g->modes[i][0].mode = (Cosi2__AccessMode__Mode)data;
	g->modes[i][1].mode = (Cosi2__AccessMode__Mode)object_metadata;
	g->modes[i][2].mode = (Cosi2__AccessMode__Mode)bucket_metadata;
	g->buckets[i].access_mode = data < 0 ? NULL : &g->modes[i][0];
	g->buckets[i].object_metadata = object_metadata < 0 ? NULL : &g->modes[i][1];
	g->buckets[i].bucket_metadata = bucket_metadata < 0 ? NULL : &g->modes[i][2];
}

static void
grant_send(struct grant *g, struct rig_call *rig)
{
	rig_send(rig, V2 "DriverGrantBucketAccess", &g->message.base);
}

static void
test_grant__request(void **state)
{
	struct grant *g = grant_new(2);
	struct rig_call rig;

	(void)state;
	set_modes(g, 1, 3, -1, -1);
	grant_send(g, &rig);
	RIG_OK(&rig);
	assert_int_equal(rig.call.req.op, REQUEST_GRANT);
	assert_string_equal(rig.call.req.name, "ba-1");
	assert_int_equal(rig.call.req.protocols, COSI_S3);
	assert_int_equal(rig.call.req.auth, COSI_AUTH_KEY);
	assert_null(rig.call.req.service_account);
	assert_false(rig.call.req.mode_is_param);
	assert_int_equal(rig.call.req.nbuckets, 2);
	assert_string_equal(rig.call.req.buckets[0].id, "r.b0");
	assert_int_equal(rig.call.req.buckets[0].mode, COSI_READ_WRITE);
	assert_string_equal(rig.call.req.buckets[1].id, "r.b1");
	assert_int_equal(rig.call.req.buckets[1].mode, COSI_WRITE_ONLY);
	rig_done(&rig);
}

static void
test_grant__required(void **state)
{
	struct grant *g = grant_new(1);
	struct rig_call rig;

	(void)state;
	g->message.account_name = text("");
	grant_send(g, &rig);
	rig_refused(&rig, COSI_INVALID, "field 'account_name' is required");
	g = grant_new(1);
	g->message.protocol = NULL;
	grant_send(g, &rig);
	rig_refused(&rig, COSI_INVALID, "field 'protocol' is required");
	g = grant_new(1);
	g->protocol.type = COSI2__OBJECT_PROTOCOL__TYPE__UNKNOWN;
	grant_send(g, &rig);
	rig_refused(&rig, COSI_INVALID, "field 'protocol' must be S3, AZURE or GCS, it is 0");
	g = grant_new(1);
	g->message.authentication_type = NULL;
	grant_send(g, &rig);
	rig_refused(&rig, COSI_INVALID, "field 'authentication_type' is required");
	g = grant_new(1);
	g->auth.type = (Cosi2__AuthenticationType__Type)3;
	grant_send(g, &rig);
	rig_refused(&rig, COSI_INVALID,
		    "'authentication_type' must be KEY or SERVICE_ACCOUNT, it is 3");
	g = grant_new(0);
	grant_send(g, &rig);
	rig_refused(&rig, COSI_INVALID, "field 'buckets' is required");
	g = grant_new(1);
	g->buckets[0].bucket_id = text("");
	grant_send(g, &rig);
	rig_refused(&rig, COSI_INVALID, "field 'bucket_id' is required");
	g = grant_new(1);
	set_modes(g, 0, -1, -1, -1);
	grant_send(g, &rig);
	rig_refused(&rig, COSI_INVALID, "field 'access_mode' must be");
}

static void
test_grant__service_account(void **state)
{
	struct grant *g = grant_new(1);
	struct rig_call rig;

	(void)state;
	g->auth.type = COSI2__AUTHENTICATION_TYPE__TYPE__SERVICE_ACCOUNT;
	grant_send(g, &rig);
	rig_refused(&rig, COSI_INVALID, "field 'service_account_name' is required");
	g->message.service_account_name = text("robot");
	grant_send(g, &rig);
	RIG_OK(&rig);
	assert_int_equal(rig.call.req.auth, COSI_AUTH_SERVICE_ACCOUNT);
	assert_string_equal(rig.call.req.service_account, "robot");
	rig_done(&rig);
	g->auth.type = COSI2__AUTHENTICATION_TYPE__TYPE__KEY;
	grant_send(g, &rig);
	RIG_OK(&rig);
	assert_null(rig.call.req.service_account);
	rig_done(&rig);
	g->message.service_account_name = rig_long(129, 'x');
	grant_send(g, &rig);
	rig_refused(&rig, COSI_INVALID, "field 'service_account_name' is 129 bytes long");
}

static void
test_grant__buckets_at_the_limit(void **state)
{
	struct grant *g = grant_new(LIMIT_BUCKETS);
	struct rig_call rig;

	(void)state;
	grant_send(g, &rig);
	RIG_OK(&rig);
	assert_int_equal(rig.call.req.nbuckets, LIMIT_BUCKETS);
	rig_done(&rig);
	g = grant_new(LIMIT_BUCKETS + 1);
	grant_send(g, &rig);
	assert_int_equal(rig.call.req.nbuckets, 0); /* none was taken in */
	rig_refused(&rig, COSI_OUT_OF_RANGE, "field 'buckets' names 129 buckets, at most 128");
}

static void
test_grant__same_bucket_twice(void **state)
{
	struct grant *g = grant_new(3);
	struct rig_call rig;

	(void)state;
	g->buckets[2].bucket_id = g->ids[0];
	grant_send(g, &rig);
	RIG_OK(&rig);
	assert_int_equal(rig.call.req.nbuckets, 2);
	rig_done(&rig);
	set_modes(g, 2, 2, -1, -1);
	grant_send(g, &rig);
	rig_refused(&rig, COSI_INVALID, "bucket 'r.b0' is requested with two access modes");
}

/* The same number on tag 2 means something else as soon as tag 3 or 4 is there, on any bucket. */
static void
test_grant__numberings(void **state)
{
	static const struct {
		int data, object_metadata, bucket_metadata, other_metadata;
		uint32_t mode; /* 0: refused */
	} cases[] = {
		{ 1, -1, -1, -1, COSI_READ_WRITE },
		{ 2, -1, -1, -1, COSI_READ_ONLY },
		{ 3, -1, -1, -1, COSI_WRITE_ONLY },
		{ 4, -1, -1, -1, 0 },
		{ 0, -1, -1, -1, 0 },
		{ 1, 1, 1, 1, COSI_READ_ONLY },
		{ 2, 1, 1, 1, COSI_READ_WRITE },
		{ 3, 3, 3, 1, COSI_READ_ONLY },
		{ 4, 1, 1, 1, COSI_WRITE_ONLY },
		{ 2, 1, -1, -1, COSI_READ_WRITE },
		{ 2, -1, 1, -1, COSI_READ_WRITE },
		{ 2, -1, -1, 1, COSI_READ_WRITE },
		{ 4, 3, 1, 1, 0 },
		{ 2, 2, 1, 1, 0 },
		{ 0, 1, 1, 1, 0 },
		{ -1, 1, 1, 1, 0 },
		{ 5, 1, 1, 1, 0 },
		{ 2, 0, 1, 1, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct grant *g = grant_new(2);
		struct rig_call rig;

		set_modes(g, 0, cases[i].data, cases[i].object_metadata, cases[i].bucket_metadata);
		set_modes(g, 1, 2, cases[i].other_metadata, cases[i].other_metadata);
		grant_send(g, &rig);
		if (rig.rc != (cases[i].mode != 0 ? 0 : -1))
			fail_msg("case %zu: %s", i, rig.status.text);
		if (cases[i].mode != 0)
			assert_int_equal(rig.call.req.buckets[0].mode, cases[i].mode);
		else
			assert_int_equal(rig.status.code, COSI_INVALID);
		rig_done(&rig);
	}
}

static void
test_revoke__request(void **state)
{
	Cosi2__DriverRevokeBucketAccessRequest message =
		COSI2__DRIVER_REVOKE_BUCKET_ACCESS_REQUEST__INIT;
	Cosi2__DriverRevokeBucketAccessRequest__AccessedBucket bucket =
		COSI2__DRIVER_REVOKE_BUCKET_ACCESS_REQUEST__ACCESSED_BUCKET__INIT;
	Cosi2__DriverRevokeBucketAccessRequest__AccessedBucket *list[] = { &bucket, &bucket };
	struct grant *g = grant_new(1);
	struct rig_call rig;

	(void)state;
	bucket.bucket_id = text("r.b");
	message.account_id = text("r.cosi-ba-1");
	message.protocol = &g->protocol;
	message.authentication_type = &g->auth;
	message.n_buckets = 2;
	message.buckets = list;
	rig_send(&rig, V2 "DriverRevokeBucketAccess", &message.base);
	RIG_OK(&rig);
	assert_int_equal(rig.call.req.op, REQUEST_REVOKE);
	assert_string_equal(rig.call.req.id, "r.cosi-ba-1");
	assert_int_equal(rig.call.req.protocols, COSI_S3);
	assert_int_equal(rig.call.req.auth, COSI_AUTH_KEY);
	assert_int_equal(rig.call.req.nbuckets, 1);
	assert_string_equal(rig.call.req.buckets[0].id, "r.b");
	rig_done(&rig);
	message.n_buckets = 0;
	rig_send(&rig, V2 "DriverRevokeBucketAccess", &message.base);
	rig_refused(&rig, COSI_INVALID, "field 'buckets' is required");
	message.n_buckets = 1;
	message.protocol = NULL;
	rig_send(&rig, V2 "DriverRevokeBucketAccess", &message.base);
	rig_refused(&rig, COSI_INVALID, "field 'protocol' is required");
	message.account_id = text("");
	rig_send(&rig, V2 "DriverRevokeBucketAccess", &message.base);
	rig_refused(&rig, COSI_INVALID, "field 'account_id' is required");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_create__request),
		cmocka_unit_test(test_create__refused),
		cmocka_unit_test(test_get__both_names),
		cmocka_unit_test(test_delete__request),
		cmocka_unit_test(test_grant__request),
		cmocka_unit_test(test_grant__required),
		cmocka_unit_test(test_grant__service_account),
		cmocka_unit_test(test_grant__buckets_at_the_limit),
		cmocka_unit_test(test_grant__same_bucket_twice),
		cmocka_unit_test(test_grant__numberings),
		cmocka_unit_test(test_revoke__request),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
