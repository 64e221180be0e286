/* SPDX-License-Identifier: Apache-2.0
 * v1alpha2.c - the dialect of the later sidecars: protocols are named, an access has many buckets.
 *
 * Access modes go out in the numbering in which readWrite is 1, without the fields that would tell
 * a server to read them in the later one.
 */
#include "cosi_v1alpha2.pb-c.h"
#include "dialect.h"

#include "banned.h"

#define SERVICE     "/sigs.k8s.io.cosi.v1alpha2."
#define PROVISIONER SERVICE "Provisioner/"

/* enum cosi_protocol by the wire's numbers; 0 for those that this program does not know. */
static uint32_t
protocol_neutral(int wire)
{
	return wire >= 1 && wire <= ANSWER_PROTOCOLS ? 1u << (wire - 1) : 0;
}

static Cosi2__ObjectProtocol *
protocol_new(struct arena *arena, uint32_t protocol)
{
	Cosi2__ObjectProtocol *message = arena_alloc(arena, sizeof *message);

	if (message == NULL)
		return NULL;
	cosi2__object_protocol__init(message);
	message->type = (Cosi2__ObjectProtocol__Type)(__builtin_ctz(protocol) + 1);
	return message;
}

static size_t
protocols_new(struct arena *arena, uint32_t protocols, Cosi2__ObjectProtocol ***out)
{
	size_t n = 0;

	*out = arena_alloc(arena, ANSWER_PROTOCOLS * sizeof **out);
	for (uint32_t bit = 1; *out != NULL && bit < 1u << ANSWER_PROTOCOLS; bit <<= 1)
		if ((protocols & bit) != 0)
			(*out)[n++] = protocol_new(arena, bit);
	return n;
}

static int
get_info(struct client *client, struct arena *arena, const struct ask *ask, struct answer *answer,
	 struct client_error *out_error)
{
	Cosi2__DriverGetInfoRequest request;
	const Cosi2__DriverGetInfoResponse *reply;
	ProtobufCMessage *message;

	cosi2__driver_get_info_request__init(&request);
	(void)arena;
	(void)ask;
	if (client_call(client, SERVICE "Identity/DriverGetInfo", &request.base,
			&cosi2__driver_get_info_response__descriptor, &message, out_error) < 0)
		return -1;
	reply = (const Cosi2__DriverGetInfoResponse *)message;
	answer->driver = reply->name;
	for (size_t i = 0; i < reply->n_supported_protocols; i++)
		answer->protocols |= protocol_neutral((int)reply->supported_protocols[i]->type);
	return 0;
}

static const char *
style_name(const Cosi2__S3AddressingStyle *style)
{
	if (style == NULL)
		return NULL;
	switch (style->style) {
	case COSI2__S3_ADDRESSING_STYLE__STYLE__PATH:
		return "path";
	case COSI2__S3_ADDRESSING_STYLE__STYLE__VIRTUAL:
		return "virtual";
	default:
		return NULL;
	}
}

static void
bucket_infos(const Cosi2__ObjectProtocolAndBucketInfo *told, struct answer_bucket *bucket)
{
	if (told == NULL)
		return;
	if (told->s3 != NULL)
		bucket->infos[bucket->ninfos++] = (struct answer_info){
			.protocol = COSI_S3,
			.bucket = told->s3->bucket_id,
			.endpoint = told->s3->endpoint,
			.region = told->s3->region,
			.style = style_name(told->s3->addressing_style),
		};
	if (told->azure != NULL)
		bucket->infos[bucket->ninfos++] =
			(struct answer_info){ .protocol = COSI_AZURE,
					      .storage_account = told->azure->storage_account };
	if (told->gcs != NULL)
		bucket->infos[bucket->ninfos++] = (struct answer_info){
			.protocol = COSI_GCS,
			.bucket = told->gcs->bucket_name,
			.project = told->gcs->project_id,
		};
}

static void
bucket_answer(struct arena *arena, const char *id, const Cosi2__ObjectProtocolAndBucketInfo *told,
	      struct answer *answer)
{
	answer->buckets = arena_alloc(arena, sizeof *answer->buckets);
	if (answer->buckets == NULL)
		return;
	answer->nbuckets = 1;
	answer->buckets->id = id;
	bucket_infos(told, answer->buckets);
}

