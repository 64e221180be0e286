/* SPDX-License-Identifier: Apache-2.0
 * test_v1alpha2_answer.c - replies of v1alpha2, checked as its sidecar checks them. */
#include "rig.h"

#include "cosi_v1alpha2.pb-c.h"

#include "banned.h"

static struct cosi_bucket whole = {
	.name = "photos",
	.endpoint = "http://store",
	.region = "eu",
	.style = COSI_PATH_STYLE,
	.azure_account = "ac",
	.gcs_project = "proj",
};

/* Encodes the answer and reads it as a client would; NULL: it cannot be told. */
static ProtobufCMessage *
answered(struct rig_call *rig, const ProtobufCMessageDescriptor *type)
{
	const ProtobufCMessage *message = rig->method->encode(rig->input, &rig->call, &rig->status);
	static uint8_t bytes[1 << 16];
	ProtobufCMessage *read;
	size_t len;

	if (message == NULL)
		return NULL;
	assert_true(protobuf_c_message_get_packed_size(message) < sizeof bytes);
	len = protobuf_c_message_pack(message, bytes);
	read = protobuf_c_message_unpack(type, NULL, len, bytes);
	assert_non_null(read);
	return read;
}

/* clauses 59, 60 */
static void
test_info__protocols(void **state)
{
	const Cosi2__DriverGetInfoResponse *reply;
	struct status status = { 0 };
	struct arena arena;

	(void)state;
	arena_init(&arena, 4096);
	reply = (const Cosi2__DriverGetInfoResponse *)api_v1alpha2.info(
		"a.example.org", COSI_S3 | COSI_GCS, &arena, &status);
	assert_string_equal(reply->name, "a.example.org");
	assert_int_equal(reply->n_supported_protocols, 2);
	assert_int_equal(reply->supported_protocols[0]->type, 1);
	assert_int_equal(reply->supported_protocols[1]->type, 3);
	assert_null(api_v1alpha2.info("a.example.org", 0, &arena, &status));
	assert_int_equal(status.code, COSI_UNAVAILABLE);
	arena_done(&arena);
}

static Cosi2__DriverCreateBucketResponse *
create_answer(struct rig_call *rig, const void *request, size_t len, uint32_t protocols,
	      const struct cosi_bucket *bucket)
{
	rig_decode(rig, V2 "DriverCreateBucket", request, len);
	RIG_OK(rig);
	rig->call.answer = (struct answer){ .id = "r.photos", .bucket = *bucket };
	rig->call.answer.bucket.protocols = protocols;
	return (Cosi2__DriverCreateBucketResponse *)answered(
		rig, &cosi2__driver_create_bucket_response__descriptor);
}

/* clauses 69, 70, 71, 80: info of what the bucket serves, whole, and of nothing else. */
static void
test_create__protocols(void **state)
{
	Cosi2__DriverCreateBucketResponse *reply;
	struct rig_call rig;

	(void)state;
	for (uint32_t protocols = 1; protocols < 8; protocols++) {
		reply = create_answer(&rig, "\x0a\x01n", 3, protocols, &whole);
		assert_string_equal(reply->bucket_id, "r.photos");
		assert_int_equal(reply->protocols->s3 != NULL, (protocols & COSI_S3) != 0);
		assert_int_equal(reply->protocols->azure != NULL, (protocols & COSI_AZURE) != 0);
		assert_int_equal(reply->protocols->gcs != NULL, (protocols & COSI_GCS) != 0);
		protobuf_c_message_free_unpacked(&reply->base, NULL);
		rig_done(&rig);
	}
	reply = create_answer(&rig, "\x0a\x01n", 3, COSI_S3 | COSI_AZURE | COSI_GCS, &whole);
	assert_string_equal(reply->protocols->s3->bucket_id, "photos");
	assert_string_equal(reply->protocols->s3->endpoint, "http://store");
	assert_string_equal(reply->protocols->s3->region, "eu");
	assert_int_equal(reply->protocols->s3->addressing_style->style, 1);
	assert_string_equal(reply->protocols->azure->storage_account, "ac");
	assert_string_equal(reply->protocols->gcs->project_id, "proj");
	assert_string_equal(reply->protocols->gcs->bucket_name, "photos");
	protobuf_c_message_free_unpacked(&reply->base, NULL);
	rig_done(&rig);
}

static void
test_create__virtual_style(void **state)
{
	struct cosi_bucket bucket = whole;
	Cosi2__DriverCreateBucketResponse *reply;
	struct rig_call rig;

	(void)state;
	bucket.style = COSI_VIRTUAL_STYLE;
	reply = create_answer(&rig, "\x0a\x01n", 3, COSI_S3, &bucket);
	assert_int_equal(reply->protocols->s3->addressing_style->style, 2);
	protobuf_c_message_free_unpacked(&reply->base, NULL);
	rig_done(&rig);
}

