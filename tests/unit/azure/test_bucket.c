/* SPDX-License-Identifier: Apache-2.0
 * test_bucket.c - create, get and delete against answers that no emulator gives. */
#include "azure_script.h"

#include "banned.h"

static const struct cosi_bucket_params plain;
static const struct cosi_bucket_params purge = { .purge = true };

static struct cosi_bucket_req
request(const struct cosi_bucket_params *params)
{
	return (struct cosi_bucket_req){
		.native = "photos",
		.mark = { OWNER, "my photos", PARAMS },
		.common = params,
	};
}

static void
create(struct script *script, const struct cosi_bucket_params *params)
{
	const struct cosi_bucket_req req = request(params);
	struct cosi_bucket bucket = { .ours = false };
	int rc = azure_create_bucket(script->instance, &script->host.call, &req, &bucket);

	assert_int_equal(rc == 0, script->host.code == COSI_OK);
	if (rc != 0)
		return;
	assert_true(bucket.ours);
	assert_string_equal(bucket.azure_account, "cosiacct");
	assert_string_equal(bucket.params, PARAMS);
}

static void
remove_it(struct script *script, const struct cosi_bucket_params *params)
{
	const struct cosi_bucket_req req = request(params);
	int rc = azure_delete_bucket(script->instance, &script->host.call, &req);

	assert_int_equal(rc == 0, script->host.code == COSI_OK);
}

/* HEAD of a container that is ours. */
#define OURS                                                                                       \
	{                                                                                          \
		.expect = HEAD, .status = 200, .headers = {                                        \
			{ "x-ms-meta-cosidriver", OWNER },                                         \
			{ "x-ms-meta-cosiname", "my%20photos" },                                   \
			{ "x-ms-meta-cosiparams", PARAMS },                                        \
		}                                                                                  \
	}
#define EXISTS                                                                                     \
	{                                                                                          \
		.expect = PUT, .status = 409, .code = "ContainerAlreadyExists"                     \
	}

static void
test_create__marks_in_one_request(void **state)
{
	struct script script;

	(void)state;
	script_init(&script);
	PLAY(&script, { .expect = PUT, .status = 201 });
	create(&script, &plain);
	script_ended(&script, COSI_OK, "");
	assert_string_equal(script_sent(&script, 0, "x-ms-meta-cosidriver"), OWNER);
	assert_string_equal(script_sent(&script, 0, "x-ms-meta-cosiname"), "my%20photos");
	assert_string_equal(script_sent(&script, 0, "x-ms-meta-cosiparams"), PARAMS);
	assert_string_equal(script_sent(&script, 0, "x-ms-blob-public-access"), "");
	assert_string_equal(script_sent(&script, 0, "x-ms-date"), "Fri, 20 Nov 2026 12:00:00 GMT");
	script_done(&script);
}

static void
test_create__anonymous(void **state)
{
	struct cosi_bucket_params params = { .set = COSI_P_ANONYMOUS, .anonymous = COSI_ANON_READ };
	struct script script;

	(void)state;
	script_init(&script);
	PLAY(&script, { .expect = PUT, .status = 201 });
	create(&script, &params);
	assert_string_equal(script_sent(&script, 0, "x-ms-blob-public-access"), "container");
	PLAY(&script, { .expect = PUT, .status = 409, .code = "PublicAccessNotPermitted" });
	create(&script, &params);
	script_ended(&script, COSI_PRECONDITION, "allowBlobPublicAccess");
	for (params.anonymous = COSI_ANON_WRITE; params.anonymous <= COSI_ANON_READ_WRITE;
	     params.anonymous++) {
		script_play(&script, NULL, 0);
		create(&script, &params);
		script_ended(&script, COSI_OUT_OF_RANGE, "anonymousAccess");
	}
	script_done(&script);
}

