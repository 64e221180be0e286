/* SPDX-License-Identifier: Apache-2.0
 * v1alpha2.c - the API version sigs.k8s.io.cosi.v1alpha2: its methods and requests.
 *
 * Access modes come in two numberings that share one package name:
 *   old  UNKNOWN 0, READ_WRITE 1, READ_ONLY 2, WRITE_ONLY 3
 *        tag 2 of AccessedBucket
 *   new  UNKNOWN 0, ANY 1, READ_WRITE 2, READ_ONLY 3, WRITE_ONLY 4
 *        tags 2 (object data), 3 (object metadata) and 4 (bucket metadata)
 *
 * The wire type does not tell them apart, but new clients always fill tags 3 and 4, which old ones
 * do not know: one of them anywhere in a request makes the whole request new.
 */
#include "rpc/v1alpha2.h"

#include "cosi_v1alpha2.pb-c.h"
#include "rpc/api_version.h"
#include "rpc/limits.h"

#include "banned.h"

#define PROVISIONER "/sigs.k8s.io.cosi.v1alpha2.Provisioner/"

/* Adds the protocol's flag; a protocol that is required and not there fails. */
static int
v1alpha2_add_protocol(const char *field, const Cosi2__ObjectProtocol *protocol, uint32_t *flags,
		      struct status *status)
{
	int type;

	if (protocol == NULL)
		return status_fail(status, COSI_INVALID, "field '%s' is required", field);
	type = (int)protocol->type;
	if (type < 1 || type > V1ALPHA2_NPROTOCOLS)
		return status_fail(status, COSI_INVALID,
				   "field '%s' must be S3, AZURE or GCS, it is %d", field, type);
	*flags |= v1alpha2_protocols[type - 1];
	return 0;
}

static int
v1alpha2_add_protocols(size_t n, Cosi2__ObjectProtocol *const *protocols, uint32_t *flags,
		       struct status *status)
{
	for (size_t i = 0; i < n; i++)
		if (v1alpha2_add_protocol("protocols", protocols[i], flags, status) < 0)
			return -1;
	return 0;
}

static int
v1alpha2_decode_create(const void *input, struct request *out, struct arena *arena,
		       struct status *status)
{
	const Cosi2__DriverCreateBucketRequest *in = input;

	out->name = in->name;
	if (limits_dns_name("name", in->name, status) < 0 ||
	    v1alpha2_add_protocols(in->n_protocols, in->protocols, &out->protocols, status) < 0)
		return -1;
	return limits_map("parameters", in->n_parameters, in->parameters, out, arena, status);
}

/* Of both names; the later one calls its first field bucket_id. */
static int
v1alpha2_decode_get(const void *input, struct request *out, struct arena *arena,
		    struct status *status)
{
	const Cosi2__DriverGetExistingBucketRequest *in = input;

	out->id = in->existing_bucket_id;
	if (limits_id("existing_bucket_id", in->existing_bucket_id, status) < 0 ||
	    v1alpha2_add_protocols(in->n_protocols, in->protocols, &out->protocols, status) < 0)
		return -1;
	return limits_map("parameters", in->n_parameters, in->parameters, out, arena, status);
}

static int
v1alpha2_decode_delete(const void *input, struct request *out, struct arena *arena,
		       struct status *status)
{
	const Cosi2__DriverDeleteBucketRequest *in = input;

	out->id = in->bucket_id;
	if (limits_id("bucket_id", in->bucket_id, status) < 0)
		return -1;
	return limits_map("parameters", in->n_parameters, in->parameters, out, arena, status);
}

/* The three fields that Grant and Revoke say their way of access with. */
static int
v1alpha2_set_auth(const Cosi2__ObjectProtocol *protocol, const Cosi2__AuthenticationType *auth,
		  const char *service_account, struct request *out, struct status *status)
{
	int type = auth != NULL ? (int)auth->type : 0;

	if (v1alpha2_add_protocol("protocol", protocol, &out->protocols, status) < 0)
		return -1;
	if (auth == NULL)
		return status_fail(status, COSI_INVALID, "field 'authentication_type' is required");
	if (type == COSI2__AUTHENTICATION_TYPE__TYPE__KEY) {
		out->auth = COSI_AUTH_KEY;
		return limits_string("service_account_name", service_account, LIMIT_STRING, false,
				     status);
	}
	if (type != COSI2__AUTHENTICATION_TYPE__TYPE__SERVICE_ACCOUNT)
		return status_fail(
			status, COSI_INVALID,
			"field 'authentication_type' must be KEY or SERVICE_ACCOUNT, it is %d",
			type);
	out->auth = COSI_AUTH_SERVICE_ACCOUNT;
	out->service_account = service_account;
	return limits_string("service_account_name", service_account, LIMIT_STRING, true, status);
}

