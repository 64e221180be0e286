/* SPDX-License-Identifier: Apache-2.0
 * test_plan.c - what a request comes to, without a thread, a store or a clock. */
#include "routing/plan.h"

#include "config/config.h"
#include "plan_rig.h"
#include "routing/id.h"

#include "banned.h"

static int
can_get(void *instance, struct cosi_call *call, const struct cosi_bucket_req *asked,
	struct cosi_bucket *out)
{
	(void)instance, (void)call, (void)asked, (void)out;
	return -1;
}

/* ---- two backends, and one whose grants write into the bucket ------------------------------ */

struct no_params {
	bool unused;
};
static const struct cosi_key no_keys[] = { COSI_BOOL(struct no_params, unused, NULL, "unused") };

#define MODULE(more)                                                                               \
	{                                                                                          \
		.name = "fake", .protocols = COSI_S3, .auth = COSI_AUTH_KEY,                       \
		.bucket_params = COSI_SCHEMA(struct no_params, no_keys),                           \
		.access_params = COSI_SCHEMA(struct no_params, no_keys), .get_bucket = can_get,    \
		.flags = more                                                                      \
	}
static const struct cosi_module plain = MODULE(0), writes = MODULE(COSI_GRANT_WRITES_BUCKET);
static const char *const all[] = { "*", NULL };
static const struct config_backend any = { .accept_new = true, .existing_buckets = all };
static struct backend backends[] = {
	{ .name = "east", .config = &any, .module = &plain },
	{ .name = "west", .config = &any, .module = &plain },
	{ .name = "blob", .config = &any, .module = &writes },
};
static struct config config = { .owner = "us.example.org", .default_backend = "west" };
static struct generation generation = { .config = &config,
					.nbackends = COUNT(backends),
					.backends = backends };

/* "b:east.a!" for each lock, with a '!' when it is exclusive, and a space between. */
static const char *
locks(void)
{
	static char text[512];
	size_t len = 0;

	text[0] = '\0';
	for (size_t i = 0; i < plan.nlocks; i++)
		len += (size_t)snprintf(text + len, sizeof text - len, "%s%s%s", i > 0 ? " " : "",
					plan.locks[i].name, plan.locks[i].exclusive ? "!" : "");
	return text;
}

/* The names of the backends to ask, in their order. */
static const char *
candidates(void)
{
	static char text[128];
	size_t len = 0;

	for (size_t i = 0; i < plan.lookup->ncandidates; i++)
		len += (size_t)snprintf(text + len, sizeof text - len, "%s%s", i > 0 ? " " : "",
					plan.lookup->candidates[i].backend->name);
	return text;
}

/* ---- create ------------------------------------------------------------------------------------
 */

static void
test_create__by_parameter(void **state)
{
	const struct cosi_kv param = { "backend", "east" };
	const struct request create = {
		.op = REQUEST_CREATE, .name = "photos", .nparams = 1, .params = &param
	};

	(void)state;
	assert_int_equal(make_plan(&generation, &create), 0);
	assert_null(plan.lookup);
	assert_string_equal(plan.backend->name, "east");
	assert_string_equal(plan.id, "east.photos");
	assert_string_equal(plan.bucket.mark.name, "photos");
	assert_string_equal(plan.bucket.mark.owner, "us.example.org");
	assert_string_equal(locks(), "b:east.photos!");
}

/* The bucket may be elsewhere: the preferred backend is asked first, and the name is locked on all.
 */
static void
test_create__by_default(void **state)
{
	const struct request create = { .op = REQUEST_CREATE, .name = "photos" };

	(void)state;
	assert_int_equal(make_plan(&generation, &create), 0);
	assert_null(plan.backend);
	assert_string_equal(candidates(), "west east blob");
	assert_string_equal(locks(), "b:west.photos! b:east.photos! b:blob.photos!");
	/* The locks are drawn once, whichever backend is found. */
	assert_int_equal(plan_complete(&plan, &backends[0]), 0);
	assert_string_equal(plan.id, "east.photos");
	assert_int_equal(plan.nlocks, 3);
}

static void
test_create__names_that_the_store_cannot_hold(void **state)
{
	static const char name[] = "a-name-of-more-than-20-bytes";
	const struct cosi_kv param = { "backend", "east" };
	struct request create = {
		.op = REQUEST_CREATE, .name = name, .nparams = 1, .params = &param
	};

	(void)state;
	assert_int_equal(make_plan(&generation, &create), 0);
	assert_string_equal(plan.id, "east.a-name-of-more-than-");
	create.exact_names = true;
	expect_refused(&generation, &create, COSI_INVALID, "too long");
	/* By default: those that cannot hold it are not asked, and keep no other from it. */
	create.nparams = 0;
	assert_int_equal(make_plan(&generation, &create), 0);
	assert_string_equal(candidates(), "blob");
}

