/* SPDX-License-Identifier: Apache-2.0
 * v1alpha1.c - the API of the v0.2 sidecars: one bucket per access, credentials as maps.
 *
 * The mode of an access is the parameter accessMode here; no call returns the bucket's own name,
 * because applications use the one that they asked for.
 */
#include <string.h>

#include "api.h"
#include "cosi_v1alpha1.pb-c.h"

#include "banned.h"

#define PROVISIONER "/cosi.v1alpha1.Provisioner/"

static int
v1_get_info(struct client *client, const struct request *request, json_t *answer)
{
	Cosi__V1alpha1__DriverGetInfoRequest message;
	const Cosi__V1alpha1__DriverGetInfoResponse *reply;

	(void)request;
	cosi__v1alpha1__driver_get_info_request__init(&message);
	reply = client_call(client, "/cosi.v1alpha1.Identity/DriverGetInfo", &message.base,
			    &cosi__v1alpha1__driver_get_info_response__descriptor);
	if (reply == NULL)
		return -1;
	api_set(answer, "name", reply->name);
	return 0;
}

static json_t *
v1_protocols(const Cosi__V1alpha1__Protocol *info)
{
	json_t *protocols = json_object(), *members = json_object();
	const char *name = NULL;

	if (info != NULL && info->type_case == COSI__V1ALPHA1__PROTOCOL__TYPE_S3) {
		name = "s3";
		api_set(members, "region", info->s3->region);
	} else if (info != NULL && info->type_case == COSI__V1ALPHA1__PROTOCOL__TYPE_AZURE_BLOB) {
		name = "azure";
		api_set(members, "storageAccount", info->azureblob->storage_account);
	} else if (info != NULL && info->type_case == COSI__V1ALPHA1__PROTOCOL__TYPE_GCS) {
		name = "gcs";
		api_set(members, "project", info->gcs->project_id);
	}
	if (name != NULL)
		(void)json_object_set(protocols, name, members);
	json_decref(members);
	return protocols;
}

static int
v1_create_bucket(struct client *client, const struct request *request, json_t *answer)
{
	Cosi__V1alpha1__DriverCreateBucketRequest message;
	const Cosi__V1alpha1__DriverCreateBucketResponse *reply;

	cosi__v1alpha1__driver_create_bucket_request__init(&message);
	message.name = arena_strdup(client->arena, request->ids[0]);
	message.n_parameters = request->nparams;
	message.parameters = api_map(
		client->arena, request,
		&cosi__v1alpha1__driver_create_bucket_request__parameters_entry__descriptor);
	reply = client_call(client, PROVISIONER "DriverCreateBucket", &message.base,
			    &cosi__v1alpha1__driver_create_bucket_response__descriptor);
	if (reply == NULL)
		return -1;
	api_set(answer, "bucketId", reply->bucket_id);
	(void)json_object_set_new(answer, "protocols", v1_protocols(reply->bucket_info));
	return 0;
}

static int
v1_delete_bucket(struct client *client, const struct request *request, json_t *answer)
{
	Cosi__V1alpha1__DriverDeleteBucketRequest message;

	(void)answer;
	cosi__v1alpha1__driver_delete_bucket_request__init(&message);
	message.bucket_id = arena_strdup(client->arena, request->ids[0]);
	message.n_delete_context = request->nparams;
	message.delete_context = api_map(
		client->arena, request,
		&cosi__v1alpha1__driver_delete_bucket_request__delete_context_entry__descriptor);
	return client_call(client, PROVISIONER "DriverDeleteBucket", &message.base,
			   &cosi__v1alpha1__driver_delete_bucket_response__descriptor) != NULL
		       ? 0
		       : -1;
}

static const char *
v1_secret(const Cosi__V1alpha1__CredentialDetails *details, const char *key)
{
	for (size_t i = 0; i < details->n_secrets; i++)
		if (strcmp(details->secrets[i]->key, key) == 0)
			return details->secrets[i]->value;
	return NULL;
}