static int
create_bucket(struct client *client, struct arena *arena, const struct ask *ask,
	      struct answer *answer, struct client_error *out_error)
{
	Cosi2__DriverCreateBucketRequest request;
	const Cosi2__DriverCreateBucketResponse *reply;
	ProtobufCMessage *message;

	cosi2__driver_create_bucket_request__init(&request);
	request.name = arena_strdup(arena, ask->ids[0]);
	request.n_protocols = protocols_new(arena, ask->protocols, &request.protocols);
	request.n_parameters = ask->nparams;
	request.parameters = dialect_map(
		arena, ask, &cosi2__driver_create_bucket_request__parameters_entry__descriptor);
	if (client_call(client, PROVISIONER "DriverCreateBucket", &request.base,
			&cosi2__driver_create_bucket_response__descriptor, &message, out_error) < 0)
		return -1;
	reply = (const Cosi2__DriverCreateBucketResponse *)message;
	bucket_answer(arena, reply->bucket_id, reply->protocols, answer);
	return 0;
}

static int
get_bucket(struct client *client, struct arena *arena, const struct ask *ask, struct answer *answer,
	   struct client_error *out_error)
{
	Cosi2__DriverGetExistingBucketRequest request;
	const Cosi2__DriverGetExistingBucketResponse *reply;
	ProtobufCMessage *message;

	cosi2__driver_get_existing_bucket_request__init(&request);
	request.existing_bucket_id = arena_strdup(arena, ask->ids[0]);
	request.n_protocols = protocols_new(arena, ask->protocols, &request.protocols);
	if (client_call(client, PROVISIONER "DriverGetExistingBucket", &request.base,
			&cosi2__driver_get_existing_bucket_response__descriptor, &message,
			out_error) < 0)
		return -1;
	reply = (const Cosi2__DriverGetExistingBucketResponse *)message;
	bucket_answer(arena, reply->bucket_id, reply->protocols, answer);
	return 0;
}

static int
delete_bucket(struct client *client, struct arena *arena, const struct ask *ask,
	      struct answer *answer, struct client_error *out_error)
{
	Cosi2__DriverDeleteBucketRequest request;
	ProtobufCMessage *message;

	cosi2__driver_delete_bucket_request__init(&request);
	(void)answer;
	request.bucket_id = arena_strdup(arena, ask->ids[0]);
	request.n_parameters = ask->nparams;
	request.parameters = dialect_map(
		arena, ask, &cosi2__driver_delete_bucket_request__parameters_entry__descriptor);
	return client_call(client, PROVISIONER "DriverDeleteBucket", &request.base,
			   &cosi2__driver_delete_bucket_response__descriptor, &message, out_error);
}

static Cosi2__AuthenticationType *
key_auth(struct arena *arena)
{
	Cosi2__AuthenticationType *message = arena_alloc(arena, sizeof *message);

	if (message == NULL)
		return NULL;
	cosi2__authentication_type__init(message);
	message->type = COSI2__AUTHENTICATION_TYPE__TYPE__KEY;
	return message;
}

/* protoc-c's names for the two kinds of entry in `buckets`. */
#define GRANT_BUCKET  Cosi2__DriverGrantBucketAccessRequest__AccessedBucket
#define REVOKE_BUCKET Cosi2__DriverRevokeBucketAccessRequest__AccessedBucket

static GRANT_BUCKET **
grant_buckets(struct arena *arena, const struct ask *ask)
{
	GRANT_BUCKET **list = arena_alloc(arena, ask->nids * sizeof *list);
	GRANT_BUCKET *buckets = arena_alloc(arena, ask->nids * sizeof *buckets);
	Cosi2__AccessMode *mode = arena_alloc(arena, sizeof *mode);

	if (list == NULL || buckets == NULL || mode == NULL)
		return NULL;
	cosi2__access_mode__init(mode);
	mode->mode = (Cosi2__AccessMode__Mode)(ask->mode != 0 ? ask->mode : COSI_READ_WRITE);
	for (size_t i = 0; i < ask->nids; i++) {
		list[i] = &buckets[i];
		cosi2__driver_grant_bucket_access_request__accessed_bucket__init(list[i]);
		list[i]->bucket_id = arena_strdup(arena, ask->ids[i]);
		list[i]->access_mode = mode;
	}
	return list;
}