/* ---- get, delete -------------------------------------------------------------------------------
 */

static void
test_by_id__routes_itself(void **state)
{
	(void)state;
	assert_int_equal(
		make_plan(&generation, &(struct request){ .op = REQUEST_DELETE, .id = "blob.a.b" }),
		0);
	assert_string_equal(plan.backend->name, "blob");
	assert_string_equal(plan.native, "a.b");
	assert_string_equal(locks(), "b:blob.a.b!");
	assert_int_equal(
		make_plan(&generation, &(struct request){ .op = REQUEST_GET, .id = "blob.a.b" }),
		0);
	assert_string_equal(locks(), "");
}

static void
test_by_id__native_names(void **state)
{
	(void)state;
	assert_int_equal(
		make_plan(&generation, &(struct request){ .op = REQUEST_GET, .id = "old" }), 0);
	assert_string_equal(candidates(), "east west blob");
	assert_false(plan.lookup->owned_only);
	assert_int_equal(
		make_plan(&generation, &(struct request){ .op = REQUEST_DELETE, .id = "old" }), 0);
	assert_true(plan.lookup->owned_only);
	assert_int_equal(plan.nlocks, 0);
	expect_refused(&generation, &(struct request){ .op = REQUEST_GET, .id = "no/bucket" },
		       COSI_INVALID, "neither a bucket_id nor the name of a bucket");
	expect_refused(&generation, &(struct request){ .op = REQUEST_DELETE, .id = "no/bucket" },
		       COSI_PRECONDITION, "neither a bucket_id nor the name of a bucket");
}

/* ---- grant, revoke -----------------------------------------------------------------------------
 */

static struct request_bucket wanted[] = { { "east.b", COSI_READ_WRITE },
					  { "east.a", COSI_READ_ONLY },
					  { "west.c", COSI_READ_ONLY } };

static struct request
grant_of(const char *first, const char *second)
{
	wanted[0].id = first;
	wanted[1].id = second;
	return (struct request){ .op = REQUEST_GRANT,
				 .name = "ba-1",
				 .auth = COSI_AUTH_KEY,
				 .nbuckets = 2,
				 .buckets = wanted };
}

static void
test_grant__locks(void **state)
{
	struct request grant = grant_of("east.b", "east.a");

	(void)state;
	assert_int_equal(make_plan(&generation, &grant), 0);
	assert_string_equal(plan.id, "east.cosi-ba-1");
	assert_int_equal(plan.access.protocol, COSI_S3);
	assert_string_equal(locks(), "a:east.cosi-ba-1! b:east.a b:east.b");
	grant = grant_of("blob.b", "blob.a");
	assert_int_equal(make_plan(&generation, &grant), 0);
	assert_string_equal(locks(), "a:blob.cosi-ba-1! b:blob.a! b:blob.b!");
}

static void
test_grant__what_the_module_is_told(void **state)
{
	struct request grant = grant_of("east.b", "east.a");

	(void)state;
	grant.service_account = "system:serviceaccount:shop:web";
	assert_int_equal(make_plan(&generation, &grant), 0);
	assert_string_equal(plan.access.native, "cosi-ba-1");
	assert_string_equal(plan.access.mark.owner, "us.example.org");
	assert_string_equal(plan.access.mark.name, "ba-1");
	assert_non_null(plan.access.mark.params);
	assert_int_equal(plan.access.auth, COSI_AUTH_KEY);
	assert_string_equal(plan.access.service_account, "system:serviceaccount:shop:web");
	assert_int_equal(plan.access.nbuckets, 2);
	assert_string_equal(plan.access.buckets[0]->native, "a");
	assert_int_equal(plan.access.buckets[0]->mode, COSI_READ_ONLY);
	assert_string_equal(plan.access.buckets[1]->native, "b");
	assert_int_equal(plan.access.buckets[1]->mode, COSI_READ_WRITE);
}

static void
test_grant__of_one_backend(void **state)
{
	struct request grant = grant_of("east.b", "west.a");

	(void)state;
	expect_refused(&generation, &grant, COSI_OUT_OF_RANGE, "'east' and 'west'");
	grant = grant_of("east.b", "east.b");
	expect_refused(&generation, &grant, COSI_INVALID, "with two access modes");
}