static void
test_create__exists(void **state)
{
	struct script script;

	(void)state;
	script_init(&script);
	PLAY(&script, EXISTS, OURS);
	create(&script, &plain);
	script_ended(&script, COSI_OK, "");
	PLAY(&script, EXISTS, { .expect = HEAD, .status = 200 });
	create(&script, &plain);
	script_ended(&script, COSI_EXISTS, "without the tags of this owner");
	PLAY(&script, EXISTS,
	     { .expect = HEAD,
	       .status = 200,
	       .headers = { { "x-ms-meta-cosidriver", OWNER },
			    { "x-ms-meta-cosiname", "my%20photos" },
			    { "x-ms-meta-cosiparams", "1:other" } } });
	create(&script, &plain);
	script_ended(&script, COSI_EXISTS, "other parameters");
	/* Somebody took that tag away. */
	PLAY(&script, EXISTS,
	     { .expect = HEAD,
	       .status = 200,
	       .headers = { { "x-ms-meta-cosidriver", OWNER },
			    { "x-ms-meta-cosiname", "my%20photos" } } });
	create(&script, &plain);
	script_ended(&script, COSI_EXISTS, "other parameters");
	PLAY(&script, EXISTS,
	     { .expect = HEAD,
	       .status = 200,
	       .headers = { { "x-ms-meta-cosidriver", OWNER }, { "x-ms-meta-cosiname", "x" } } });
	create(&script, &plain);
	script_ended(&script, COSI_EXISTS, "without the tags of this owner");
	PLAY(&script, EXISTS, { .expect = HEAD, .status = 404, .code = "ContainerNotFound" });
	create(&script, &plain);
	script_ended(&script, COSI_BUSY, "deleted by another request");
	script_done(&script);
}

/* For 30 s and more after a delete the name is neither there nor free. */
static void
test_create__while_it_is_being_deleted(void **state)
{
	struct script script;

	(void)state;
	script_init(&script);
	PLAY(&script, { .expect = PUT, .status = 409, .code = "ContainerBeingDeleted" });
	create(&script, &plain);
	script_ended(&script, COSI_UNAVAILABLE,
		     "cannot create bucket 'photos': the store answered "
		     "409 ContainerBeingDeleted");
	script_done(&script);
}

static void
test_create__somebody_else_answers(void **state)
{
	struct script script;

	(void)state;
	script_init(&script);
	PLAY(&script, { .expect = PUT, .status = 201, .foreign = true });
	create(&script, &plain);
	script_ended(&script, COSI_UNAVAILABLE, "does it serve Azure Blob Storage?");
	script_done(&script);
}

static void
test_get__ours_foreign_and_none(void **state)
{
	struct cosi_bucket_req req = request(&plain);
	struct cosi_bucket bucket = { .ours = false };
	struct script script;

	(void)state;
	script_init(&script);
	req.mark.name = NULL;
	PLAY(&script, OURS);
	assert_int_equal(azure_get_bucket(script.instance, &script.host.call, &req, &bucket), 0);
	assert_true(bucket.ours);
	assert_string_equal(bucket.params, PARAMS);
	PLAY(&script, { .expect = HEAD, .status = 200 });
	assert_int_equal(azure_get_bucket(script.instance, &script.host.call, &req, &bucket), 0);
	assert_false(bucket.ours);
	assert_string_equal(bucket.azure_account, "cosiacct");
	PLAY(&script, { .expect = HEAD, .status = 404, .code = "ContainerNotFound" });
	azure_get_bucket(script.instance, &script.host.call, &req, &bucket);
	script_ended(&script, COSI_NOT_FOUND, "bucket 'photos' does not exist");
	/* A proxy's 404 is none of Azure's. */
	PLAY(&script, { .expect = HEAD, .status = 404, .foreign = true });
	azure_get_bucket(script.instance, &script.host.call, &req, &bucket);
	script_ended(&script, COSI_UNAVAILABLE, "404");
	req.native = "no.container";
	script_play(&script, NULL, 0);
	azure_get_bucket(script.instance, &script.host.call, &req, &bucket);
	script_ended(&script, COSI_NOT_FOUND, "no.container");
	script_done(&script);
}

#define GONE                                                                                       \
	{                                                                                          \
		.expect = HEAD, .status = 404, .code = "ContainerNotFound"                         \
	}
#define EMPTY                                                                                      \
	{                                                                                          \
		.expect = BLOBS, .status = 200,                                                    \
		.body = "<EnumerationResults><Blobs/></EnumerationResults>"                        \
	}

static void
test_delete__of_an_empty_one(void **state)
{
	struct script script;

	(void)state;
	script_init(&script);
	PLAY(&script, OURS, EMPTY, { .expect = DELETE, .status = 202 });
	remove_it(&script, &plain);
	script_ended(&script, COSI_OK, "");
	PLAY(&script, GONE);
	remove_it(&script, &plain);
	script_ended(&script, COSI_OK, "");
	PLAY(&script, { .expect = HEAD, .status = 200 });
	remove_it(&script, &plain);
	script_ended(&script, COSI_PRECONDITION, "does not have the tags of this owner");
	PLAY(&script, OURS, EMPTY,
	     { .expect = DELETE, .status = 409, .code = "ContainerBeingDeleted" });
	remove_it(&script, &plain);
	script_ended(&script, COSI_OK, "");
	PLAY(&script, OURS, EMPTY, { .expect = DELETE, .status = 202, .foreign = true });
	remove_it(&script, &plain);
	script_ended(&script, COSI_UNAVAILABLE, "does it serve Azure Blob Storage?");
	script_done(&script);
}

