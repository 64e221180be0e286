/* SPDX-License-Identifier: Apache-2.0
 * v1alpha2.c - the API of the later sidecars: requests name protocols, an access has many buckets.
 *
 * Access modes go out in the numbering in which readWrite is 1, without the fields that would make
 * a server read them in the later one.
 */
#include "api.h"
#include "cosi_v1alpha2.pb-c.h"

#include "banned.h"

#define SERVICE     "/sigs.k8s.io.cosi.v1alpha2."
#define PROVISIONER SERVICE "Provisioner/"

/* The bits of enum cosi_protocol are the wire's numbers less one. */
enum { WIRE_PROTOCOLS = 3 };

static Cosi2__ObjectProtocol *
v2_protocol(struct arena *arena, uint32_t protocol)
{
	Cosi2__ObjectProtocol *message = arena_alloc(arena, sizeof *message);

	if (message == NULL)
		return NULL;
	cosi2__object_protocol__init(message);
	message->type =
		(Cosi2__ObjectProtocol__Type)(__builtin_ctz(protocol != 0 ? protocol : COSI_S3) +
					      1);
	return message;
}

static size_t
v2_protocols(struct arena *arena, uint32_t protocols, Cosi2__ObjectProtocol ***out)
{
	size_t n = 0;

	*out = arena_alloc(arena, WIRE_PROTOCOLS * sizeof **out);
	for (uint32_t bit = 1; *out != NULL && bit < 1u << WIRE_PROTOCOLS; bit <<= 1)
		if ((protocols & bit) != 0)
			(*out)[n++] = v2_protocol(arena, bit);
	return n;
}

static Cosi2__AuthenticationType *
v2_key_authentication(struct arena *arena)
{
	Cosi2__AuthenticationType *message = arena_alloc(arena, sizeof *message);

	if (message == NULL)
		return NULL;
	cosi2__authentication_type__init(message);
	message->type = COSI2__AUTHENTICATION_TYPE__TYPE__KEY;
	return message;
}

static int
v2_get_info(struct client *client, const struct request *request, json_t *answer)
{
	Cosi2__DriverGetInfoRequest message;
	const Cosi2__DriverGetInfoResponse *reply;
	json_t *protocols;

	(void)request;
	cosi2__driver_get_info_request__init(&message);
	reply = client_call(client, SERVICE "Identity/DriverGetInfo", &message.base,
			    &cosi2__driver_get_info_response__descriptor);
	if (reply == NULL)
		return -1;
	api_set(answer, "name", reply->name);
	protocols = json_array();
	for (uint32_t wire = 1; wire <= WIRE_PROTOCOLS; wire++)
		for (size_t i = 0; i < reply->n_supported_protocols; i++)
			if ((uint32_t)reply->supported_protocols[i]->type == wire) {
				const char *name = api_protocol_name(1u << (wire - 1));

				(void)json_array_append_new(protocols, json_string(name));
				break;
			}
	if (json_array_size(protocols) > 0)
		(void)json_object_set(answer, "protocols", protocols);
	json_decref(protocols);
	return 0;
}

/* Sets the members "bucketId" and "protocols". */
static void
v2_set_bucket(json_t *answer, const char *id, const Cosi2__ObjectProtocolAndBucketInfo *info)
{
	json_t *protocols = json_object(), *members;

	if (info != NULL && info->s3 != NULL) {
		const Cosi2__S3AddressingStyle *style = info->s3->addressing_style;

		members = json_object();
		api_set(members, "bucket", info->s3->bucket_id);
		api_set(members, "endpoint", info->s3->endpoint);
		api_set(members, "region", info->s3->region);
		if (style != NULL && style->style == COSI2__S3_ADDRESSING_STYLE__STYLE__PATH)
			api_set(members, "addressingStyle", "path");
		if (style != NULL && style->style == COSI2__S3_ADDRESSING_STYLE__STYLE__VIRTUAL)
			api_set(members, "addressingStyle", "virtual");
		(void)json_object_set_new(protocols, "s3", members);
	}
	if (info != NULL && info->azure != NULL) {
		members = json_object();
		api_set(members, "storageAccount", info->azure->storage_account);
		(void)json_object_set_new(protocols, "azure", members);
	}
	if (info != NULL && info->gcs != NULL) {
		members = json_object();
		api_set(members, "bucket", info->gcs->bucket_name);
		api_set(members, "project", info->gcs->project_id);
		(void)json_object_set_new(protocols, "gcs", members);
	}
	api_set(answer, "bucketId", id);
	(void)json_object_set_new(answer, "protocols", protocols);
}

