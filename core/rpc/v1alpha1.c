/* SPDX-License-Identifier: Apache-2.0
 * v1alpha1.c - the API version cosi.v1alpha1, as the sidecar v0.2.2 uses it.
 *
 * Applications are told the name of the Bucket object, so a store's bucket must have the requested
 * name; a Grant says its mode by a parameter, and must be answered with exactly one set of
 * credentials, or the sidecar asks for ever.
 */
#include <string.h>

#include "cosi_v1alpha1.pb-c.h"
#include "rpc/api_version.h"
#include "rpc/limits.h"

#include "banned.h"

#define PROVISIONER "/cosi.v1alpha1.Provisioner/"

static const ProtobufCMessage *
v1alpha1_info(const char *driver_name, uint32_t protocols, struct arena *arena,
	      struct status *status)
{
	Cosi__V1alpha1__DriverGetInfoResponse *answer = api_alloc(arena, sizeof *answer, status);

	(void)protocols; /* not part of this version's answer */
	if (answer == NULL)
		return NULL;
	*answer = (Cosi__V1alpha1__DriverGetInfoResponse)
		COSI__V1ALPHA1__DRIVER_GET_INFO_RESPONSE__INIT;
	answer->name = api_text(driver_name);
	return &answer->base;
}

static int
v1alpha1_decode_create(const void *input, struct request *out, struct arena *arena,
		       struct status *status)
{
	const Cosi__V1alpha1__DriverCreateBucketRequest *in = input;

	out->exact_names = true;
	out->delay_reply = true;
	out->name = in->name;
	if (limits_string("name", in->name, LIMIT_STRING, true, status) < 0)
		return -1;
	return limits_map("parameters", in->n_parameters, in->parameters, out, arena, status);
}

static int
v1alpha1_decode_delete(const void *input, struct request *out, struct arena *arena,
		       struct status *status)
{
	const Cosi__V1alpha1__DriverDeleteBucketRequest *in = input;

	out->exact_names = true;
	out->id = in->bucket_id;
	if (limits_string("bucket_id", in->bucket_id, LIMIT_STRING, true, status) < 0)
		return -1;
	return limits_map("delete_context", in->n_delete_context, in->delete_context, out, arena,
			  status);
}

static int
v1alpha1_one_bucket(const char *id, struct request *out, struct arena *arena, struct status *status)
{
	if (limits_string("bucket_id", id, LIMIT_STRING, true, status) < 0)
		return -1;
	out->buckets = api_alloc(arena, sizeof *out->buckets, status);
	if (out->buckets == NULL)
		return -1;
	out->buckets[0].id = id;
	out->nbuckets = 1;
	return 0;
}

static int
v1alpha1_decode_grant(const void *input, struct request *out, struct arena *arena,
		      struct status *status)
{
	const Cosi__V1alpha1__DriverGrantBucketAccessRequest *in = input;

	out->exact_names = true;
	out->mode_is_param = true;
	out->name = in->name;
	if (v1alpha1_one_bucket(in->bucket_id, out, arena, status) < 0 ||
	    limits_string("name", in->name, LIMIT_STRING, true, status) < 0)
		return -1;
	if (in->authentication_type == COSI__V1ALPHA1__AUTHENTICATION_TYPE__Key)
		out->auth = COSI_AUTH_KEY;
	else if (in->authentication_type == COSI__V1ALPHA1__AUTHENTICATION_TYPE__IAM)
		out->auth = COSI_AUTH_SERVICE_ACCOUNT;
	else
		return status_fail(status, COSI_INVALID,
				   "field 'authentication_type' must be Key or IAM, it is %d",
				   (int)in->authentication_type);
	return limits_map("parameters", in->n_parameters, in->parameters, out, arena, status);
}

static int
v1alpha1_decode_revoke(const void *input, struct request *out, struct arena *arena,
		       struct status *status)
{
	const Cosi__V1alpha1__DriverRevokeBucketAccessRequest *in = input;

	out->exact_names = true;
	out->mode_is_param = out->whole_account = true;
	out->id = in->account_id;
	if (limits_string("account_id", in->account_id, LIMIT_STRING, true, status) < 0 ||
	    v1alpha1_one_bucket(in->bucket_id, out, arena, status) < 0)
		return -1;
	return limits_map("revoke_access_context", in->n_revoke_access_context,
			  in->revoke_access_context, out, arena, status);
}

struct v1alpha1_create {
	Cosi__V1alpha1__DriverCreateBucketResponse response;
	Cosi__V1alpha1__Protocol protocol;
	Cosi__V1alpha1__S3 s3;
	Cosi__V1alpha1__AzureBlob azure;
	Cosi__V1alpha1__GCS gcs;
};

