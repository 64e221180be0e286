/* SPDX-License-Identifier: Apache-2.0
 * v1alpha1.c - the dialect of the v0.2 sidecars: one bucket per access, credentials as maps.
 *
 * The mode of an access is the parameter accessMode here; the bucket's own name is told to nobody,
 * because applications take the one that they asked for.
 */
#include <string.h>

#include "cosi_v1alpha1.pb-c.h"
#include "dialect.h"

#include "banned.h"

#define PROVISIONER "/cosi.v1alpha1.Provisioner/"

static int
get_info(struct client *client, struct arena *arena, const struct ask *ask, struct answer *answer,
	 struct client_error *out_error)
{
	Cosi__V1alpha1__DriverGetInfoRequest request;
	const Cosi__V1alpha1__DriverGetInfoResponse *reply;
	ProtobufCMessage *message;

	cosi__v1alpha1__driver_get_info_request__init(&request);
	(void)arena;
	(void)ask;
	if (client_call(client, "/cosi.v1alpha1.Identity/DriverGetInfo", &request.base,
			&cosi__v1alpha1__driver_get_info_response__descriptor, &message,
			out_error) < 0)
		return -1;
	reply = (const Cosi__V1alpha1__DriverGetInfoResponse *)message;
	answer->driver = reply->name;
	return 0;
}

static struct answer_bucket *
bucket_add(struct arena *arena, struct answer *answer, const char *id)
{
	answer->buckets = arena_alloc(arena, sizeof *answer->buckets);
	if (answer->buckets == NULL)
		return NULL;
	answer->nbuckets = 1;
	answer->buckets->id = id;
	return answer->buckets;
}

static void
bucket_info(const Cosi__V1alpha1__Protocol *told, struct answer_bucket *bucket)
{
	struct answer_info *to = &bucket->infos[0];

	if (told == NULL || told->type_case == COSI__V1ALPHA1__PROTOCOL__TYPE__NOT_SET)
		return;
	bucket->ninfos = 1;
	if (told->type_case == COSI__V1ALPHA1__PROTOCOL__TYPE_S3)
		*to = (struct answer_info){ .protocol = COSI_S3, .region = told->s3->region };
	else if (told->type_case == COSI__V1ALPHA1__PROTOCOL__TYPE_AZURE_BLOB)
		*to = (struct answer_info){ .protocol = COSI_AZURE,
					    .storage_account = told->azureblob->storage_account };
	else
		*to = (struct answer_info){ .protocol = COSI_GCS,
					    .project = told->gcs->project_id };
}

static int
create_bucket(struct client *client, struct arena *arena, const struct ask *ask,
	      struct answer *answer, struct client_error *out_error)
{
	Cosi__V1alpha1__DriverCreateBucketRequest request;
	const Cosi__V1alpha1__DriverCreateBucketResponse *reply;
	struct answer_bucket *bucket;
	ProtobufCMessage *message;

	cosi__v1alpha1__driver_create_bucket_request__init(&request);
	request.name = arena_strdup(arena, ask->ids[0]);
	request.n_parameters = ask->nparams;
	request.parameters = dialect_map(
		arena, ask,
		&cosi__v1alpha1__driver_create_bucket_request__parameters_entry__descriptor);
	if (client_call(client, PROVISIONER "DriverCreateBucket", &request.base,
			&cosi__v1alpha1__driver_create_bucket_response__descriptor, &message,
			out_error) < 0)
		return -1;
	reply = (const Cosi__V1alpha1__DriverCreateBucketResponse *)message;
	bucket = bucket_add(arena, answer, reply->bucket_id);
	if (bucket != NULL)
		bucket_info(reply->bucket_info, bucket);
	return 0;
}

static int
delete_bucket(struct client *client, struct arena *arena, const struct ask *ask,
	      struct answer *answer, struct client_error *out_error)
{
	Cosi__V1alpha1__DriverDeleteBucketRequest request;
	ProtobufCMessage *message;

	cosi__v1alpha1__driver_delete_bucket_request__init(&request);
	(void)answer;
	request.bucket_id = arena_strdup(arena, ask->ids[0]);
	request.n_delete_context = ask->nparams;
	request.delete_context = dialect_map(
		arena, ask,
		&cosi__v1alpha1__driver_delete_bucket_request__delete_context_entry__descriptor);
	return client_call(client, PROVISIONER "DriverDeleteBucket", &request.base,
			   &cosi__v1alpha1__driver_delete_bucket_response__descriptor, &message,
			   out_error);
}

static const char *
detail(const Cosi__V1alpha1__CredentialDetails *details, const char *key)
{
	for (size_t i = 0; i < details->n_secrets; i++)
		if (strcmp(details->secrets[i]->key, key) == 0)
			return details->secrets[i]->value;
	return NULL;
}

