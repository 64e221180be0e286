/* SPDX-License-Identifier: Apache-2.0
 * test_param_hash.c - which requests have the same hash; it is stored, so its bytes never change.
 */
#include "routing/params.h"

#include "rig.h"

#include "banned.h"

struct grant {
	size_t nparams, nbuckets;
	struct cosi_kv params[2];
	struct cosi_bucket_ref buckets[2];
};

static const char *
hash(const struct grant *grant)
{
	static char texts[4][128];
	static size_t turn;
	const struct cosi_bucket_ref *refs[2] = { &grant->buckets[0], &grant->buckets[1] };
	char *text = texts[turn++ % 4];
	struct arena arena;

	arena_init(&arena, 1 << 16);
	(void)snprintf(text, sizeof texts[0], "%s",
		       param_hash(grant->params, grant->nparams, refs, grant->nbuckets, &arena));
	arena_done(&arena);
	return text;
}

/* printf '' | sha256sum;  printf 'p\0region\0here\0p\0versioning\0true\0' | sha256sum; and so on.
 */
static void
test_hash__known_values(void **state)
{
	(void)state;
	assert_string_equal(hash(&(struct grant){ 0 }),
			    "1:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	assert_string_equal(hash(&(struct grant){
				    .nparams = 2,
				    .params = { { "region", "here" }, { "versioning", "true" } } }),
			    "1:859d783b4275b5526a59a9204e28d3fed332711366555100dbf660888b246f2b");
	assert_string_equal(hash(&(struct grant){ .nparams = 1,
						  .nbuckets = 2,
						  .params = { { "shape", "round" } },
						  .buckets = { { "a", COSI_READ_ONLY },
							       { "b", COSI_READ_WRITE } } }),
			    "1:8ee9b8d0783c7a082da0553f965c1c17f95c21aae34c982f0e6df2ca031e42b3");
}

static void
test_hash__every_part_counts(void **state)
{
	const struct grant base = { .nparams = 1,
				    .nbuckets = 1,
				    .params = { { "k", "v" } },
				    .buckets = { { "a", COSI_READ_ONLY } } };
	struct grant other;

	(void)state;
	assert_string_equal(hash(&base), hash(&base));
	other = base;
	other.params[0].key = "l";
	assert_string_not_equal(hash(&base), hash(&other));
	other = base;
	other.params[0].value = "w";
	assert_string_not_equal(hash(&base), hash(&other));
	other = base;
	other.buckets[0].native = "b";
	assert_string_not_equal(hash(&base), hash(&other));
	other = base;
	other.buckets[0].mode = COSI_WRITE_ONLY;
	assert_string_not_equal(hash(&base), hash(&other));
	other = base;
	other.nparams = 0;
	assert_string_not_equal(hash(&base), hash(&other));
}

static void
test_hash__words_do_not_run_together(void **state)
{
	const struct grant ab = { .nparams = 1, .params = { { "ab", "c" } } };
	const struct grant bc = { .nparams = 1, .params = { { "a", "bc" } } };
	const struct grant empty = { .nparams = 2, .params = { { "a", "" }, { "b", "c" } } };
	const struct grant shifted = { .nparams = 2, .params = { { "a", "b" }, { "", "c" } } };

	(void)state;
	assert_string_not_equal(hash(&ab), hash(&bc));
	assert_string_not_equal(hash(&empty), hash(&shifted));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hash__known_values),
		cmocka_unit_test(test_hash__every_part_counts),
		cmocka_unit_test(test_hash__words_do_not_run_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
