/* SPDX-License-Identifier: Apache-2.0
 * v1alpha2_answer.c - what v1alpha2 is answered.
 *
 * The sidecar checks the answer of a Grant: exactly the requested buckets, each with the info of
 * the requested protocol and of no other, and no required field empty.  It treats any fault as
 * final; the faults are therefore found here.
 */
#include <string.h>

#include "cosi_v1alpha2.pb-c.h"
#include "rpc/limits.h"
#include "rpc/v1alpha2.h"

#include "banned.h"

const uint32_t v1alpha2_protocols[V1ALPHA2_NPROTOCOLS] = { COSI_S3, COSI_AZURE, COSI_GCS };

struct info_answer {
	Cosi2__DriverGetInfoResponse response;
	Cosi2__ObjectProtocol protocols[V1ALPHA2_NPROTOCOLS];
	Cosi2__ObjectProtocol *list[V1ALPHA2_NPROTOCOLS];
};

const ProtobufCMessage *
v1alpha2_info(const char *driver_name, uint32_t protocols, struct arena *arena,
	      struct status *status)
{
	struct info_answer *out = api_alloc(arena, sizeof *out, status);
	size_t n = 0;

	if (out == NULL)
		return NULL;
	for (int i = 0; i < V1ALPHA2_NPROTOCOLS; i++) {
		if ((protocols & v1alpha2_protocols[i]) == 0)
			continue;
		out->protocols[n] = (Cosi2__ObjectProtocol)COSI2__OBJECT_PROTOCOL__INIT;
		out->protocols[n].type = (Cosi2__ObjectProtocol__Type)(i + 1);
		out->list[n] = &out->protocols[n];
		n++;
	}
	if (n == 0) {
		status_fail(status, COSI_UNAVAILABLE,
			    "no backend is configured, and so there are no protocols");
		return NULL;
	}
	out->response = (Cosi2__DriverGetInfoResponse)COSI2__DRIVER_GET_INFO_RESPONSE__INIT;
	out->response.name = api_text(driver_name);
	out->response.n_supported_protocols = n;
	out->response.supported_protocols = out->list;
	return &out->response.base;
}

size_t
v1alpha2_find_bucket(const struct request *request, const char *id)
{
	size_t i = 0;

	while (i < request->nbuckets && strcmp(request->buckets[i].id, id) != 0)
		i++;
	return i;
}

/* One bucket as every protocol in question sees it. */
struct bucket_answer {
	Cosi2__ObjectProtocolAndBucketInfo infos;
	Cosi2__S3BucketInfo s3;
	Cosi2__S3AddressingStyle style;
	Cosi2__AzureBucketInfo azure;
	Cosi2__GcsBucketInfo gcs;
};

static int
v1alpha2_set_s3(struct bucket_answer *out, const struct cosi_bucket *bucket, struct status *status)
{
	out->style = (Cosi2__S3AddressingStyle)COSI2__S3_ADDRESSING_STYLE__INIT;
	out->style.style = bucket->style == COSI_VIRTUAL_STYLE
				   ? COSI2__S3_ADDRESSING_STYLE__STYLE__VIRTUAL
				   : COSI2__S3_ADDRESSING_STYLE__STYLE__PATH;
	out->s3 = (Cosi2__S3BucketInfo)COSI2__S3_BUCKET_INFO__INIT;
	out->s3.bucket_id = api_text(bucket->name);
	out->s3.endpoint = api_text(bucket->endpoint);
	out->s3.region = api_text(bucket->region);
	out->s3.addressing_style = &out->style;
	out->infos.s3 = &out->s3;
	if (limits_answer("s3.bucket_id", bucket->name, LIMIT_STRING, true, status) < 0 ||
	    limits_answer("s3.endpoint", bucket->endpoint, LIMIT_STRING, true, status) < 0)
		return -1;
	return limits_answer("s3.region", bucket->region, LIMIT_STRING, true, status);
}

