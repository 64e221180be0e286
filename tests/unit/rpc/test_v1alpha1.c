/* SPDX-License-Identifier: Apache-2.0
 * test_v1alpha1.c - requests of v1alpha1 become cosid's, and cosid's replies those of v1alpha1. */
#include "rig.h"

#include "cosi_v1alpha1.pb-c.h"

#include "banned.h"

static char *
text(const char *s)
{
	return (char *)(uintptr_t)s;
}

static void
send_grant(struct rig_call *rig, const char *bucket_id, const char *name, int auth)
{
	Cosi__V1alpha1__DriverGrantBucketAccessRequest message =
		COSI__V1ALPHA1__DRIVER_GRANT_BUCKET_ACCESS_REQUEST__INIT;

	message.bucket_id = text(bucket_id);
	message.name = text(name);
	message.authentication_type = (Cosi__V1alpha1__AuthenticationType)auth;
	rig_send(rig, V1 "DriverGrantBucketAccess", &message.base);
}

/* clauses 9, 10 */
static void
test_create__request(void **state)
{
	struct rig_call rig;

	(void)state;
	rig_decode(&rig, V1 "DriverCreateBucket",
		   "\x0a\x06photos\x12\x0c\x0a\x06region\x12\x02"
		   "eu",
		   22);
	RIG_OK(&rig);
	assert_int_equal(rig.call.req.op, REQUEST_CREATE);
	assert_string_equal(rig.call.req.name, "photos");
	assert_true(rig.call.req.exact_names);
	assert_true(rig.call.req.delay_reply);
	assert_false(rig.call.req.mode_is_param);
	assert_int_equal(rig.call.req.protocols, 0);
	assert_int_equal(rig.call.req.nparams, 1);
	assert_string_equal(rig.call.req.params[0].key, "region");
	assert_string_equal(rig.call.req.params[0].value, "eu");
	rig_done(&rig);
}

/* clauses 9, 24, 29 */
static void
test_create__refused(void **state)
{
	Cosi__V1alpha1__DriverCreateBucketRequest message =
		COSI__V1ALPHA1__DRIVER_CREATE_BUCKET_REQUEST__INIT;
	struct rig_call rig;

	(void)state;
	rig_decode(&rig, V1 "DriverCreateBucket", "", 0);
	rig_refused(&rig, COSI_INVALID, "field 'name' is required");
	message.name = rig_long(129, 'x');
	rig_send(&rig, V1 "DriverCreateBucket", &message.base);
	rig_refused(&rig, COSI_INVALID, "field 'name' is 129 bytes long");
	message.name = rig_long(128, 'x');
	rig_send(&rig, V1 "DriverCreateBucket", &message.base);
	RIG_OK(&rig);
	rig_done(&rig);
}

/* clauses 13, 15 */
static void
test_delete__request(void **state)
{
	struct rig_call rig;

	(void)state;
	rig_decode(&rig, V1 "DriverDeleteBucket", "\x0a\x05r.abc\x12\x06\x0a\x01k\x12\x01v", 15);
	RIG_OK(&rig);
	assert_int_equal(rig.call.req.op, REQUEST_DELETE);
	assert_string_equal(rig.call.req.id, "r.abc");
	assert_int_equal(rig.call.req.nparams, 1);
	rig_done(&rig);
	rig_decode(&rig, V1 "DriverDeleteBucket", "", 0);
	rig_refused(&rig, COSI_INVALID, "field 'bucket_id' is required");
}