/* Nothing is deleted on the word of an answer that does not say what is in it. */
static void
test_delete__of_what_is_not_told(void **state)
{
	struct script script;

	(void)state;
	script_init(&script);
	PLAY(&script, OURS,
	     { .expect = BLOBS,
	       .status = 200,
	       .body = "<EnumerationResults></EnumerationResults>" });
	remove_it(&script, &plain);
	script_ended(&script, COSI_UNAVAILABLE, "cannot be understood");
	PLAY(&script, OURS, { .expect = BLOBS, .status = 404, .code = "ContainerNotFound" });
	remove_it(&script, &plain);
	script_ended(&script, COSI_BUSY, "the container was deleted by another request");
	PLAY(&script,
	     { .expect = HEAD, .status = 404, .foreign = true, .code = "ContainerNotFound" });
	remove_it(&script, &plain);
	script_ended(&script, COSI_BUSY, "");
	script_done(&script);
}

/* A page may be empty and still not be the last one. */
static void
test_delete__looks_to_the_end(void **state)
{
	static const char more[] = "<EnumerationResults><Blobs /><NextMarker>2!a b</NextMarker>"
				   "</EnumerationResults>";
	struct script script;

	(void)state;
	script_init(&script);
	PLAY(&script, OURS, { .expect = BLOBS, .status = 200, .body = more },
	     { .expect = "GET /photos?comp=list&marker=2%21a%20b&maxresults=1&restype=container",
	       .status = 200,
	       .body = "<EnumerationResults><Blobs><Blob><Name>a</Name></Blob></Blobs>"
		       "</EnumerationResults>" });
	remove_it(&script, &plain);
	script_ended(&script, COSI_PRECONDITION, "the container is not empty");
	PLAY(&script, OURS, { .expect = BLOBS, .status = 200, .body = more },
	     { .expect = "GET /photos?comp=list&marker=2%21a%20b&maxresults=1&restype=container",
	       .status = 200,
	       .body = more });
	remove_it(&script, &plain);
	script_ended(&script, COSI_UNAVAILABLE, "again and again");
	PLAY(&script, OURS, { .expect = BLOBS, .status = 200, .body = "<html/>" });
	remove_it(&script, &plain);
	script_ended(&script, COSI_UNAVAILABLE, "does it serve Azure Blob Storage?");
	PLAY(&script, OURS, { .expect = DELETE, .status = 202 });
	remove_it(&script, &purge);
	script_ended(&script, COSI_OK, "");
	script_done(&script);
}

#define LEASED                                                                                     \
	{                                                                                          \
		.expect = DELETE, .status = 412, .code = "LeaseIdMissing"                          \
	}

static void
test_delete__breaks_a_lease(void **state)
{
	struct script script;

	(void)state;
	script_init(&script);
	PLAY(&script, OURS, LEASED, { .expect = LEASE, .status = 202 },
	     { .expect = DELETE, .status = 202 });
	remove_it(&script, &purge);
	script_ended(&script, COSI_OK, "");
	assert_string_equal(script_sent(&script, 2, "x-ms-lease-action"), "break");
	assert_string_equal(script_sent(&script, 2, "x-ms-lease-break-period"), "0");
	PLAY(&script, OURS, LEASED,
	     { .expect = LEASE, .status = 409, .code = "LeaseNotPresentWithLeaseOperation" },
	     LEASED);
	remove_it(&script, &purge);
	script_ended(&script, COSI_BUSY, "leased again");
	PLAY(&script,
	     { .expect = HEAD,
	       .status = 200,
	       .headers = { { "x-ms-meta-cosidriver", OWNER },
			    { "x-ms-meta-cosiname", "my%20photos" },
			    { "x-ms-lease-duration", "infinite" } } },
	     LEASED);
	remove_it(&script, &purge);
	script_ended(&script, COSI_PRECONDITION, "has an infinite lease");
	script_done(&script);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_create__marks_in_one_request),
		cmocka_unit_test(test_create__anonymous),
		cmocka_unit_test(test_create__exists),
		cmocka_unit_test(test_create__while_it_is_being_deleted),
		cmocka_unit_test(test_create__somebody_else_answers),
		cmocka_unit_test(test_get__ours_foreign_and_none),
		cmocka_unit_test(test_delete__of_an_empty_one),
		cmocka_unit_test(test_delete__of_what_is_not_told),
		cmocka_unit_test(test_delete__looks_to_the_end),
		cmocka_unit_test(test_delete__breaks_a_lease),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