/* What the sidecar would take for final is found here: a protocol or a required field missing. */
static void
test_create__incomplete(void **state)
{
	struct cosi_bucket bucket = whole;
	struct rig_call rig;

	(void)state;
	assert_null(create_answer(&rig, "\x0a\x01n\x12\x02\x08\x02", 7, COSI_S3, &whole));
	rig.rc = -1;
	rig_refused(&rig, COSI_INTERNAL, "a requested protocol is missing");
	assert_null(create_answer(&rig, "\x0a\x01n", 3, 0, &whole));
	rig.rc = -1;
	rig_refused(&rig, COSI_INTERNAL, "a requested protocol is missing");
	bucket.region = NULL;
	assert_null(create_answer(&rig, "\x0a\x01n", 3, COSI_S3, &bucket));
	rig.rc = -1;
	rig_refused(&rig, COSI_INTERNAL, "field 's3.region' is required");
	bucket.endpoint = rig_long(129, 'x');
	assert_null(create_answer(&rig, "\x0a\x01n", 3, COSI_S3, &bucket));
	rig.rc = -1;
	rig_refused(&rig, COSI_INTERNAL, "field 's3.endpoint' is 129 bytes long");
	bucket.azure_account = NULL;
	assert_null(create_answer(&rig, "\x0a\x01n", 3, COSI_AZURE, &bucket));
	rig.rc = -1;
	rig_refused(&rig, COSI_INTERNAL, "field 'azure.storage_account' is required");
	bucket.gcs_project = NULL;
	assert_null(create_answer(&rig, "\x0a\x01n", 3, COSI_GCS, &bucket));
	rig.rc = -1;
	rig_refused(&rig, COSI_INTERNAL, "field 'gcs.project_id' is required");
}

/* A Grant of r.b0, r.b1 and r.b0 again, by that protocol (1, 2, 3) and authentication (1, 2). */
static Cosi2__DriverGrantBucketAccessResponse *
grant_answer(struct rig_call *rig, char protocol, char auth, const struct cosi_access *access)
{
	char request[] = "\x0a\x04"
			 "ba-1\x12\x02\x08?\x1a\x02\x08?\x22\x02sa"
			 "\x32\x0a\x0a\x04r.b0\x12\x02\x08\x01"
			 "\x32\x0a\x0a\x04r.b1\x12\x02\x08\x02"
			 "\x32\x0a\x0a\x04r.b0\x12\x02\x08\x01";

	request[9] = protocol;
	request[13] = auth;
	rig_decode(rig, V2 "DriverGrantBucketAccess", request, sizeof request - 1);
	RIG_OK(rig);
	rig->call.answer = (struct answer){ .id = "r.cosi-ba-1", .access = *access };
	return (Cosi2__DriverGrantBucketAccessResponse *)answered(
		rig, &cosi2__driver_grant_bucket_access_response__descriptor);
}

static struct cosi_bucket other = { .name = "movies", .endpoint = "http://other", .region = "us" };
static struct cosi_bucket *const two[] = { &whole, &other };
/* The sched may sort the buckets of the request: the answer's order goes with theirs. */
static struct cosi_bucket *const swapped[] = { &other, &whole };

/* clauses 25, 74: all buckets of the request, each with the requested protocol alone. */
static void
test_grant__s3(void **state)
{
	const struct cosi_access access = { .buckets = two, .key_id = "AK", .key_secret = "SK" };
	Cosi2__DriverGrantBucketAccessResponse *reply;
	struct rig_call rig;

	(void)state;
	reply = grant_answer(&rig, 1, 1, &access);
	assert_string_equal(reply->account_id, "r.cosi-ba-1");
	assert_int_equal(reply->n_buckets, 3);
	assert_string_equal(reply->buckets[0]->bucket_id, "r.b0");
	assert_string_equal(reply->buckets[0]->bucket_info->s3->bucket_id, "photos");
	assert_string_equal(reply->buckets[1]->bucket_id, "r.b1");
	assert_string_equal(reply->buckets[1]->bucket_info->s3->bucket_id, "movies");
	assert_string_equal(reply->buckets[2]->bucket_id, "r.b0");
	assert_string_equal(reply->buckets[2]->bucket_info->s3->bucket_id, "photos");
	for (int i = 0; i < 3; i++) {
		assert_null(reply->buckets[i]->bucket_info->azure);
		assert_null(reply->buckets[i]->bucket_info->gcs);
	}
	assert_string_equal(reply->credentials->s3->access_key_id, "AK");
	assert_string_equal(reply->credentials->s3->access_secret_key, "SK");
	assert_null(reply->credentials->azure);
	assert_null(reply->credentials->gcs);
	protobuf_c_message_free_unpacked(&reply->base, NULL);
	rig_done(&rig);
}

