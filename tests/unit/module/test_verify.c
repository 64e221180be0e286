/* SPDX-License-Identifier: Apache-2.0
 * test_verify.c - a module that lies: nothing of it gets past the backend_*() functions. */
#include "module/backend.h"

#include <string.h>

#include "liar.h"

#include "banned.h"

static const struct cosi_bucket_req bucket_req = { .native = "photos", .protocols = COSI_S3 };
static const struct cosi_bucket untouched = { .name = "untouched" };

/* Creates; the text that came out, "" for a success. */
static const char *
create(struct rig_call *rig, struct cosi_bucket *out)
{
	rig->status = (struct status){ 0 };
	*out = untouched;
	if (backend_create_bucket(&rig->call, &bucket_req, out) != 0)
		assert_string_equal(out->name, "untouched");
	else
		assert_true(status_ok(&rig->status));
	return rig->status.text;
}

static void
create_fails(struct rig_call *rig, const char *text)
{
	struct cosi_bucket out;

	assert_string_equal(create(rig, &out), text);
	assert_int_equal(rig->status.code, COSI_INTERNAL);
}

static void
test_create__honest(void **state)
{
	struct cosi_bucket out;

	assert_string_equal(create(*state, &out), "");
	assert_string_equal(out.name, "photos");
	assert_string_equal(out.endpoint, "https://s3.example.org");
	assert_int_equal(out.style, COSI_PATH_STYLE);
	assert_ptr_not_equal(out.region, lie_honest_bucket.region);
	assert_string_equal(out.region, "here");
}

static void
test_result__inconsistent(void **state)
{
	struct rig_call *rig = *state;
	struct cosi_bucket out;

	lie_how.result = -1;
	create_fails(rig, "module 'liar' failed without a reason");
	lie_how.fails = true;
	lie_how.code = COSI_EXISTS;
	lie_how.text = "";
	create_fails(rig, "module 'liar' failed without a reason");
	lie_how.result = 0;
	lie_how.text = "cannot create bucket 'photos': it is there";
	assert_string_equal(create(rig, &out), lie_how.text);
	assert_int_equal(rig->status.code, COSI_EXISTS);
	lie_how.code = COSI_INTERNAL + 1;
	create_fails(rig, lie_how.text);
	lie_how.code = COSI_OK;
	create_fails(rig, lie_how.text);
	lie_how.code = COSI_BUSY;
	lie_how.text = "cannot\ngo \xff on\x1b[0m";
	assert_string_equal(create(rig, &out), "cannot?go ? on?[0m");
}

/* A field that was forgotten; of a look-up it is an answer. */
static void
test_create__not_ours(void **state)
{
	struct rig_call *rig = *state;
	struct cosi_bucket out;

	lie_bucket_answer.ours = false;
	create_fails(rig, "module 'liar' answered with a new bucket without the owner's tags");
	rig->status = (struct status){ 0 };
	assert_int_equal(backend_get_bucket(&rig->call, &bucket_req, &out), 0);
	assert_false(out.ours);
}

static void
test_create__protocols(void **state)
{
	lie_bucket_answer.protocols = 0;
	create_fails(*state, "module 'liar' answered with a bucket without protocols");
	lie_bucket_answer.protocols = COSI_S3 | COSI_GCS;
	create_fails(*state,
		     "module 'liar' answered with a bucket of protocols that it does not have");
	((struct rig_call *)*state)->module.protocols = COSI_S3 | COSI_AZURE;
	lie_bucket_answer.protocols = COSI_AZURE;
	lie_bucket_answer.azure_account = "account";
	create_fails(*state,
		     "module 'liar' answered with a bucket without the requested protocols");
}

static void
test_get__may_serve_fewer_protocols(void **state)
{
	struct rig_call *rig = *state;
	struct cosi_bucket out = untouched;

	rig->module.protocols = COSI_S3 | COSI_AZURE;
	lie_bucket_answer.protocols = COSI_AZURE;
	lie_bucket_answer.azure_account = "account";
	assert_int_equal(backend_get_bucket(&rig->call, &bucket_req, &out), 0);
	assert_int_equal(out.protocols, COSI_AZURE);
}