static void
credentials(const Cosi2__CredentialInfo *told, struct answer_credentials *to)
{
	if (told == NULL)
		return;
	if (told->s3 != NULL)
		*to = (struct answer_credentials){ .protocol = COSI_S3,
						   .key_id = told->s3->access_key_id,
						   .key_secret = told->s3->access_secret_key };
	else if (told->azure != NULL)
		*to = (struct answer_credentials){ .protocol = COSI_AZURE,
						   .token = told->azure->access_token,
						   .expires = told->azure->expiry_timestamp };
	else if (told->gcs != NULL)
		*to = (struct answer_credentials){ .protocol = COSI_GCS,
						   .key_id = told->gcs->access_id,
						   .key_secret = told->gcs->access_secret,
						   .key_name = told->gcs->private_key_name,
						   .service_account = told->gcs->service_account };
}

static void
grant_answer(struct arena *arena, const Cosi2__DriverGrantBucketAccessResponse *reply,
	     struct answer *answer)
{
	answer->account_id = reply->account_id;
	credentials(reply->credentials, &answer->credentials);
	answer->buckets = arena_alloc(arena, (reply->n_buckets + 1) * sizeof *answer->buckets);
	if (answer->buckets == NULL)
		return;
	answer->nbuckets = reply->n_buckets;
	for (size_t i = 0; i < reply->n_buckets; i++) {
		answer->buckets[i].id = reply->buckets[i]->bucket_id;
		bucket_infos(reply->buckets[i]->bucket_info, &answer->buckets[i]);
	}
}

static int
grant_access(struct client *client, struct arena *arena, const struct ask *ask,
	     struct answer *answer, struct client_error *out_error)
{
	Cosi2__DriverGrantBucketAccessRequest request;
	ProtobufCMessage *message;

	cosi2__driver_grant_bucket_access_request__init(&request);
	request.account_name = arena_strdup(arena, ask->account);
	request.protocol = protocol_new(arena, ask->protocols != 0 ? ask->protocols : COSI_S3);
	request.authentication_type = key_auth(arena);
	request.n_parameters = ask->nparams;
	request.parameters = dialect_map(
		arena, ask,
		&cosi2__driver_grant_bucket_access_request__parameters_entry__descriptor);
	request.n_buckets = ask->nids;
	request.buckets = grant_buckets(arena, ask);
	if (client_call(client, PROVISIONER "DriverGrantBucketAccess", &request.base,
			&cosi2__driver_grant_bucket_access_response__descriptor, &message,
			out_error) < 0)
		return -1;
	grant_answer(arena, (const Cosi2__DriverGrantBucketAccessResponse *)message, answer);
	return 0;
}

static REVOKE_BUCKET **
revoke_buckets(struct arena *arena, const struct ask *ask)
{
	REVOKE_BUCKET **list = arena_alloc(arena, ask->nids * sizeof *list);
	REVOKE_BUCKET *buckets = arena_alloc(arena, ask->nids * sizeof *buckets);

	if (list == NULL || buckets == NULL)
		return NULL;
	for (size_t i = 0; i < ask->nids; i++) {
		list[i] = &buckets[i];
		cosi2__driver_revoke_bucket_access_request__accessed_bucket__init(list[i]);
		list[i]->bucket_id = arena_strdup(arena, ask->ids[i]);
	}
	return list;
}

static int
revoke_access(struct client *client, struct arena *arena, const struct ask *ask,
	      struct answer *answer, struct client_error *out_error)
{
	Cosi2__DriverRevokeBucketAccessRequest request;
	ProtobufCMessage *message;

	cosi2__driver_revoke_bucket_access_request__init(&request);
	(void)answer;
	request.account_id = arena_strdup(arena, ask->account_id);
	request.protocol = protocol_new(arena, ask->protocols != 0 ? ask->protocols : COSI_S3);
	request.authentication_type = key_auth(arena);
	request.n_buckets = ask->nids;
	request.buckets = revoke_buckets(arena, ask);
	return client_call(client, PROVISIONER "DriverRevokeBucketAccess", &request.base,
			   &cosi2__driver_revoke_bucket_access_response__descriptor, &message,
			   out_error);
}

const struct dialect dialect_v1alpha2 = {
	.name = "v1alpha2",
	.calls = { [ASK_INFO] = get_info,
		   [ASK_CREATE] = create_bucket,
		   [ASK_GET] = get_bucket,
		   [ASK_DELETE] = delete_bucket,
		   [ASK_GRANT] = grant_access,
		   [ASK_REVOKE] = revoke_access },
};