static void
test_grant__buckets_sorted_meanwhile(void **state)
{
	const struct cosi_access access = { .buckets = swapped,
					    .key_id = "AK",
					    .key_secret = "SK" };
	Cosi2__DriverGrantBucketAccessResponse *reply;
	struct request_bucket first;
	struct rig_call rig;

	(void)state;
	reply = grant_answer(&rig, 1, 1, &access);
	protobuf_c_message_free_unpacked(&reply->base, NULL);
	first = rig.call.req.buckets[0];
	rig.call.req.buckets[0] = rig.call.req.buckets[1];
	rig.call.req.buckets[1] = first;
	reply = (Cosi2__DriverGrantBucketAccessResponse *)answered(
		&rig, &cosi2__driver_grant_bucket_access_response__descriptor);
	assert_string_equal(reply->buckets[0]->bucket_id, "r.b0");
	assert_string_equal(reply->buckets[0]->bucket_info->s3->bucket_id, "photos");
	assert_string_equal(reply->buckets[1]->bucket_info->s3->bucket_id, "movies");
	protobuf_c_message_free_unpacked(&reply->base, NULL);
	rig_done(&rig);
}

/* clause 81: ISO 8601, empty if unset.  A SAS URL may be longer than a string. */
static void
test_grant__azure(void **state)
{
	static struct cosi_bucket *const buckets[] = { &whole, &whole };
	struct cosi_access access = { .buckets = buckets,
				      .token = rig_long(2048, 't'),
				      .token_expires = 1826668800 };
	Cosi2__DriverGrantBucketAccessResponse *reply;
	struct rig_call rig;

	(void)state;
	reply = grant_answer(&rig, 2, 1, &access);
	assert_string_equal(reply->credentials->azure->access_token, access.token);
	assert_string_equal(reply->credentials->azure->expiry_timestamp, "2027-11-20T00:00:00Z");
	assert_string_equal(reply->buckets[1]->bucket_info->azure->storage_account, "ac");
	assert_null(reply->credentials->s3);
	protobuf_c_message_free_unpacked(&reply->base, NULL);
	rig_done(&rig);
	access.token_expires = 0;
	reply = grant_answer(&rig, 2, 1, &access);
	assert_string_equal(reply->credentials->azure->expiry_timestamp, "");
	protobuf_c_message_free_unpacked(&reply->base, NULL);
	rig_done(&rig);
	access.token = rig_long(2049, 't');
	assert_null(grant_answer(&rig, 2, 1, &access));
	rig.rc = -1;
	rig_refused(&rig, COSI_INTERNAL, "field 'azure.access_token' is 2049 bytes long");
}

static void
test_grant__gcs_both_ways(void **state)
{
	static struct cosi_bucket *const buckets[] = { &whole, &whole };
	struct cosi_access access = { .buckets = buckets, .key_id = "GOOG1", .key_secret = "SK" };
	Cosi2__DriverGrantBucketAccessResponse *reply;
	struct rig_call rig;

	(void)state;
	reply = grant_answer(&rig, 3, 1, &access);
	assert_string_equal(reply->credentials->gcs->access_id, "GOOG1");
	assert_string_equal(reply->credentials->gcs->access_secret, "SK");
	assert_string_equal(reply->buckets[0]->bucket_info->gcs->bucket_name, "photos");
	protobuf_c_message_free_unpacked(&reply->base, NULL);
	rig_done(&rig);
	assert_null(grant_answer(&rig, 3, 2, &access));
	rig.rc = -1;
	rig_refused(&rig, COSI_INTERNAL, "field 'gcs.private_key_name' is required");
	access = (struct cosi_access){ .buckets = buckets,
				       .key_name = "key",
				       .service_account = "sa@proj" };
	reply = grant_answer(&rig, 3, 2, &access);
	assert_string_equal(reply->credentials->gcs->private_key_name, "key");
	assert_string_equal(reply->credentials->gcs->service_account, "sa@proj");
	protobuf_c_message_free_unpacked(&reply->base, NULL);
	rig_done(&rig);
	assert_null(grant_answer(&rig, 3, 1, &access));
	rig.rc = -1;
	rig_refused(&rig, COSI_INTERNAL, "field 'gcs.access_id' is required");
}

static void
test_grant__incomplete(void **state)
{
	struct cosi_access access = { .buckets = two, .key_id = "AK" };
	struct rig_call rig;

	(void)state;
	assert_null(grant_answer(&rig, 1, 1, &access));
	rig.rc = -1;
	rig_refused(&rig, COSI_INTERNAL, "field 's3.access_secret_key' is required");
	access.key_secret = rig_long(129, 's');
	assert_null(grant_answer(&rig, 1, 1, &access));
	rig.rc = -1;
	rig_refused(&rig, COSI_INTERNAL, "field 's3.access_secret_key' is 129 bytes long");
	access.token = "t";
	assert_null(grant_answer(&rig, 2, 1, &access)); /* two[1] has no Azure account */
	rig.rc = -1;
	rig_refused(&rig, COSI_INTERNAL, "field 'azure.storage_account' is required");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_info__protocols),
		cmocka_unit_test(test_create__protocols),
		cmocka_unit_test(test_create__virtual_style),
		cmocka_unit_test(test_create__incomplete),
		cmocka_unit_test(test_grant__s3),
		cmocka_unit_test(test_grant__buckets_sorted_meanwhile),
		cmocka_unit_test(test_grant__azure),
		cmocka_unit_test(test_grant__gcs_both_ways),
		cmocka_unit_test(test_grant__incomplete),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
