/* SPDX-License-Identifier: Apache-2.0
 * test_verify_access.c - credentials that are missing, malformed or too long. */
#include "liar.h"
#include "module/backend.h"

#include "banned.h"

/* Grants on two buckets. */
static const char *
grant(struct rig_call *rig, uint32_t protocol, uint32_t auth, struct cosi_access *out)
{
	static const struct cosi_bucket_ref refs[] = { { "b-1", COSI_READ_WRITE },
						       { "b-2", COSI_READ_ONLY } };
	static const struct cosi_bucket_ref *const list[] = { &refs[0], &refs[1] };
	const struct cosi_access_req req = { .native = "cosi-a",
					     .protocol = protocol,
					     .auth = auth,
					     .nbuckets = 2,
					     .buckets = list };

	rig->status = (struct status){ 0 };
	if (backend_grant(&rig->call, &req, out) == 0)
		assert_true(status_ok(&rig->status));
	return rig->status.text;
}

static void
test_grant__key_pair(void **state)
{
	struct cosi_access out = { 0 };

	assert_string_equal(grant(*state, COSI_S3, COSI_AUTH_KEY, &out), "");
	assert_string_equal(out.key_id, "AKIA");
	assert_string_equal(out.key_secret, "secret");
	assert_string_equal(out.buckets[0]->name, "b-1");
	assert_string_equal(out.buckets[1]->name, "b-2");
	lie_access_answer.key_secret = liar_text(VERIFY_SECRET_MAX);
	assert_string_equal(grant(*state, COSI_S3, COSI_AUTH_KEY, &out), "");
	lie_access_answer.key_secret = liar_text(VERIFY_SECRET_MAX + 1);
	assert_string_equal(grant(*state, COSI_S3, COSI_AUTH_KEY, &out),
			    "module 'liar' answered with a malformed key_secret");
	lie_access_answer = lie_honest_access;
	lie_access_answer.key_id = NULL;
	assert_string_equal(grant(*state, COSI_S3, COSI_AUTH_KEY, &out),
			    "module 'liar' answered with a missing key_id");
	lie_access_answer = lie_honest_access;
	lie_access_answer.key_secret = NULL;
	assert_string_equal(grant(*state, COSI_S3, COSI_AUTH_KEY, &out),
			    "module 'liar' answered with a missing key_secret");
	lie_access_answer = lie_honest_access;
	lie_bucket_answer.region = NULL;
	assert_string_equal(grant(*state, COSI_S3, COSI_AUTH_KEY, &out),
			    "module 'liar' answered with a missing region");
}

static void
test_grant__azure(void **state)
{
	struct rig_call *rig = *state;
	struct cosi_access out = { 0 };

	rig->module.protocols = COSI_AZURE;
	lie_bucket_answer = (struct cosi_bucket){ .azure_account = "account" };
	assert_string_equal(grant(rig, COSI_AZURE, COSI_AUTH_KEY, &out),
			    "module 'liar' answered with a missing token");
	lie_access_answer = (struct cosi_access){ .token = liar_text(VERIFY_SAS_MAX) };
	assert_string_equal(grant(rig, COSI_AZURE, COSI_AUTH_KEY, &out), "");
	assert_int_equal(out.buckets[0]->protocols, COSI_AZURE);
	lie_access_answer.token = liar_text(VERIFY_SAS_MAX + 1);
	assert_string_equal(grant(rig, COSI_AZURE, COSI_AUTH_KEY, &out),
			    "module 'liar' answered with a malformed token");
	lie_access_answer = (struct cosi_access){ .token = "sig", .token_expires = -1 };
	assert_string_equal(grant(rig, COSI_AZURE, COSI_AUTH_KEY, &out),
			    "module 'liar' answered with a malformed token_expires");
}

static void
test_grant__service_account(void **state)
{
	struct rig_call *rig = *state;
	struct cosi_access out = { 0 };

	rig->module.protocols = COSI_GCS;
	lie_bucket_answer = (struct cosi_bucket){ .gcs_project = "p" };
	assert_string_equal(grant(rig, COSI_GCS, COSI_AUTH_SERVICE_ACCOUNT, &out),
			    "module 'liar' answered with a missing key_name");
	lie_access_answer = (struct cosi_access){ .key_name = "k" };
	assert_string_equal(grant(rig, COSI_GCS, COSI_AUTH_SERVICE_ACCOUNT, &out),
			    "module 'liar' answered with a missing service_account");
	lie_access_answer.service_account = "sa@p.example.org";
	assert_string_equal(grant(rig, COSI_GCS, COSI_AUTH_SERVICE_ACCOUNT, &out), "");
}

/* A list of its own may be shorter, or gone with the handler's stack. */
static void
test_grant__list_of_buckets_is_replaced(void **state)
{
	struct rig_call *rig = *state;
	struct cosi_bucket bucket = lie_honest_bucket;
	struct cosi_bucket *const list[] = { &bucket, &bucket };
	struct cosi_access out = { .key_id = "untouched" };

	lie_access_answer.buckets = list;
	assert_string_equal(grant(rig, COSI_S3, COSI_AUTH_KEY, &out),
			    "module 'liar' replaced the list of buckets of a grant");
	assert_int_equal(rig->status.code, COSI_INTERNAL);
	assert_string_equal(out.key_id, "untouched");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_grant__key_pair, liar_setup, liar_teardown),
		cmocka_unit_test_setup_teardown(test_grant__list_of_buckets_is_replaced, liar_setup,
						liar_teardown),
		cmocka_unit_test_setup_teardown(test_grant__azure, liar_setup, liar_teardown),
		cmocka_unit_test_setup_teardown(test_grant__service_account, liar_setup,
						liar_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