static const ProtobufCMessage *
v1alpha1_encode_create(const void *input, struct call *call, struct status *status)
{
	const struct answer *answer = &call->answer;
	const struct cosi_bucket *bucket = &answer->bucket;
	struct v1alpha1_create *out = api_alloc(&call->arena, sizeof *out, status);
	int rc;

	(void)input;
	if (out == NULL)
		return NULL;
	out->response = (Cosi__V1alpha1__DriverCreateBucketResponse)
		COSI__V1ALPHA1__DRIVER_CREATE_BUCKET_RESPONSE__INIT;
	out->response.bucket_info = &out->protocol;
	out->protocol = (Cosi__V1alpha1__Protocol)COSI__V1ALPHA1__PROTOCOL__INIT;
	if (api_string("bucket_id", answer->id, LIMIT_STRING, true, &out->response.bucket_id,
		       status) < 0)
		return NULL;
	switch (answer->protocol) {
	case COSI_S3:
		out->s3 = (Cosi__V1alpha1__S3)COSI__V1ALPHA1__S3__INIT;
		out->s3.signature_version = COSI__V1ALPHA1__S3_SIGNATURE_VERSION__S3V4;
		out->protocol.type_case = COSI__V1ALPHA1__PROTOCOL__TYPE_S3;
		out->protocol.s3 = &out->s3;
		rc = api_string("region", bucket->region, LIMIT_STRING, true, &out->s3.region,
				status);
		break;
	case COSI_AZURE:
		out->azure = (Cosi__V1alpha1__AzureBlob)COSI__V1ALPHA1__AZURE_BLOB__INIT;
		out->protocol.type_case = COSI__V1ALPHA1__PROTOCOL__TYPE_AZURE_BLOB;
		out->protocol.azureblob = &out->azure;
		rc = api_string("storage_account", bucket->azure_account, LIMIT_STRING, true,
				&out->azure.storage_account, status);
		break;
	case COSI_GCS:
		out->gcs = (Cosi__V1alpha1__GCS)COSI__V1ALPHA1__GCS__INIT;
		out->protocol.type_case = COSI__V1ALPHA1__PROTOCOL__TYPE_GCS;
		out->protocol.gcs = &out->gcs;
		rc = api_string("project_id", bucket->gcs_project, LIMIT_STRING, true,
				&out->gcs.project_id, status);
		break;
	default:
		rc = status_fail(status, COSI_INTERNAL, "v1alpha1 has no protocol %u",
				 answer->protocol);
	}
	return rc < 0 ? NULL : &out->response.base;
}

enum { SECRETS_MAX = 6 };
struct v1alpha1_grant {
	Cosi__V1alpha1__DriverGrantBucketAccessResponse response;
	Cosi__V1alpha1__DriverGrantBucketAccessResponse__CredentialsEntry credentials;
	Cosi__V1alpha1__DriverGrantBucketAccessResponse__CredentialsEntry *credentials_list[1];
	Cosi__V1alpha1__CredentialDetails details;
	Cosi__V1alpha1__CredentialDetails__SecretsEntry secrets[SECRETS_MAX];
	Cosi__V1alpha1__CredentialDetails__SecretsEntry *secrets_list[SECRETS_MAX];
	size_t bytes; /* of the secrets' keys and values */
};

/* A secret that there is not has no key either. */
static void
v1alpha1_add_secret(struct v1alpha1_grant *out, const char *key, const char *value)
{
	size_t i = out->details.n_secrets;

	if (value == NULL || *value == '\0')
		return;
	out->secrets[i] = (Cosi__V1alpha1__CredentialDetails__SecretsEntry)
		COSI__V1ALPHA1__CREDENTIAL_DETAILS__SECRETS_ENTRY__INIT;
	out->secrets[i].key = api_text(key);
	out->secrets[i].value = api_text(value);
	out->secrets_list[i] = &out->secrets[i];
	out->details.n_secrets = i + 1;
	out->bytes += strlen(key) + strlen(value);
}

/* The keys of S3 and Azure are those that the sidecar looks for (its consts.go), case and all; it
 * has none for GCS.  An expiry in any other form than this one, Go's own, is dropped there. */