static int
v2_create_bucket(struct client *client, const struct request *request, json_t *answer)
{
	Cosi2__DriverCreateBucketRequest message;
	const Cosi2__DriverCreateBucketResponse *reply;

	cosi2__driver_create_bucket_request__init(&message);
	message.name = arena_strdup(client->arena, request->ids[0]);
	message.n_protocols = v2_protocols(client->arena, request->protocols, &message.protocols);
	message.n_parameters = request->nparams;
	message.parameters =
		api_map(client->arena, request,
			&cosi2__driver_create_bucket_request__parameters_entry__descriptor);
	reply = client_call(client, PROVISIONER "DriverCreateBucket", &message.base,
			    &cosi2__driver_create_bucket_response__descriptor);
	if (reply == NULL)
		return -1;
	v2_set_bucket(answer, reply->bucket_id, reply->protocols);
	return 0;
}

static int
v2_get_bucket(struct client *client, const struct request *request, json_t *answer)
{
	Cosi2__DriverGetExistingBucketRequest message;
	const Cosi2__DriverGetExistingBucketResponse *reply;

	cosi2__driver_get_existing_bucket_request__init(&message);
	message.existing_bucket_id = arena_strdup(client->arena, request->ids[0]);
	message.n_protocols = v2_protocols(client->arena, request->protocols, &message.protocols);
	reply = client_call(client, PROVISIONER "DriverGetExistingBucket", &message.base,
			    &cosi2__driver_get_existing_bucket_response__descriptor);
	if (reply == NULL)
		return -1;
	v2_set_bucket(answer, reply->bucket_id, reply->protocols);
	return 0;
}

static int
v2_delete_bucket(struct client *client, const struct request *request, json_t *answer)
{
	Cosi2__DriverDeleteBucketRequest message;

	(void)answer;
	cosi2__driver_delete_bucket_request__init(&message);
	message.bucket_id = arena_strdup(client->arena, request->ids[0]);
	message.n_parameters = request->nparams;
	message.parameters =
		api_map(client->arena, request,
			&cosi2__driver_delete_bucket_request__parameters_entry__descriptor);
	return client_call(client, PROVISIONER "DriverDeleteBucket", &message.base,
			   &cosi2__driver_delete_bucket_response__descriptor) != NULL
		       ? 0
		       : -1;
}

/* protoc-c's names for the two kinds of entry in `buckets`. */
#define GRANT_BUCKET  Cosi2__DriverGrantBucketAccessRequest__AccessedBucket
#define REVOKE_BUCKET Cosi2__DriverRevokeBucketAccessRequest__AccessedBucket

static GRANT_BUCKET **
v2_grant_buckets(struct arena *arena, const struct request *request)
{
	GRANT_BUCKET **list = arena_alloc(arena, request->nids * sizeof *list);
	GRANT_BUCKET *buckets = arena_alloc(arena, request->nids * sizeof *buckets);
	Cosi2__AccessMode *mode = arena_alloc(arena, sizeof *mode);

	if (list == NULL || buckets == NULL || mode == NULL)
		return NULL;
	cosi2__access_mode__init(mode);
	mode->mode =
		(Cosi2__AccessMode__Mode)(request->mode != 0 ? request->mode : COSI_READ_WRITE);
	for (size_t i = 0; i < request->nids; i++) {
		list[i] = &buckets[i];
		cosi2__driver_grant_bucket_access_request__accessed_bucket__init(list[i]);
		list[i]->bucket_id = arena_strdup(arena, request->ids[i]);
		list[i]->access_mode = mode;
	}
	return list;
}