static void
test_revoke__of_whose_account(void **state)
{
	struct request revoke = { .op = REQUEST_REVOKE, .id = "east.cosi-ba-1" };

	(void)state;
	assert_int_equal(make_plan(&generation, &revoke), 0);
	assert_string_equal(locks(), "a:east.cosi-ba-1!");
	assert_false(plan.nothing_to_do);
	revoke.buckets = &wanted[2]; /* another backend's: the account has no access to it */
	revoke.nbuckets = 1;
	assert_int_equal(make_plan(&generation, &revoke), 0);
	assert_true(plan.nothing_to_do);
	revoke.id = "east.somebody";
	expect_refused(&generation, &revoke, COSI_PRECONDITION, "does not begin with 'cosi-'");
	revoke.id = "gone.cosi-ba-1";
	expect_refused(&generation, &revoke, COSI_PRECONDITION, "names no configured backend");
}

/* On a backend whose revokes lock the bucket, too: a name that no id has room for is no bucket's.
 */
static void
test_revoke__length_of_a_native_name(void **state)
{
	enum { FITS = ID_MAX - 5 }; /* behind "blob." */
	char native[ID_MAX + 1];
	struct request_bucket bucket = { .id = native };
	struct request revoke = {
		.op = REQUEST_REVOKE, .id = "blob.cosi-ba-1", .nbuckets = 1, .buckets = &bucket
	};

	(void)state;
	for (size_t len = FITS; len <= ID_MAX; len++) {
		memset(native, 'x', len);
		native[len] = '\0';
		assert_int_equal(make_plan(&generation, &revoke), 0);
		assert_int_equal(plan.nlocks, len == FITS ? 2 : 1);
		assert_int_equal(plan.nothing_to_do, len > FITS);
		if (len == FITS)
			assert_int_equal(strlen(plan.locks[1].name), strlen("b:") + ID_MAX);
	}
}

/* ---- look-ups ----------------------------------------------------------------------------------
 */

/* What the stores say, one letter a candidate in their order (h: has it, l: lacks it, f: failed, -:
 * was not asked), and what that comes to: a backend, or a code. */
static void
test_lookup__decisions(void **state)
{
	static const struct {
		bool owned;
		const char *answers, *backend;
		uint32_t code;
	} cases[] = {
		{ true, "h--", "west", COSI_OK },         { true, "lll", "west", COSI_OK },
		{ true, "lhl", "east", COSI_OK },         { true, "lhh", NULL, COSI_PRECONDITION },
		{ true, "lhf", "east", COSI_OK },         { true, "flh", "blob", COSI_OK },
		{ true, "llf", NULL, COSI_UNAVAILABLE },  { false, "lll", NULL, COSI_NOT_FOUND },
		{ false, "lhl", "west", COSI_OK },        { false, "hlh", NULL, COSI_PRECONDITION },
		{ false, "lhf", NULL, COSI_UNAVAILABLE },
	};
	const struct request create = { .op = REQUEST_CREATE, .name = "photos" };
	const struct request get = { .op = REQUEST_GET, .id = "photos" };
	const struct status away = { .code = COSI_UNAVAILABLE, .text = "it is away" };

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct backend *found;

		assert_int_equal(make_plan(&generation, cases[i].owned ? &create : &get), 0);
		for (const char *c = cases[i].answers; *c != '\0' && *c != '-'; c++) {
			struct candidate *candidate = lookup_next(plan.lookup);

			assert_non_null(candidate);
			if (*c == 'f')
				lookup_failed(plan.lookup, candidate, &away);
			else
				candidate->answer = *c == 'h' ? CANDIDATE_HAS : CANDIDATE_LACKS;
		}
		assert_null(lookup_next(plan.lookup));
		found = lookup_decide(plan.lookup, &status);
		assert_int_equal(status.code, cases[i].code);
		if (cases[i].backend != NULL)
			assert_string_equal(found->name, cases[i].backend);
		else
			assert_null(found);
	}
}

static void
test_request__needs_too_much_memory(void **state)
{
	const struct request create = { .op = REQUEST_CREATE, .name = "photos" };

	(void)state;
	arena_init(&arena, 16);
	expect_refused(&generation, &create, COSI_EXHAUSTED, "the request needs too much memory");
	generation.nbackends = 0;
	expect_refused(&generation, &create, COSI_UNAVAILABLE, "no backend is configured");
	generation.nbackends = COUNT(backends);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, plan_setup, plan_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_create__by_parameter),
		TEST(test_create__by_default),
		TEST(test_create__names_that_the_store_cannot_hold),
		TEST(test_by_id__routes_itself),
		TEST(test_by_id__native_names),
		TEST(test_grant__locks),
		TEST(test_grant__what_the_module_is_told),
		TEST(test_grant__of_one_backend),
		TEST(test_revoke__of_whose_account),
		TEST(test_revoke__length_of_a_native_name),
		TEST(test_lookup__decisions),
		TEST(test_request__needs_too_much_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