static void
test_create__missing_fields(void **state)
{
	struct rig_call *rig = *state;

	lie_bucket_answer.region = NULL;
	create_fails(rig, "module 'liar' answered with a missing region");
	lie_bucket_answer = lie_honest_bucket;
	lie_bucket_answer.style = 3;
	create_fails(rig, "module 'liar' answered with an unknown style");
	lie_bucket_answer = lie_honest_bucket;
	rig->backend.public_url = NULL;
	create_fails(rig, "module 'liar' answered with a missing endpoint");
	rig->module.protocols = lie_bucket_answer.protocols = COSI_S3 | COSI_AZURE | COSI_GCS;
	lie_bucket_answer.endpoint = "http://a";
	create_fails(rig, "module 'liar' answered with a missing azure_account");
	lie_bucket_answer.azure_account = "account";
	create_fails(rig, "module 'liar' answered with a missing gcs_project");
}

static void
test_create__malformed_fields(void **state)
{
	static const char *const bad[] = { "", "a\nb", "\xc3", "a\x7f", "\xc2\x9b" };
	struct cosi_bucket out;
	char url[VERIFY_URL_MAX + 2] = "http://";

	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		lie_bucket_answer = lie_honest_bucket;
		lie_bucket_answer.region = bad[i];
		create_fails(*state, "module 'liar' answered with a malformed region");
		lie_bucket_answer = lie_honest_bucket;
		lie_bucket_answer.name = bad[i];
		create_fails(*state, "module 'liar' answered with a malformed bucket name");
		lie_bucket_answer = lie_honest_bucket;
		lie_bucket_answer.endpoint = bad[i];
		create_fails(*state, "module 'liar' answered with a malformed endpoint");
		lie_bucket_answer = lie_honest_bucket;
		lie_bucket_answer.params = bad[i];
		create_fails(*state, "module 'liar' answered with a malformed params tag");
	}
	lie_bucket_answer = lie_honest_bucket;
	lie_bucket_answer.endpoint = "ftp://a";
	create_fails(*state, "module 'liar' answered with a malformed endpoint");
	memset(url + 7, 'h', VERIFY_URL_MAX - 7);
	lie_bucket_answer.endpoint = url;
	assert_string_equal(create(*state, &out), "");
	url[VERIFY_URL_MAX] = 'h';
	create_fails(*state, "module 'liar' answered with a malformed endpoint");
	lie_bucket_answer = lie_honest_bucket;
	lie_bucket_answer.region = liar_text(VERIFY_NAME_MAX);
	assert_string_equal(create(*state, &out), "");
	lie_bucket_answer.region = liar_text(VERIFY_NAME_MAX + 1);
	create_fails(*state, "module 'liar' answered with a malformed region");
}

static void
test_handlers__absent(void **state)
{
	struct rig_call *rig = *state;
	const struct cosi_access_req access_req = { .native = "cosi-a" };
	struct cosi_access access_out;
	struct cosi_bucket out;

	rig->module = (struct cosi_module){ .name = "liar", .protocols = COSI_S3 };
	assert_string_equal(create(rig, &out),
			    "backend 'b1' (module 'liar') cannot create buckets");
	assert_int_equal(rig->status.code, COSI_UNSUPPORTED);
	rig->status = (struct status){ 0 };
	assert_int_equal(backend_get_bucket(&rig->call, &bucket_req, &out), -1);
	assert_int_equal(backend_delete_bucket(&rig->call, &bucket_req), -1);
	assert_int_equal(backend_grant(&rig->call, &access_req, &access_out), -1);
	assert_int_equal(backend_revoke(&rig->call, &access_req), -1);
	assert_string_equal(rig->status.text,
			    "backend 'b1' (module 'liar') cannot revoke access: "
			    "backend 'b1' (module 'liar') cannot grant access: "
			    "backend 'b1' (module 'liar') cannot delete buckets: "
			    "backend 'b1' (module 'liar') cannot look up buckets");
	rig->status = (struct status){ 0 };
	assert_int_equal(backend_probe(&rig->call), 0);
}

static void
test_simple_handlers__result_counts(void **state)
{
	struct rig_call *rig = *state;
	const struct cosi_access_req access_req = { .native = "cosi-a" };

	assert_int_equal(backend_delete_bucket(&rig->call, &bucket_req), 0);
	assert_int_equal(backend_revoke(&rig->call, &access_req), 0);
	assert_int_equal(backend_probe(&rig->call), 0);
	lie_how.result = -1;
	assert_int_equal(backend_delete_bucket(&rig->call, &bucket_req), -1);
	rig->status = (struct status){ 0 };
	assert_int_equal(backend_revoke(&rig->call, &access_req), -1);
	rig->status = (struct status){ 0 };
	assert_int_equal(backend_probe(&rig->call), -1);
	assert_int_equal(rig->status.code, COSI_INTERNAL);
}