/* clauses 16, 17, 29 */
static void
test_grant__request(void **state)
{
	struct rig_call rig;

	(void)state;
	send_grant(&rig, "r.abc", "ba-1", 1);
	RIG_OK(&rig);
	assert_int_equal(rig.call.req.op, REQUEST_GRANT);
	assert_string_equal(rig.call.req.name, "ba-1");
	assert_int_equal(rig.call.req.nbuckets, 1);
	assert_string_equal(rig.call.req.buckets[0].id, "r.abc");
	assert_int_equal(rig.call.req.buckets[0].mode, 0);
	assert_true(rig.call.req.mode_is_param);
	assert_int_equal(rig.call.req.auth, COSI_AUTH_KEY);
	assert_int_equal(rig.call.req.protocols, 0);
	rig_done(&rig);
	send_grant(&rig, "r.abc", "ba-1", 2);
	RIG_OK(&rig);
	assert_int_equal(rig.call.req.auth, COSI_AUTH_SERVICE_ACCOUNT);
	assert_null(rig.call.req.service_account);
	rig_done(&rig);
	send_grant(&rig, "r.abc", "ba-1", 0);
	rig_refused(&rig, COSI_INVALID, "field 'authentication_type' must be Key or IAM, it is 0");
	send_grant(&rig, "r.abc", "ba-1", 3);
	rig_refused(&rig, COSI_INVALID, "'authentication_type'");
	send_grant(&rig, "", "ba-1", 1);
	rig_refused(&rig, COSI_INVALID, "field 'bucket_id' is required");
	send_grant(&rig, "r.abc", "", 1);
	rig_refused(&rig, COSI_INVALID, "field 'name' is required");
	send_grant(&rig, rig_long(129, 'x'), "ba-1", 1);
	rig_refused(&rig, COSI_INVALID, "field 'bucket_id' is 129 bytes long");
	send_grant(&rig, rig_long(128, 'x'), rig_long(128, 'y'), 1);
	RIG_OK(&rig);
	rig_done(&rig);
}

/* clauses 21, 23 */
static void
test_revoke__request(void **state)
{
	struct rig_call rig;

	(void)state;
	rig_decode(&rig, V1 "DriverRevokeBucketAccess",
		   "\x0a\x03r.b\x12\x03r.a\x1a\x06\x0a\x01k\x12\x01v", 18);
	RIG_OK(&rig);
	assert_int_equal(rig.call.req.op, REQUEST_REVOKE);
	assert_true(rig.call.req.whole_account);
	assert_string_equal(rig.call.req.id, "r.a");
	assert_string_equal(rig.call.req.buckets[0].id, "r.b");
	assert_int_equal(rig.call.req.nparams, 1);
	assert_int_equal(rig.call.req.auth, 0);
	rig_done(&rig);
	rig_decode(&rig, V1 "DriverRevokeBucketAccess", "\x0a\x03r.b", 5);
	rig_refused(&rig, COSI_INVALID, "field 'account_id' is required");
	rig_decode(&rig, V1 "DriverRevokeBucketAccess", "\x12\x03r.a", 5);
	rig_refused(&rig, COSI_INVALID, "field 'bucket_id' is required");
}

/* Encodes the answer and reads it as a client would. */
static ProtobufCMessage *
answered(struct rig_call *rig, const ProtobufCMessageDescriptor *type)
{
	const ProtobufCMessage *message = rig->method->encode(rig->input, &rig->call, &rig->status);
	ProtobufCMessage *read;
	uint8_t bytes[16384];
	size_t len;

	if (message == NULL)
		return NULL;
	assert_true(protobuf_c_message_get_packed_size(message) < sizeof bytes);
	len = protobuf_c_message_pack(message, bytes);
	read = protobuf_c_message_unpack(type, NULL, len, bytes);
	assert_non_null(read);
	return read;
}

/* clauses 11, 12: the id, and the data of one protocol, the backend's first. */
static void
test_create__answer(void **state)
{
	const ProtobufCMessageDescriptor *type =
		&cosi__v1alpha1__driver_create_bucket_response__descriptor;
	Cosi__V1alpha1__DriverCreateBucketResponse *reply;
	struct rig_call rig;

	(void)state;
	rig_decode(&rig, V1 "DriverCreateBucket", "\x0a\x01n", 3);
	RIG_OK(&rig);
	rig.call.answer = (struct answer){
		.id = "r.n",
		.protocol = COSI_S3,
		.bucket = { .protocols = COSI_S3 | COSI_AZURE | COSI_GCS,
			    .region = "eu",
			    .azure_account = "acct",
			    .gcs_project = "proj" },
	};
	reply = (Cosi__V1alpha1__DriverCreateBucketResponse *)answered(&rig, type);
	assert_string_equal(reply->bucket_id, "r.n");
	assert_int_equal(reply->bucket_info->type_case, COSI__V1ALPHA1__PROTOCOL__TYPE_S3);
	assert_string_equal(reply->bucket_info->s3->region, "eu");
	assert_int_equal(reply->bucket_info->s3->signature_version,
			 COSI__V1ALPHA1__S3_SIGNATURE_VERSION__S3V4);
	protobuf_c_message_free_unpacked(&reply->base, NULL);
	rig.call.answer.protocol = COSI_AZURE;
	reply = (Cosi__V1alpha1__DriverCreateBucketResponse *)answered(&rig, type);
	assert_int_equal(reply->bucket_info->type_case, COSI__V1ALPHA1__PROTOCOL__TYPE_AZURE_BLOB);
	assert_string_equal(reply->bucket_info->azureblob->storage_account, "acct");
	protobuf_c_message_free_unpacked(&reply->base, NULL);
	rig.call.answer.protocol = COSI_GCS;
	reply = (Cosi__V1alpha1__DriverCreateBucketResponse *)answered(&rig, type);
	assert_int_equal(reply->bucket_info->type_case, COSI__V1ALPHA1__PROTOCOL__TYPE_GCS);
	assert_string_equal(reply->bucket_info->gcs->project_id, "proj");
	protobuf_c_message_free_unpacked(&reply->base, NULL);
	rig_done(&rig);
}