static const ProtobufCMessage *
v1alpha1_encode_grant(const void *input, struct call *call, struct status *status)
{
	const struct answer *answer = &call->answer;
	const struct cosi_access *access = &answer->access;
	const struct cosi_bucket *bucket = access->buckets[0];
	struct v1alpha1_grant *out = api_alloc(&call->arena, sizeof *out, status);
	const char *expires;

	(void)input;
	if (out == NULL)
		return NULL;
	out->response = (Cosi__V1alpha1__DriverGrantBucketAccessResponse)
		COSI__V1ALPHA1__DRIVER_GRANT_BUCKET_ACCESS_RESPONSE__INIT;
	out->response.n_credentials = 1;
	out->response.credentials = out->credentials_list;
	out->credentials_list[0] = &out->credentials;
	out->credentials = (Cosi__V1alpha1__DriverGrantBucketAccessResponse__CredentialsEntry)
		COSI__V1ALPHA1__DRIVER_GRANT_BUCKET_ACCESS_RESPONSE__CREDENTIALS_ENTRY__INIT;
	out->credentials.value = &out->details;
	out->details = (Cosi__V1alpha1__CredentialDetails)COSI__V1ALPHA1__CREDENTIAL_DETAILS__INIT;
	out->details.secrets = out->secrets_list;
	if (api_string("account_id", answer->id, LIMIT_STRING, true, &out->response.account_id,
		       status) < 0)
		return NULL;
	switch (answer->protocol) {
	case COSI_S3:
		out->credentials.key = api_text("s3");
		v1alpha1_add_secret(out, "accessKeyID", access->key_id);
		v1alpha1_add_secret(out, "accessSecretKey", access->key_secret);
		v1alpha1_add_secret(out, "endpoint", bucket->endpoint);
		v1alpha1_add_secret(out, "region", bucket->region);
		break;
	case COSI_AZURE:
		out->credentials.key = api_text("azure");
		expires = api_date(UTC_GO, access->token_expires, &call->arena, status);
		if (expires == NULL)
			return NULL;
		v1alpha1_add_secret(out, "accessToken", access->token);
		v1alpha1_add_secret(out, "expiryTs", expires);
		break;
	case COSI_GCS:
		out->credentials.key = api_text("gcs");
		v1alpha1_add_secret(out, "accessID", access->key_id);
		v1alpha1_add_secret(out, "accessSecret", access->key_secret);
		v1alpha1_add_secret(out, "privateKeyName", access->key_name);
		v1alpha1_add_secret(out, "serviceAccount", access->service_account);
		v1alpha1_add_secret(out, "projectID", bucket->gcs_project);
		v1alpha1_add_secret(out, "bucketName", bucket->name);
		break;
	default:
		status_fail(status, COSI_INTERNAL, "v1alpha1 has no protocol %u", answer->protocol);
		return NULL;
	}
	if (out->details.n_secrets == 0 || out->bytes > LIMIT_MAP) {
		status_fail(status, COSI_INTERNAL,
			    "the credentials hold %zu bytes, 1 to %d are allowed", out->bytes,
			    LIMIT_MAP);
		return NULL;
	}
	return &out->response.base;
}

static const struct api_method v1alpha1_methods[] = {
	{ "/cosi.v1alpha1.Identity/DriverGetInfo", "DriverGetInfo", 0,
	  &cosi__v1alpha1__driver_get_info_request__descriptor, &codes_v1alpha1_create, NULL,
	  NULL },
	{ PROVISIONER "DriverCreateBucket", "DriverCreateBucket", REQUEST_CREATE,
	  &cosi__v1alpha1__driver_create_bucket_request__descriptor, &codes_v1alpha1_create,
	  v1alpha1_decode_create, v1alpha1_encode_create },
	{ PROVISIONER "DriverDeleteBucket", "DriverDeleteBucket", REQUEST_DELETE,
	  &cosi__v1alpha1__driver_delete_bucket_request__descriptor, &codes_v1alpha1_remove,
	  v1alpha1_decode_delete, NULL },
	{ PROVISIONER "DriverGrantBucketAccess", "DriverGrantBucketAccess", REQUEST_GRANT,
	  &cosi__v1alpha1__driver_grant_bucket_access_request__descriptor, &codes_v1alpha1_grant,
	  v1alpha1_decode_grant, v1alpha1_encode_grant },
	{ PROVISIONER "DriverRevokeBucketAccess", "DriverRevokeBucketAccess", REQUEST_REVOKE,
	  &cosi__v1alpha1__driver_revoke_bucket_access_request__descriptor, &codes_v1alpha1_remove,
	  v1alpha1_decode_revoke, NULL },
};

const struct api_version api_v1alpha1 = {
	.name = "v1alpha1",
	.info = v1alpha1_info,
	.nmethods = sizeof v1alpha1_methods / sizeof v1alpha1_methods[0],
	.methods = v1alpha1_methods,
};
