/* SPDX-License-Identifier: Apache-2.0
 * v1alpha2_answer.c - what v1alpha2 is answered.
 *
 * The sidecar checks the answer of a Grant: exactly the requested buckets, each with the info of
 * the requested protocol and of no other, and no required field empty.  It treats any fault as
 * final; the faults are therefore found here.
 */
#include <assert.h>
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
v1alpha2_set_bucket(struct bucket_answer *out, const struct cosi_bucket *bucket, uint32_t protocols,
		    struct status *status)
{
	out->infos =
		(Cosi2__ObjectProtocolAndBucketInfo)COSI2__OBJECT_PROTOCOL_AND_BUCKET_INFO__INIT;
	if ((protocols & COSI_S3) != 0) {
		out->style = (Cosi2__S3AddressingStyle)COSI2__S3_ADDRESSING_STYLE__INIT;
		out->style.style = bucket->style == COSI_VIRTUAL_STYLE
					   ? COSI2__S3_ADDRESSING_STYLE__STYLE__VIRTUAL
					   : COSI2__S3_ADDRESSING_STYLE__STYLE__PATH;
		out->s3 = (Cosi2__S3BucketInfo)COSI2__S3_BUCKET_INFO__INIT;
		out->s3.addressing_style = &out->style;
		out->infos.s3 = &out->s3;
		if (api_string("s3.bucket_id", bucket->name, LIMIT_STRING, true, &out->s3.bucket_id,
			       status) < 0 ||
		    api_string("s3.endpoint", bucket->endpoint, LIMIT_STRING, true,
			       &out->s3.endpoint, status) < 0 ||
		    api_string("s3.region", bucket->region, LIMIT_STRING, true, &out->s3.region,
			       status) < 0)
			return -1;
	}
	if ((protocols & COSI_AZURE) != 0) {
		out->azure = (Cosi2__AzureBucketInfo)COSI2__AZURE_BUCKET_INFO__INIT;
		out->infos.azure = &out->azure;
		if (api_string("azure.storage_account", bucket->azure_account, LIMIT_STRING, true,
			       &out->azure.storage_account, status) < 0)
			return -1;
	}
	if ((protocols & COSI_GCS) != 0) {
		out->gcs = (Cosi2__GcsBucketInfo)COSI2__GCS_BUCKET_INFO__INIT;
		out->infos.gcs = &out->gcs;
		if (api_string("gcs.project_id", bucket->gcs_project, LIMIT_STRING, true,
			       &out->gcs.project_id, status) < 0 ||
		    api_string("gcs.bucket_name", bucket->name, LIMIT_STRING, true,
			       &out->gcs.bucket_name, status) < 0)
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
v1alpha2_encode_found(const void *input, struct call *call, struct status *status)
{
	const struct answer *answer = &call->answer;
	struct found_answer *out = api_alloc(&call->arena, sizeof *out, status);

	(void)input;
	if (out == NULL)
		return NULL;
	out->response =
		(Cosi2__DriverCreateBucketResponse)COSI2__DRIVER_CREATE_BUCKET_RESPONSE__INIT;
	out->response.protocols = &out->bucket.infos;
	if (api_string("bucket_id", answer->id, LIMIT_LONG_ID, true, &out->response.bucket_id,
		       status) < 0 ||
	    v1alpha2_set_bucket(&out->bucket, &answer->bucket, answer->bucket.protocols, status) <
		    0)
		return NULL;
	if (answer->bucket.protocols == 0 ||
	    (call->req.protocols & ~answer->bucket.protocols) != 0) {
		status_fail(status, COSI_INTERNAL,
			    "cannot encode the answer: a requested protocol is missing");
		return NULL;
	}
	return &out->response.base;
}

struct credentials_answer {
	Cosi2__CredentialInfo infos;
	Cosi2__S3CredentialInfo s3;
	Cosi2__AzureCredentialInfo azure;
	Cosi2__GcsCredentialInfo gcs;
};

/* A key is answered with its secret; a service account needs none. */
static int
v1alpha2_set_credentials(struct credentials_answer *out, struct call *call, struct status *status)
{
	const struct cosi_access *access = &call->answer.access;
	bool with_key = call->req.auth == COSI_AUTH_KEY;
	const char *expires;

	out->infos = (Cosi2__CredentialInfo)COSI2__CREDENTIAL_INFO__INIT;
	switch (call->req.protocols) {
	case COSI_S3:
		out->s3 = (Cosi2__S3CredentialInfo)COSI2__S3_CREDENTIAL_INFO__INIT;
		out->infos.s3 = &out->s3;
		if (api_string("s3.access_key_id", access->key_id, LIMIT_STRING, with_key,
			       &out->s3.access_key_id, status) < 0)
			return -1;
		return api_string("s3.access_secret_key", access->key_secret, LIMIT_STRING,
				  with_key, &out->s3.access_secret_key, status);
	case COSI_AZURE:
		expires = api_date(UTC_RFC3339, access->token_expires, &call->arena, status);
		if (expires == NULL)
			return -1;
		out->azure = (Cosi2__AzureCredentialInfo)COSI2__AZURE_CREDENTIAL_INFO__INIT;
		out->azure.expiry_timestamp = api_text(expires);
		out->infos.azure = &out->azure;
		return api_string("azure.access_token", access->token, LIMIT_TOKEN, with_key,
				  &out->azure.access_token, status);
	default:
		out->gcs = (Cosi2__GcsCredentialInfo)COSI2__GCS_CREDENTIAL_INFO__INIT;
		out->infos.gcs = &out->gcs;
		if (api_string("gcs.access_id", access->key_id, LIMIT_STRING, with_key,
			       &out->gcs.access_id, status) < 0 ||
		    api_string("gcs.access_secret", access->key_secret, LIMIT_STRING, with_key,
			       &out->gcs.access_secret, status) < 0 ||
		    api_string("gcs.private_key_name", access->key_name, LIMIT_STRING, !with_key,
			       &out->gcs.private_key_name, status) < 0)
			return -1;
		return api_string("gcs.service_account", access->service_account, LIMIT_STRING,
				  !with_key, &out->gcs.service_account, status);
	}
}

struct accessed_answer {
	Cosi2__DriverGrantBucketAccessResponse__BucketInfo info;
	struct bucket_answer bucket;
};

struct grant_answer {
	Cosi2__DriverGrantBucketAccessResponse response;
	struct credentials_answer credentials;
	Cosi2__DriverGrantBucketAccessResponse__BucketInfo *list[LIMIT_BUCKETS];
};

const ProtobufCMessage *
v1alpha2_encode_grant(const void *input, struct call *call, struct status *status)
{
	const Cosi2__DriverGrantBucketAccessRequest *in = input;
	struct grant_answer *out = api_alloc(&call->arena, sizeof *out, status);
	struct accessed_answer *accessed =
		api_alloc(&call->arena, in->n_buckets * sizeof *accessed, status);

	if (out == NULL || accessed == NULL)
		return NULL;
	out->response = (Cosi2__DriverGrantBucketAccessResponse)
		COSI2__DRIVER_GRANT_BUCKET_ACCESS_RESPONSE__INIT;
	out->response.n_buckets = in->n_buckets;
	out->response.buckets = out->list;
	out->response.credentials = &out->credentials.infos;
	if (api_string("account_id", call->answer.id, LIMIT_LONG_ID, true,
		       &out->response.account_id, status) < 0 ||
	    v1alpha2_set_credentials(&out->credentials, call, status) < 0)
		return NULL;
	/* A bucket that was named twice is answered twice. */
	for (size_t i = 0; i < in->n_buckets; i++) {
		Cosi2__DriverGrantBucketAccessResponse__BucketInfo *info = &accessed[i].info;
		const char *id = in->buckets[i]->bucket_id;
		size_t at = v1alpha2_find_bucket(&call->req, id);

		assert(at < call->req.nbuckets); /* the decoder took them all in */
		*info = (Cosi2__DriverGrantBucketAccessResponse__BucketInfo)
			COSI2__DRIVER_GRANT_BUCKET_ACCESS_RESPONSE__BUCKET_INFO__INIT;
		info->bucket_id = api_text(id);
		info->bucket_info = &accessed[i].bucket.infos;
		out->list[i] = info;
		if (v1alpha2_set_bucket(&accessed[i].bucket, call->answer.access.buckets[at],
					call->req.protocols, status) < 0)
			return NULL;
	}
	return &out->response.base;
}