/* clause 24: cosid's replies obey the limits. */
static void
test_create__answer_refused(void **state)
{
	struct rig_call rig;

	(void)state;
	rig_decode(&rig, V1 "DriverCreateBucket", "\x0a\x01n", 3);
	RIG_OK(&rig);
	rig.call.answer = (struct answer){ .id = rig_long(129, 'x'),
					   .protocol = COSI_S3,
					   .bucket = { .region = "eu" } };
	rig.rc = rig.method->encode(rig.input, &rig.call, &rig.status) != NULL ? 0 : -1;
	rig_refused(&rig, COSI_INTERNAL, "field 'bucket_id' is 129 bytes long");
	rig_decode(&rig, V1 "DriverCreateBucket", "\x0a\x01n", 3);
	rig.call.answer = (struct answer){ .id = "r.n", .protocol = COSI_S3 };
	rig.rc = rig.method->encode(rig.input, &rig.call, &rig.status) != NULL ? 0 : -1;
	rig_refused(&rig, COSI_INTERNAL, "field 'region' is required");
	rig_decode(&rig, V1 "DriverCreateBucket", "\x0a\x01n", 3);
	rig.call.answer = (struct answer){ .id = "r.n" };
	rig.rc = rig.method->encode(rig.input, &rig.call, &rig.status) != NULL ? 0 : -1;
	rig_refused(&rig, COSI_INTERNAL, "protocol 0");
}

/* The value of a key in the one entry of credentials that there must be. */
static const char *
secret(const Cosi__V1alpha1__DriverGrantBucketAccessResponse *reply, const char *protocol,
       const char *key)
{
	const Cosi__V1alpha1__CredentialDetails *details;

	assert_int_equal(reply->n_credentials, 1);
	assert_string_equal(reply->credentials[0]->key, protocol);
	details = reply->credentials[0]->value;
	for (size_t i = 0; i < details->n_secrets; i++)
		if (strcmp(details->secrets[i]->key, key) == 0)
			return details->secrets[i]->value;
	return NULL;
}

static Cosi__V1alpha1__DriverGrantBucketAccessResponse *
grant_answer(struct rig_call *rig, uint32_t protocol, const struct cosi_access *access)
{
	send_grant(rig, "r.abc", "ba-1", 1);
	RIG_OK(rig);
	rig->call.answer =
		(struct answer){ .id = "r.cosi-ba-1", .protocol = protocol, .access = *access };
	return (Cosi__V1alpha1__DriverGrantBucketAccessResponse *)answered(
		rig, &cosi__v1alpha1__driver_grant_bucket_access_response__descriptor);
}

/* clauses 18, 19, 25, 36: the keys that the sidecar looks for, case and all. */
static void
test_grant__answer_s3(void **state)
{
	struct cosi_bucket bucket = { .endpoint = "http://rgw:8000", .region = "default" };
	struct cosi_bucket *const buckets[] = { &bucket };
	const struct cosi_access access = { .buckets = buckets,
					    .key_id = "AK",
					    .key_secret = "SK" };
	struct rig_call rig;
	Cosi__V1alpha1__DriverGrantBucketAccessResponse *reply;

	(void)state;
	reply = grant_answer(&rig, COSI_S3, &access);
	assert_string_equal(reply->account_id, "r.cosi-ba-1");
	assert_int_equal(reply->credentials[0]->value->n_secrets, 4);
	assert_string_equal(secret(reply, "s3", "accessKeyID"), "AK");
	assert_string_equal(secret(reply, "s3", "accessSecretKey"), "SK");
	assert_string_equal(secret(reply, "s3", "endpoint"), "http://rgw:8000");
	assert_string_equal(secret(reply, "s3", "region"), "default");
	protobuf_c_message_free_unpacked(&reply->base, NULL);
	rig_done(&rig);
}