static int
v1alpha2_set_bucket(struct bucket_answer *out, const struct cosi_bucket *bucket, uint32_t protocols,
		    struct status *status)
{
	out->infos =
		(Cosi2__ObjectProtocolAndBucketInfo)COSI2__OBJECT_PROTOCOL_AND_BUCKET_INFO__INIT;
	if ((protocols & COSI_S3) != 0 && v1alpha2_set_s3(out, bucket, status) < 0)
		return -1;
	if ((protocols & COSI_AZURE) != 0) {
		out->azure = (Cosi2__AzureBucketInfo)COSI2__AZURE_BUCKET_INFO__INIT;
		out->azure.storage_account = api_text(bucket->azure_account);
		out->infos.azure = &out->azure;
		if (limits_answer("azure.storage_account", bucket->azure_account, LIMIT_STRING,
				  true, status) < 0)
			return -1;
	}
	if ((protocols & COSI_GCS) != 0) {
		out->gcs = (Cosi2__GcsBucketInfo)COSI2__GCS_BUCKET_INFO__INIT;
		out->gcs.project_id = api_text(bucket->gcs_project);
		out->gcs.bucket_name = api_text(bucket->name);
		out->infos.gcs = &out->gcs;
		if (limits_answer("gcs.project_id", bucket->gcs_project, LIMIT_STRING, true,
				  status) < 0 ||
		    limits_answer("gcs.bucket_name", bucket->name, LIMIT_STRING, true, status) < 0)
			return -1;
	}
	return 0;
}

struct found_answer {
	Cosi2__DriverCreateBucketResponse response;
	struct bucket_answer bucket;
};

/* Create and both names of Get: their responses have the same fields under the same tags. */
const ProtobufCMessage *
v1alpha2_encode_found(const ProtobufCMessage *input, struct call *call, struct status *status)
{
	const struct answer *answer = &call->answer;
	struct found_answer *out = api_alloc(&call->arena, sizeof *out, status);

	(void)input;
	if (out == NULL ||
	    limits_answer("bucket_id", answer->id, LIMIT_LONG_ID, true, status) < 0 ||
	    v1alpha2_set_bucket(&out->bucket, &answer->bucket, answer->protocols, status) < 0)
		return NULL;
	if (answer->protocols == 0 || (call->req.protocols & ~answer->protocols) != 0) {
		status_fail(status, COSI_INTERNAL,
			    "cannot encode the answer: a requested protocol is missing");
		return NULL;
	}
	out->response =
		(Cosi2__DriverCreateBucketResponse)COSI2__DRIVER_CREATE_BUCKET_RESPONSE__INIT;
	out->response.bucket_id = api_text(answer->id);
	out->response.protocols = &out->bucket.infos;
	return &out->response.base;
}

struct credentials_answer {
	Cosi2__CredentialInfo infos;
	Cosi2__S3CredentialInfo s3;
	Cosi2__AzureCredentialInfo azure;
	Cosi2__GcsCredentialInfo gcs;
};

static int
v1alpha2_set_s3_credentials(struct credentials_answer *out, const struct cosi_access *access,
			    bool with_key, struct status *status)
{
	out->s3 = (Cosi2__S3CredentialInfo)COSI2__S3_CREDENTIAL_INFO__INIT;
	out->s3.access_key_id = api_text(access->key_id);
	out->s3.access_secret_key = api_text(access->key_secret);
	out->infos.s3 = &out->s3;
	if (limits_answer("s3.access_key_id", access->key_id, LIMIT_STRING, with_key, status) < 0)
		return -1;
	return limits_answer("s3.access_secret_key", access->key_secret, LIMIT_STRING, with_key,
			     status);
}

static int
v1alpha2_set_azure_credentials(struct credentials_answer *out, const struct cosi_access *access,
			       bool with_key, struct arena *arena, struct status *status)
{
	const char *expires = NULL;

	if (access->token_expires != 0) {
		expires = api_date(UTC_RFC3339, access->token_expires, arena, status);
		if (expires == NULL)
			return -1;
	}
	out->azure = (Cosi2__AzureCredentialInfo)COSI2__AZURE_CREDENTIAL_INFO__INIT;
	out->azure.access_token = api_text(access->token);
	out->azure.expiry_timestamp = api_text(expires);
	out->infos.azure = &out->azure;
	return limits_answer("azure.access_token", access->token, LIMIT_TOKEN, with_key, status);
}