/* Takes a bucket in; the scheduler is not shown the same one twice. */
static int
v1alpha2_add_bucket(const char *id, uint32_t mode, struct request *out, struct status *status)
{
	size_t i;

	if (limits_id("bucket_id", id, status) < 0)
		return -1;
	i = v1alpha2_find_bucket(out, id);
	if (i < out->nbuckets && out->buckets[i].mode != mode)
		return status_fail(status, COSI_INVALID,
				   "bucket '%s' is requested with two access modes", id);
	if (i == out->nbuckets)
		out->buckets[out->nbuckets++] = (struct request_bucket){ id, mode };
	return 0;
}

static int
v1alpha2_make_buckets(size_t n, struct request *out, struct arena *arena, struct status *status)
{
	if (n == 0)
		return status_fail(status, COSI_INVALID, "field 'buckets' is required");
	if (n > LIMIT_BUCKETS)
		return status_fail(status, COSI_OUT_OF_RANGE,
				   "field 'buckets' names %zu buckets, at most %d are allowed", n,
				   LIMIT_BUCKETS);
	out->buckets = api_alloc(arena, n * sizeof *out->buckets, status);
	return out->buckets != NULL ? 0 : -1;
}

static int
v1alpha2_check_metadata(const char *field, const Cosi2__AccessMode *mode, uint32_t data,
			struct status *status)
{
	enum { NEW_ANY = 1, NEW_READ_ONLY = 3, NEW_WRITE_ONLY = 4 };
	int number = mode != NULL ? (int)mode->mode : NEW_ANY;

	if (number == NEW_ANY)
		return 0;
	if (number < NEW_ANY || number > NEW_WRITE_ONLY)
		return status_fail(status, COSI_INVALID,
				   "field '%s' must be ANY or READ_ONLY, it is %d", field, number);
	if (number != NEW_READ_ONLY)
		return status_fail(status, COSI_INVALID,
				   "field '%s' must be ANY or READ_ONLY: no store lets metadata be "
				   "written apart from its objects",
				   field);
	if (data == COSI_WRITE_ONLY)
		return status_fail(
			status, COSI_INVALID,
			"field '%s' cannot be READ_ONLY where object_data is WRITE_ONLY: "
			"no store lets metadata be read apart from its objects",
			field);
	return 0;
}

/* The enum cosi_mode of one bucket; newer: the request's numbering.  ANY asks for no more than the
 * least that is useful, which is to read.  An access that reads objects can read metadata; any
 * other mode for metadata is refused. */
static int
v1alpha2_mode(const Cosi2__DriverGrantBucketAccessRequest__AccessedBucket *bucket, bool newer,
	      uint32_t *out_mode, struct status *status)
{
	static const uint32_t old_modes[] = { 0, COSI_READ_WRITE, COSI_READ_ONLY, COSI_WRITE_ONLY };
	static const uint32_t new_modes[] = { 0, COSI_READ_ONLY, COSI_READ_WRITE, COSI_READ_ONLY,
					      COSI_WRITE_ONLY };
	int number = bucket->access_mode != NULL ? (int)bucket->access_mode->mode : 0;

	if (!newer && (number < 1 || number > 3))
		return status_fail(
			status, COSI_INVALID,
			"field 'access_mode' must be READ_WRITE, READ_ONLY or WRITE_ONLY, it is %d",
			number);
	if (newer && (number < 1 || number > 4))
		return status_fail(status, COSI_INVALID,
				   "field 'object_data' must be ANY, READ_WRITE, READ_ONLY or "
				   "WRITE_ONLY, it is %d",
				   number);
	*out_mode = newer ? new_modes[number] : old_modes[number];
	if (v1alpha2_check_metadata("object_metadata", bucket->object_metadata, *out_mode, status) <
	    0)
		return -1;
	return v1alpha2_check_metadata("bucket_metadata", bucket->bucket_metadata, *out_mode,
				       status);
}