static void
test_grant__answer_azure(void **state)
{
	struct cosi_bucket bucket = { .azure_account = "acct" };
	struct cosi_bucket *const buckets[] = { &bucket };
	struct cosi_access access = { .buckets = buckets,
				      .token = "https://acct/c?sig=x",
				      .token_expires = 1826668800 };
	struct rig_call rig;
	Cosi__V1alpha1__DriverGrantBucketAccessResponse *reply;

	(void)state;
	reply = grant_answer(&rig, COSI_AZURE, &access);
	assert_string_equal(secret(reply, "azure", "accessToken"), "https://acct/c?sig=x");
	assert_string_equal(secret(reply, "azure", "expiryTs"), "2027-11-20 00:00:00 +0000 UTC");
	protobuf_c_message_free_unpacked(&reply->base, NULL);
	rig_done(&rig);
	access.token_expires = 0;
	reply = grant_answer(&rig, COSI_AZURE, &access);
	assert_null(secret(reply, "azure", "expiryTs"));
	protobuf_c_message_free_unpacked(&reply->base, NULL);
	rig_done(&rig);
}

static void
test_grant__answer_gcs(void **state)
{
	struct cosi_bucket bucket = { .name = "photos", .gcs_project = "proj" };
	struct cosi_bucket *const buckets[] = { &bucket };
	const struct cosi_access access = { .buckets = buckets,
					    .key_id = "GOOG1",
					    .key_secret = "SK" };
	struct rig_call rig;
	Cosi__V1alpha1__DriverGrantBucketAccessResponse *reply;

	(void)state;
	reply = grant_answer(&rig, COSI_GCS, &access);
	assert_string_equal(secret(reply, "gcs", "accessID"), "GOOG1");
	assert_string_equal(secret(reply, "gcs", "accessSecret"), "SK");
	assert_string_equal(secret(reply, "gcs", "projectID"), "proj");
	assert_string_equal(secret(reply, "gcs", "bucketName"), "photos");
	assert_null(secret(reply, "gcs", "serviceAccount"));
	protobuf_c_message_free_unpacked(&reply->base, NULL);
	rig_done(&rig);
}

/* clause 24: a map holds 4 KiB; 4096 = accessToken and 4085 bytes. */
static void
test_grant__answer_limit(void **state)
{
	struct cosi_bucket bucket = { .azure_account = "acct" };
	struct cosi_bucket *const buckets[] = { &bucket };
	struct cosi_access access = { .buckets = buckets, .token = rig_long(4085, 't') };
	struct rig_call rig;
	Cosi__V1alpha1__DriverGrantBucketAccessResponse *reply;

	(void)state;
	reply = grant_answer(&rig, COSI_AZURE, &access);
	assert_non_null(reply);
	protobuf_c_message_free_unpacked(&reply->base, NULL);
	rig_done(&rig);
	access.token = rig_long(4086, 't');
	assert_null(grant_answer(&rig, COSI_AZURE, &access));
	rig.rc = -1;
	rig_refused(&rig, COSI_INTERNAL, "the credentials hold 4097 bytes");
	access.token = NULL;
	assert_null(grant_answer(&rig, COSI_AZURE, &access));
	rig.rc = -1;
	rig_refused(&rig, COSI_INTERNAL, "the credentials hold 0 bytes");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_create__request),
		cmocka_unit_test(test_create__refused),
		cmocka_unit_test(test_delete__request),
		cmocka_unit_test(test_grant__request),
		cmocka_unit_test(test_revoke__request),
		cmocka_unit_test(test_create__answer),
		cmocka_unit_test(test_create__answer_refused),
		cmocka_unit_test(test_grant__answer_s3),
		cmocka_unit_test(test_grant__answer_azure),
		cmocka_unit_test(test_grant__answer_gcs),
		cmocka_unit_test(test_grant__answer_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