static int
v1alpha2_set_gcs_credentials(struct credentials_answer *out, const struct cosi_access *access,
			     bool with_key, struct status *status)
{
	out->gcs = (Cosi2__GcsCredentialInfo)COSI2__GCS_CREDENTIAL_INFO__INIT;
	out->gcs.access_id = api_text(access->key_id);
	out->gcs.access_secret = api_text(access->key_secret);
	out->gcs.private_key_name = api_text(access->key_name);
	out->gcs.service_account = api_text(access->service_account);
	out->infos.gcs = &out->gcs;
	if (limits_answer("gcs.access_id", access->key_id, LIMIT_STRING, with_key, status) < 0 ||
	    limits_answer("gcs.access_secret", access->key_secret, LIMIT_STRING, with_key, status) <
		    0 ||
	    limits_answer("gcs.private_key_name", access->key_name, LIMIT_STRING, !with_key,
			  status) < 0)
		return -1;
	return limits_answer("gcs.service_account", access->service_account, LIMIT_STRING,
			     !with_key, status);
}

static int
v1alpha2_set_credentials(struct credentials_answer *out, struct call *call, struct status *status)
{
	const struct cosi_access *access = &call->answer.access;
	bool with_key = call->req.auth == COSI_AUTH_KEY;

	out->infos = (Cosi2__CredentialInfo)COSI2__CREDENTIAL_INFO__INIT;
	switch (call->req.protocols) {
	case COSI_S3:
		return v1alpha2_set_s3_credentials(out, access, with_key, status);
	case COSI_AZURE:
		return v1alpha2_set_azure_credentials(out, access, with_key, &call->arena, status);
	default:
		return v1alpha2_set_gcs_credentials(out, access, with_key, status);
	}
}

struct accessed_answer {
	Cosi2__DriverGrantBucketAccessResponse__BucketInfo info;
	struct bucket_answer bucket;
};

/* A bucket that was named twice is answered twice. */
static int
v1alpha2_set_accessed(struct accessed_answer *out, const char *id, const struct call *call,
		      struct status *status)
{
	const struct cosi_access *access = &call->answer.access;
	size_t i = v1alpha2_find_bucket(&call->req, id);

	if (i == call->req.nbuckets)
		return status_fail(status, COSI_INTERNAL,
				   "cannot encode the answer: bucket '%s' is missing", id);
	if (v1alpha2_set_bucket(&out->bucket, access->buckets[i], call->req.protocols, status) < 0)
		return -1;
	out->info = (Cosi2__DriverGrantBucketAccessResponse__BucketInfo)
		COSI2__DRIVER_GRANT_BUCKET_ACCESS_RESPONSE__BUCKET_INFO__INIT;
	out->info.bucket_id = api_text(id);
	out->info.bucket_info = &out->bucket.infos;
	return 0;
}

struct grant_answer {
	Cosi2__DriverGrantBucketAccessResponse response;
	struct credentials_answer credentials;
	Cosi2__DriverGrantBucketAccessResponse__BucketInfo *list[LIMIT_BUCKETS];
};

const ProtobufCMessage *
v1alpha2_encode_grant(const ProtobufCMessage *input, struct call *call, struct status *status)
{
	const Cosi2__DriverGrantBucketAccessRequest *in =
		(const Cosi2__DriverGrantBucketAccessRequest *)input;
	struct grant_answer *out = api_alloc(&call->arena, sizeof *out, status);
	struct accessed_answer *accessed =
		api_alloc(&call->arena, in->n_buckets * sizeof *accessed, status);

	if (out == NULL || accessed == NULL ||
	    limits_answer("account_id", call->answer.id, LIMIT_LONG_ID, true, status) < 0 ||
	    v1alpha2_set_credentials(&out->credentials, call, status) < 0)
		return NULL;
	for (size_t i = 0; i < in->n_buckets; i++) {
		if (v1alpha2_set_accessed(&accessed[i], in->buckets[i]->bucket_id, call, status) !=
		    0)
			return NULL;
		out->list[i] = &accessed[i].info;
	}
	out->response = (Cosi2__DriverGrantBucketAccessResponse)
		COSI2__DRIVER_GRANT_BUCKET_ACCESS_RESPONSE__INIT;
	out->response.account_id = api_text(call->answer.id);
	out->response.n_buckets = in->n_buckets;
	out->response.buckets = out->list;
	out->response.credentials = &out->credentials.infos;
	return &out->response.base;
}