/* The keys are those that the sidecars look for; gcs is cosid's own, no sidecar has it. */
static int
v1_credentials(struct client *client, const Cosi__V1alpha1__DriverGrantBucketAccessResponse *reply,
	       json_t *info, json_t *credentials, const char **out_protocol)
{
	static const struct {
		const char *protocol, *key, *member;
		bool of_info;
	} keys[] = {
		{ "s3", "accessKeyID", "accessKeyId", false },
		{ "s3", "accessSecretKey", "accessSecretKey", false },
		{ "s3", "endpoint", "endpoint", true },
		{ "s3", "region", "region", true },
		{ "azure", "accessToken", "accessToken", false },
		{ "azure", "expiryTs", "expires", false },
		{ "gcs", "accessID", "accessKeyId", false },
		{ "gcs", "accessSecret", "accessSecretKey", false },
		{ "gcs", "privateKeyName", "privateKeyName", false },
		{ "gcs", "serviceAccount", "serviceAccount", false },
	};
	const Cosi__V1alpha1__CredentialDetails *details;

	if (reply->n_credentials != 1 || reply->credentials[0]->value == NULL)
		return client_fail(client, GRPC_STATUS_INTERNAL,
				   "cannot read the answer: it has %zu credentials, not one",
				   reply->n_credentials);
	*out_protocol = api_protocol_name(api_protocol_parse(reply->credentials[0]->key));
	if (*out_protocol == NULL)
		return client_fail(client, GRPC_STATUS_INTERNAL,
				   "cannot read the answer: its credentials are for '%s'",
				   reply->credentials[0]->key);
	details = reply->credentials[0]->value;
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
		if (strcmp(keys[i].protocol, *out_protocol) == 0)
			api_set(keys[i].of_info ? info : credentials, keys[i].member,
				v1_secret(details, keys[i].key));
	return 0;
}

static int
v1_grant_access(struct client *client, const struct request *request, json_t *answer)
{
	static const char *const modes[] = { NULL, "readWrite", "readOnly", "writeOnly" };
	struct cosi_kv *params =
		arena_alloc(client->arena, (request->nparams + 1) * sizeof *params);
	json_t *info = json_object(), *credentials = json_object();
	Cosi__V1alpha1__DriverGrantBucketAccessRequest message;
	const Cosi__V1alpha1__DriverGrantBucketAccessResponse *reply;
	struct request with_mode = *request;
	const char *protocol;
	int rc = -1;

	if (request->mode != 0 && params != NULL) {
		for (size_t i = 0; i < request->nparams; i++)
			params[i] = request->params[i];
		params[with_mode.nparams++] =
			(struct cosi_kv){ "accessMode", modes[request->mode] };
		with_mode.params = params;
	}
	cosi__v1alpha1__driver_grant_bucket_access_request__init(&message);
	message.bucket_id = arena_strdup(client->arena, request->ids[0]);
	message.name = arena_strdup(client->arena, request->account);
	message.authentication_type = COSI__V1ALPHA1__AUTHENTICATION_TYPE__Key;
	message.n_parameters = with_mode.nparams;
	message.parameters = api_map(
		client->arena, &with_mode,
		&cosi__v1alpha1__driver_grant_bucket_access_request__parameters_entry__descriptor);
	reply = client_call(client, PROVISIONER "DriverGrantBucketAccess", &message.base,
			    &cosi__v1alpha1__driver_grant_bucket_access_response__descriptor);
	if (reply != NULL && v1_credentials(client, reply, info, credentials, &protocol) == 0) {
		api_set(answer, "accountId", reply->account_id);
		(void)json_object_set_new(answer, "buckets",
					  json_pack("[{s:s, s:{s:O}}]", "bucketId", request->ids[0],
						    "protocols", protocol, info));
		(void)json_object_set_new(answer, "credentials",
					  json_pack("{s:O}", protocol, credentials));
		rc = 0;
	}
	json_decref(info);
	json_decref(credentials);
	return rc;
}

static int
v1_revoke_access(struct client *client, const struct request *request, json_t *answer)
{
	Cosi__V1alpha1__DriverRevokeBucketAccessRequest message;

	(void)answer;
	cosi__v1alpha1__driver_revoke_bucket_access_request__init(&message);
	message.bucket_id = arena_strdup(client->arena, request->ids[0]);
	message.account_id = arena_strdup(client->arena, request->account_id);
	return client_call(client, PROVISIONER "DriverRevokeBucketAccess", &message.base,
			   &cosi__v1alpha1__driver_revoke_bucket_access_response__descriptor) !=
			       NULL
		       ? 0
		       : -1;
}

const struct api api_v1alpha1 = {
	.name = "v1alpha1",
	.calls = { [OP_INFO] = v1_get_info,
		   [OP_CREATE] = v1_create_bucket,
		   [OP_DELETE] = v1_delete_bucket,
		   [OP_GRANT] = v1_grant_access,
		   [OP_REVOKE] = v1_revoke_access },
	.single = true,
};