/* The keys are those that the sidecars look for; gcs is cosid's own, no sidecar has it. */
static void
credentials(uint32_t protocol, const Cosi__V1alpha1__CredentialDetails *details,
	    struct answer *answer)
{
	answer->credentials = (struct answer_credentials){ .protocol = protocol };
	answer->buckets->ninfos = 1;
	answer->buckets->infos[0] = (struct answer_info){ .protocol = protocol };
	if (protocol == COSI_S3) {
		answer->credentials.key_id = detail(details, "accessKeyID");
		answer->credentials.key_secret = detail(details, "accessSecretKey");
		answer->buckets->infos[0].endpoint = detail(details, "endpoint");
		answer->buckets->infos[0].region = detail(details, "region");
	} else if (protocol == COSI_AZURE) {
		answer->credentials.token = detail(details, "accessToken");
		answer->credentials.expires = detail(details, "expiryTs");
	} else {
		answer->credentials.key_id = detail(details, "accessID");
		answer->credentials.key_secret = detail(details, "accessSecret");
		answer->credentials.key_name = detail(details, "privateKeyName");
		answer->credentials.service_account = detail(details, "serviceAccount");
	}
}

static int
grant_answer(struct arena *arena, const struct ask *ask,
	     const Cosi__V1alpha1__DriverGrantBucketAccessResponse *reply, struct answer *answer,
	     struct client_error *out_error)
{
	uint32_t protocol;

	answer->account_id = reply->account_id;
	if (bucket_add(arena, answer, ask->ids[0]) == NULL)
		return 0;
	if (reply->n_credentials != 1 || reply->credentials[0]->value == NULL)
		return client_fail(out_error, arena, GRPC_STATUS_INTERNAL,
				   "cannot read the answer: it has %zu credentials, not one",
				   reply->n_credentials);
	protocol = answer_protocol_parse(reply->credentials[0]->key);
	if (protocol == 0)
		return client_fail(out_error, arena, GRPC_STATUS_INTERNAL,
				   "cannot read the answer: its credentials are for '%s'",
				   reply->credentials[0]->key);
	credentials(protocol, reply->credentials[0]->value, answer);
	return 0;
}

/* The ask with its mode among the parameters. */
static struct ask
with_mode(struct arena *arena, const struct ask *ask)
{
	static const char *const words[] = { NULL, "readWrite", "readOnly", "writeOnly" };
	struct cosi_kv *params = arena_alloc(arena, (ask->nparams + 1) * sizeof *params);
	struct ask copy = *ask;

	if (ask->mode == 0 || params == NULL)
		return copy;
	if (ask->nparams > 0)
		memcpy(params, ask->params, ask->nparams * sizeof *params);
	params[ask->nparams] = (struct cosi_kv){ "accessMode", words[ask->mode] };
	copy.params = params;
	copy.nparams++;
	return copy;
}

static int
grant_access(struct client *client, struct arena *arena, const struct ask *ask,
	     struct answer *answer, struct client_error *out_error)
{
	Cosi__V1alpha1__DriverGrantBucketAccessRequest request;
	const struct ask full = with_mode(arena, ask);
	ProtobufCMessage *message;

	cosi__v1alpha1__driver_grant_bucket_access_request__init(&request);
	request.bucket_id = arena_strdup(arena, ask->ids[0]);
	request.name = arena_strdup(arena, ask->account);
	request.authentication_type = COSI__V1ALPHA1__AUTHENTICATION_TYPE__Key;
	request.n_parameters = full.nparams;
	request.parameters = dialect_map(
		arena, &full,
		&cosi__v1alpha1__driver_grant_bucket_access_request__parameters_entry__descriptor);
	if (client_call(client, PROVISIONER "DriverGrantBucketAccess", &request.base,
			&cosi__v1alpha1__driver_grant_bucket_access_response__descriptor, &message,
			out_error) < 0)
		return -1;
	return grant_answer(arena, ask,
			    (const Cosi__V1alpha1__DriverGrantBucketAccessResponse *)message,
			    answer, out_error);
}

static int
revoke_access(struct client *client, struct arena *arena, const struct ask *ask,
	      struct answer *answer, struct client_error *out_error)
{
	Cosi__V1alpha1__DriverRevokeBucketAccessRequest request;
	ProtobufCMessage *message;

	cosi__v1alpha1__driver_revoke_bucket_access_request__init(&request);
	(void)answer;
	request.bucket_id = arena_strdup(arena, ask->ids[0]);
	request.account_id = arena_strdup(arena, ask->account_id);
	return client_call(client, PROVISIONER "DriverRevokeBucketAccess", &request.base,
			   &cosi__v1alpha1__driver_revoke_bucket_access_response__descriptor,
			   &message, out_error);
}

const struct dialect dialect_v1alpha1 = {
	.name = "v1alpha1",
	.calls = { [ASK_INFO] = get_info,
		   [ASK_CREATE] = create_bucket,
		   [ASK_DELETE] = delete_bucket,
		   [ASK_GRANT] = grant_access,
		   [ASK_REVOKE] = revoke_access },
	.single = true,
};