static int
v1alpha2_decode_grant(const void *input, struct request *out, struct arena *arena,
		      struct status *status)
{
	const Cosi2__DriverGrantBucketAccessRequest *in = input;
	bool newer = false;

	out->name = in->account_name;
	if (limits_dns_name("account_name", in->account_name, status) < 0 ||
	    v1alpha2_set_auth(in->protocol, in->authentication_type, in->service_account_name, out,
			      status) < 0 ||
	    v1alpha2_make_buckets(in->n_buckets, out, arena, status) < 0)
		return -1;
	for (size_t i = 0; i < in->n_buckets; i++)
		newer = newer || in->buckets[i]->object_metadata != NULL ||
			in->buckets[i]->bucket_metadata != NULL;
	for (size_t i = 0; i < in->n_buckets; i++) {
		uint32_t mode = 0;

		if (v1alpha2_mode(in->buckets[i], newer, &mode, status) < 0 ||
		    v1alpha2_add_bucket(in->buckets[i]->bucket_id, mode, out, status) < 0)
			return -1;
	}
	return limits_map("parameters", in->n_parameters, in->parameters, out, arena, status);
}

static int
v1alpha2_decode_revoke(const void *input, struct request *out, struct arena *arena,
		       struct status *status)
{
	const Cosi2__DriverRevokeBucketAccessRequest *in = input;

	out->id = in->account_id;
	if (limits_id("account_id", in->account_id, status) < 0 ||
	    v1alpha2_set_auth(in->protocol, in->authentication_type, in->service_account_name, out,
			      status) < 0 ||
	    v1alpha2_make_buckets(in->n_buckets, out, arena, status) < 0)
		return -1;
	for (size_t i = 0; i < in->n_buckets; i++)
		if (v1alpha2_add_bucket(in->buckets[i]->bucket_id, 0, out, status) < 0)
			return -1;
	return limits_map("parameters", in->n_parameters, in->parameters, out, arena, status);
}

static const struct api_method v1alpha2_methods[] = {
	{ "/sigs.k8s.io.cosi.v1alpha2.Identity/DriverGetInfo", "DriverGetInfo", 0,
	  &cosi2__driver_get_info_request__descriptor, &codes_v1alpha2_get, NULL, NULL },
	{ PROVISIONER "DriverCreateBucket", "DriverCreateBucket", REQUEST_CREATE,
	  &cosi2__driver_create_bucket_request__descriptor, &codes_v1alpha2_change,
	  v1alpha2_decode_create, v1alpha2_encode_found },
	{ PROVISIONER "DriverGetExistingBucket", "DriverGetExistingBucket", REQUEST_GET,
	  &cosi2__driver_get_existing_bucket_request__descriptor, &codes_v1alpha2_get,
	  v1alpha2_decode_get, v1alpha2_encode_found },
	{ PROVISIONER "DriverGetBucket", "DriverGetBucket", REQUEST_GET,
	  &cosi2__driver_get_existing_bucket_request__descriptor, &codes_v1alpha2_get,
	  v1alpha2_decode_get, v1alpha2_encode_found },
	{ PROVISIONER "DriverDeleteBucket", "DriverDeleteBucket", REQUEST_DELETE,
	  &cosi2__driver_delete_bucket_request__descriptor, &codes_v1alpha2_change,
	  v1alpha2_decode_delete, NULL },
	{ PROVISIONER "DriverGrantBucketAccess", "DriverGrantBucketAccess", REQUEST_GRANT,
	  &cosi2__driver_grant_bucket_access_request__descriptor, &codes_v1alpha2_grant,
	  v1alpha2_decode_grant, v1alpha2_encode_grant },
	{ PROVISIONER "DriverRevokeBucketAccess", "DriverRevokeBucketAccess", REQUEST_REVOKE,
	  &cosi2__driver_revoke_bucket_access_request__descriptor, &codes_v1alpha2_change,
	  v1alpha2_decode_revoke, NULL },
};

const struct api_version api_v1alpha2 = {
	.name = "v1alpha2",
	.info = v1alpha2_info,
	.nmethods = sizeof v1alpha2_methods / sizeof v1alpha2_methods[0],
	.methods = v1alpha2_methods,
};