static json_t *
v2_credentials(const Cosi2__CredentialInfo *info)
{
	json_t *credentials = json_object(), *members = json_object();
	const char *name = NULL;

	if (info != NULL && info->s3 != NULL) {
		name = "s3";
		api_set(members, "accessKeyId", info->s3->access_key_id);
		api_set(members, "accessSecretKey", info->s3->access_secret_key);
	} else if (info != NULL && info->azure != NULL) {
		name = "azure";
		api_set(members, "accessToken", info->azure->access_token);
		api_set(members, "expires", info->azure->expiry_timestamp);
	} else if (info != NULL && info->gcs != NULL) {
		name = "gcs";
		api_set(members, "accessKeyId", info->gcs->access_id);
		api_set(members, "accessSecretKey", info->gcs->access_secret);
		api_set(members, "privateKeyName", info->gcs->private_key_name);
		api_set(members, "serviceAccount", info->gcs->service_account);
	}
	if (name != NULL)
		(void)json_object_set(credentials, name, members);
	json_decref(members);
	return credentials;
}

static int
v2_grant_access(struct client *client, const struct request *request, json_t *answer)
{
	Cosi2__DriverGrantBucketAccessRequest message;
	const Cosi2__DriverGrantBucketAccessResponse *reply;
	json_t *buckets;

	cosi2__driver_grant_bucket_access_request__init(&message);
	message.account_name = arena_strdup(client->arena, request->account);
	message.protocol = v2_protocol(client->arena, request->protocols);
	message.authentication_type = v2_key_authentication(client->arena);
	message.n_parameters = request->nparams;
	message.parameters =
		api_map(client->arena, request,
			&cosi2__driver_grant_bucket_access_request__parameters_entry__descriptor);
	message.buckets = v2_grant_buckets(client->arena, request);
	message.n_buckets = message.buckets != NULL ? request->nids : 0;
	reply = client_call(client, PROVISIONER "DriverGrantBucketAccess", &message.base,
			    &cosi2__driver_grant_bucket_access_response__descriptor);
	if (reply == NULL)
		return -1;
	if (reply->n_buckets > request->nids)
		return client_fail(client, GRPC_STATUS_INTERNAL,
				   "cannot read the answer: it has %zu buckets, the request %zu",
				   reply->n_buckets, request->nids);
	buckets = json_array();
	for (size_t i = 0; i < reply->n_buckets; i++) {
		json_t *bucket = json_object();

		v2_set_bucket(bucket, reply->buckets[i]->bucket_id, reply->buckets[i]->bucket_info);
		(void)json_array_append_new(buckets, bucket);
	}
	api_set(answer, "accountId", reply->account_id);
	(void)json_object_set_new(answer, "buckets", buckets);
	(void)json_object_set_new(answer, "credentials", v2_credentials(reply->credentials));
	return 0;
}

static REVOKE_BUCKET **
v2_revoke_buckets(struct arena *arena, const struct request *request)
{
	REVOKE_BUCKET **list = arena_alloc(arena, request->nids * sizeof *list);
	REVOKE_BUCKET *buckets = arena_alloc(arena, request->nids * sizeof *buckets);

	if (list == NULL || buckets == NULL)
		return NULL;
	for (size_t i = 0; i < request->nids; i++) {
		list[i] = &buckets[i];
		cosi2__driver_revoke_bucket_access_request__accessed_bucket__init(list[i]);
		list[i]->bucket_id = arena_strdup(arena, request->ids[i]);
	}
	return list;
}

static int
v2_revoke_access(struct client *client, const struct request *request, json_t *answer)
{
	Cosi2__DriverRevokeBucketAccessRequest message;

	(void)answer;
	cosi2__driver_revoke_bucket_access_request__init(&message);
	message.account_id = arena_strdup(client->arena, request->account_id);
	message.protocol = v2_protocol(client->arena, request->protocols);
	message.authentication_type = v2_key_authentication(client->arena);
	message.buckets = v2_revoke_buckets(client->arena, request);
	message.n_buckets = message.buckets != NULL ? request->nids : 0;
	return client_call(client, PROVISIONER "DriverRevokeBucketAccess", &message.base,
			   &cosi2__driver_revoke_bucket_access_response__descriptor) != NULL
		       ? 0
		       : -1;
}

const struct api api_v1alpha2 = {
	.name = "v1alpha2",
	.calls = { [OP_INFO] = v2_get_info,
		   [OP_CREATE] = v2_create_bucket,
		   [OP_GET] = v2_get_bucket,
		   [OP_DELETE] = v2_delete_bucket,
		   [OP_GRANT] = v2_grant_access,
		   [OP_REVOKE] = v2_revoke_access },
};
