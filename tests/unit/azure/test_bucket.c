/* SPDX-License-Identifier: Apache-2.0
 * test_bucket.c - create, get and delete against answers that no emulator gives. */
#include "azure_script.h"

#include "banned.h"

static const struct cosi_bucket_params plain;
static const struct cosi_bucket_params purge = { .purge = true };

/* HEAD of a container that has the driver's tags. */
#define OURS                                                                                       \
	{                                                                                          \
		.expect = HEAD, .status = 200, .headers = {                                        \
			{ "x-ms-meta-cosidriver", OWNER },                                         \
			{ "x-ms-meta-cosiname", "my%20photos" },                                   \
			{ "x-ms-meta-cosiparams", PARAMS },                                        \
			MODIFIED,                                                                  \
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
	assert_string_equal(script_create(&script, &plain).azure_account, "cosiacct");
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
	script_create(&script, &params);
	assert_string_equal(script_sent(&script, 0, "x-ms-blob-public-access"), "container");
	PLAY(&script, { .expect = PUT, .status = 409, .code = "PublicAccessNotPermitted" });
	script_create(&script, &params);
	script_ended(&script, COSI_PRECONDITION, "allowBlobPublicAccess");
	for (params.anonymous = COSI_ANON_WRITE; params.anonymous <= COSI_ANON_READ_WRITE;
	     params.anonymous++) {
		script_play(&script, NULL, 0);
		script_create(&script, &params);
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
	script_create(&script, &plain);
	script_ended(&script, COSI_OK, "");
	PLAY(&script, EXISTS, { .expect = HEAD, .status = 200, .headers = { MODIFIED } });
	script_create(&script, &plain);
	script_ended(&script, COSI_EXISTS, "without the tags of this owner");
	PLAY(&script, EXISTS,
	     { .expect = HEAD,
	       .status = 200,
	       .headers = { { "x-ms-meta-cosidriver", OWNER },
			    { "x-ms-meta-cosiname", "my%20photos" },
			    { "x-ms-meta-cosiparams", "1:other" },
			    MODIFIED } });
	script_create(&script, &plain);
	script_ended(&script, COSI_EXISTS, "other parameters");
	/* Another user removed that tag. */
	PLAY(&script, EXISTS,
	     { .expect = HEAD,
	       .status = 200,
	       .headers = { { "x-ms-meta-cosidriver", OWNER },
			    { "x-ms-meta-cosiname", "my%20photos" },
			    MODIFIED } });
	script_create(&script, &plain);
	script_ended(&script, COSI_EXISTS, "other parameters");
	PLAY(&script, EXISTS,
	     { .expect = HEAD,
	       .status = 200,
	       .headers = { { "x-ms-meta-cosidriver", OWNER },
			    { "x-ms-meta-cosiname", "x" },
			    MODIFIED } });
	script_create(&script, &plain);
	script_ended(&script, COSI_EXISTS, "without the tags of this owner");
	PLAY(&script, EXISTS, { .expect = HEAD, .status = 404, .code = "ContainerNotFound" });
	script_create(&script, &plain);
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
	script_create(&script, &plain);
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
	script_create(&script, &plain);
	script_ended(&script, COSI_UNAVAILABLE, "is not from");
	script_done(&script);
}

static void
test_get__ours_foreign_and_none(void **state)
{
	struct cosi_bucket_req req = {
		.native = "photos",
		.mark = { OWNER, NULL, PARAMS },
		.common = &plain,
	};
	struct cosi_bucket bucket = { .ours = false };
	struct script script;

	(void)state;
	script_init(&script);
	PLAY(&script, OURS);
	assert_int_equal(azure_get_bucket(script.instance, &script.host.call, &req, &bucket), 0);
	assert_true(bucket.ours);
	assert_string_equal(bucket.params, PARAMS);
	PLAY(&script, { .expect = HEAD, .status = 200, .headers = { MODIFIED } });
	assert_int_equal(azure_get_bucket(script.instance, &script.host.call, &req, &bucket), 0);
	assert_false(bucket.ours);
	assert_string_equal(bucket.azure_account, "cosiacct");
	PLAY(&script, { .expect = HEAD, .status = 404, .code = "ContainerNotFound" });
	azure_get_bucket(script.instance, &script.host.call, &req, &bucket);
	script_ended(&script, COSI_NOT_FOUND, "bucket 'photos' does not exist");
	/* A proxy's 404 is none of Azure's. */
	PLAY(&script, { .expect = HEAD, .status = 404, .foreign = true });
	azure_get_bucket(script.instance, &script.host.call, &req, &bucket);
	script_ended(&script, COSI_UNAVAILABLE, "is not from");
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
	script_delete(&script, &plain);
	script_ended(&script, COSI_OK, "");
	assert_string_equal(script_sent(&script, 2, "if-unmodified-since"),
			    "Fri, 20 Nov 2026 11:00:00 GMT");
	/* It was deleted and created again since. */
	PLAY(&script, OURS, EMPTY, { .expect = DELETE, .status = 412, .code = "ConditionNotMet" });
	script_delete(&script, &plain);
	script_ended(&script, COSI_BUSY, "another client has changed it since it was read");
	PLAY(&script, GONE);
	script_delete(&script, &plain);
	script_ended(&script, COSI_OK, "");
	PLAY(&script, { .expect = HEAD, .status = 200, .headers = { MODIFIED } });
	script_delete(&script, &plain);
	script_ended(&script, COSI_PRECONDITION, "does not have the tags of this owner");
	PLAY(&script, OURS, EMPTY,
	     { .expect = DELETE, .status = 409, .code = "ContainerBeingDeleted" });
	script_delete(&script, &plain);
	script_ended(&script, COSI_OK, "");
	PLAY(&script, OURS, EMPTY, { .expect = DELETE, .status = 202, .foreign = true });
	script_delete(&script, &plain);
	script_ended(&script, COSI_UNAVAILABLE, "is not from");
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
	script_delete(&script, &plain);
	script_ended(&script, COSI_UNAVAILABLE, "cannot be understood");
	PLAY(&script, OURS, { .expect = BLOBS, .status = 404, .code = "ContainerNotFound" });
	script_delete(&script, &plain);
	script_ended(&script, COSI_BUSY, "the container was deleted by another request");
	PLAY(&script,
	     { .expect = HEAD, .status = 404, .foreign = true, .code = "ContainerNotFound" });
	script_delete(&script, &plain);
	script_ended(&script, COSI_UNAVAILABLE, "is not from");
	PLAY(&script, { .expect = HEAD, .status = 200 });
	script_delete(&script, &plain);
	script_ended(&script, COSI_UNAVAILABLE, "does it serve Azure Blob Storage?");
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
	script_delete(&script, &plain);
	script_ended(&script, COSI_PRECONDITION, "the container is not empty");
	PLAY(&script, OURS, { .expect = BLOBS, .status = 200, .body = more },
	     { .expect = "GET /photos?comp=list&marker=2%21a%20b&maxresults=1&restype=container",
	       .status = 200,
	       .body = more });
	script_delete(&script, &plain);
	script_ended(&script, COSI_UNAVAILABLE, "again and again");
	PLAY(&script, OURS, { .expect = BLOBS, .status = 200, .body = "<html/>" });
	script_delete(&script, &plain);
	script_ended(&script, COSI_UNAVAILABLE, "does it serve Azure Blob Storage?");
	PLAY(&script, OURS, { .expect = DELETE, .status = 202 });
	script_delete(&script, &purge);
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
	script_delete(&script, &purge);
	script_ended(&script, COSI_OK, "");
	assert_string_equal(script_sent(&script, 2, "x-ms-lease-action"), "break");
	assert_string_equal(script_sent(&script, 2, "x-ms-lease-break-period"), "0");
	PLAY(&script, OURS, LEASED,
	     { .expect = LEASE, .status = 409, .code = "LeaseNotPresentWithLeaseOperation" },
	     LEASED);
	script_delete(&script, &purge);
	script_ended(&script, COSI_BUSY, "leased again");
	PLAY(&script,
	     { .expect = HEAD,
	       .status = 200,
	       .headers = { { "x-ms-meta-cosidriver", OWNER },
			    { "x-ms-meta-cosiname", "my%20photos" },
			    { "x-ms-lease-duration", "infinite" },
			    MODIFIED } },
	     LEASED);
	script_delete(&script, &purge);
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