static const char *
map(struct rig_call *rig, const char *asked, bool exact)
{
	rig->status = (struct status){ 0 };
	return backend_map_name(&rig->call, COSI_BUCKET, asked, exact);
}

static void
test_map_name__module(void **state)
{
	struct rig_call *rig = *state;

	lie_mapped = "photos-1";
	assert_string_equal(map(rig, "photos", false), "photos-1");
	assert_null(map(rig, "photos", true));
	rig_assert_has(rig->status.text, "made 'photos-1' out of the exact name 'photos'");
	lie_mapped = liar_text(VERIFY_NAME_MAX - strlen("b1."));
	assert_string_equal(map(rig, "photos", false), lie_mapped);
	lie_mapped = liar_text(VERIFY_NAME_MAX - strlen("b1.") + 1);
	assert_null(map(rig, "photos", false));
	assert_string_equal(rig->status.text,
			    "module 'liar' made a malformed name out of 'photos'");
	lie_mapped = "a/b";
	assert_null(map(rig, "photos", false));
	lie_mapped = NULL;
	assert_null(map(rig, "photos", false));
	assert_string_equal(rig->status.text, "module 'liar' failed without a reason");
}

static const char *
lie_longer(void *instance, struct cosi_call *call, uint32_t kind, const char *asked, bool exact)
{
	(void)instance;
	(void)kind;
	(void)exact;
	return cosi_printf(call, "%s-x", asked);
}

/* Repeated by its id, the request would make another bucket. */
static void
test_map_name__of_its_own_result(void **state)
{
	struct rig_call *rig = *state;

	rig->module.map_name = lie_longer;
	assert_null(map(rig, "photos", false));
	assert_int_equal(rig->status.code, COSI_INTERNAL);
	assert_string_equal(rig->status.text, "module 'liar' made 'photos-x' out of 'photos', and "
					      "another name out of that");
}

static void
test_map_name__absent(void **state)
{
	struct rig_call *rig = *state;

	rig->module.map_name = NULL;
	assert_string_equal(map(rig, "photos", true), "photos");
	assert_null(map(rig, "a_b", true));
	assert_int_equal(rig->status.code, COSI_INVALID);
	rig_assert_has(rig->status.text, "backend 'b1' cannot use the name 'a_b'");
}

static void
test_left_out__nothing_is_called(void **state)
{
	struct rig_call *rig = *state;
	struct cosi_bucket out;

	rig->backend.left_out = "its secret is gone";
	rig_assert_has(create(rig, &out), "backend 'b1' is left out: its secret is gone");
	assert_int_equal(rig->status.code, COSI_UNAVAILABLE);
	assert_null(map(rig, "photos", false));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_create__honest, liar_setup, liar_teardown),
		cmocka_unit_test_setup_teardown(test_result__inconsistent, liar_setup,
						liar_teardown),
		cmocka_unit_test_setup_teardown(test_create__not_ours, liar_setup, liar_teardown),
		cmocka_unit_test_setup_teardown(test_create__protocols, liar_setup, liar_teardown),
		cmocka_unit_test_setup_teardown(test_get__may_serve_fewer_protocols, liar_setup,
						liar_teardown),
		cmocka_unit_test_setup_teardown(test_create__missing_fields, liar_setup,
						liar_teardown),
		cmocka_unit_test_setup_teardown(test_create__malformed_fields, liar_setup,
						liar_teardown),
		cmocka_unit_test_setup_teardown(test_handlers__absent, liar_setup, liar_teardown),
		cmocka_unit_test_setup_teardown(test_simple_handlers__result_counts, liar_setup,
						liar_teardown),
		cmocka_unit_test_setup_teardown(test_map_name__module, liar_setup, liar_teardown),
		cmocka_unit_test_setup_teardown(test_map_name__of_its_own_result, liar_setup,
						liar_teardown),
		cmocka_unit_test_setup_teardown(test_map_name__absent, liar_setup, liar_teardown),
		cmocka_unit_test_setup_teardown(test_left_out__nothing_is_called, liar_setup,
						liar_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
