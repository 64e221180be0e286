/* SPDX-License-Identifier: Apache-2.0
 * test_token.c - the cache, early renewal, failures that are not kept, limits. */
#include "module/token.h"

#include <string.h>

#include "rig.h"

#include "banned.h"

enum { NOW = 1000000 };

/* What the fetch functions do and saw. */
static unsigned nfetches;
static int64_t life_s;
static bool failing;

static int
fetch(void *instance, struct cosi_call *call, struct cosi_token *out)
{
	unsigned number = ++nfetches;

	(void)instance;
	if (failing)
		return cosi_fail(call, COSI_UNAVAILABLE, "cannot fetch token %u: no answer",
				 number);
	out->value = cosi_printf(call, "token-%u", number);
	out->expires = life_s == 0 ? 0 : NOW + life_s;
	return 0;
}

static int
setup(void **state)
{
	struct rig_call *rig = malloc(sizeof *rig);

	assert_non_null(rig);
	rig_call_init(rig);
	nfetches = 0;
	life_s = 3600;
	failing = false;
	*state = rig;
	return 0;
}

static int
teardown(void **state)
{
	rig_call_done(*state);
	free(*state);
	return 0;
}

static const char *
get(struct rig_call *rig, const char *name, int64_t now)
{
	return token_get(&instance_of(&rig->backend)->tokens, &rig->call, name, fetch, now);
}

static void
test_get__cached_per_name(void **state)
{
	assert_string_equal(get(*state, "a", NOW), "token-1");
	assert_string_equal(get(*state, "b", NOW), "token-2");
	assert_string_equal(get(*state, "a", NOW), "token-1");
	assert_string_equal(get(*state, "b", NOW), "token-2");
	assert_int_equal(nfetches, 2);
}

/* 3600 s of life: 300 s are less than a tenth. */
static void
test_get__renewed_five_minutes_early(void **state)
{
	assert_string_equal(get(*state, "a", NOW), "token-1");
	assert_string_equal(get(*state, "a", NOW + 3299), "token-1");
	life_s = 7200;
	assert_string_equal(get(*state, "a", NOW + 3300), "token-2");
}

static void
test_get__renewed_a_tenth_early(void **state)
{
	life_s = 600;
	assert_string_equal(get(*state, "a", NOW), "token-1");
	assert_string_equal(get(*state, "a", NOW + 539), "token-1");
	life_s = 7200;
	assert_string_equal(get(*state, "a", NOW + 540), "token-2");
}

static void
test_get__without_expiry(void **state)
{
	life_s = 0;
	assert_string_equal(get(*state, "a", NOW), "token-1");
	assert_string_equal(get(*state, "a", INT64_MAX / 2), "token-1");
}

/* The store's token service is down, but the token still works. */
static void
test_get__failed_renewal_keeps_the_old_one(void **state)
{
	struct rig_call *rig = *state;

	assert_string_equal(get(rig, "a", NOW), "token-1");
	failing = true;
	assert_string_equal(get(rig, "a", NOW + 3300), "token-1");
	assert_true(status_ok(&rig->status));
	assert_int_equal(nfetches, 2);
	assert_string_equal(get(rig, "a", NOW + 3300 + TOKEN_RETRY_S - 1), "token-1");
	assert_int_equal(nfetches, 2);
	assert_string_equal(get(rig, "a", NOW + 3300 + TOKEN_RETRY_S), "token-1");
	assert_int_equal(nfetches, 3);
	assert_null(get(rig, "a", NOW + 3600));
	assert_string_equal(rig->status.text, "cannot fetch token 4: no answer");
}

static void
test_get__failure_is_not_kept(void **state)
{
	struct rig_call *rig = *state;

	failing = true;
	assert_null(get(rig, "a", NOW));
	assert_int_equal(rig->status.code, COSI_UNAVAILABLE);
	rig->status = (struct status){ 0 };
	failing = false;
	assert_string_equal(get(rig, "a", NOW), "token-2");
}

static int
fetch_silently(void *instance, struct cosi_call *call, struct cosi_token *out)
{
	(void)instance;
	(void)call;
	(void)out;
	return -1;
}

static int
fetch_nothing(void *instance, struct cosi_call *call, struct cosi_token *out)
{
	(void)instance;
	(void)call;
	(void)out;
	return 0;
}

static int
fetch_length(void *instance, struct cosi_call *call, struct cosi_token *out)
{
	char *value = cosi_alloc(call, (size_t)life_s + 1);

	(void)instance;
	memset(value, 'x', (size_t)life_s);
	out->value = value;
	return 0;
}

static int
fetch_itself(void *instance, struct cosi_call *call, struct cosi_token *out)
{
	(void)instance;
	out->value = call->host->token(call, "a", fetch_itself);
	return out->value == NULL ? -1 : 0;
}

static void
fails(struct rig_call *rig, cosi_token_fn *fetcher, const char *reason)
{
	assert_null(rig->call.pub.host->token(&rig->call.pub, "a", fetcher));
	assert_int_equal(rig->status.code, COSI_INTERNAL);
	assert_string_equal(rig->status.text, reason);
	rig->status = (struct status){ 0 };
}

static void
test_get__bad_fetches(void **state)
{
	struct rig_call *rig = *state;

	fails(rig, fetch_silently, "module 'liar' failed without a reason");
	fails(rig, fetch_nothing, "module 'liar' fetched a malformed token");
	fails(rig, fetch_itself, "module 'liar' needs token 'a' to fetch it");
	life_s = TOKEN_VALUE_MAX + 1;
	fails(rig, fetch_length, "module 'liar' fetched a malformed token");
	life_s = TOKEN_VALUE_MAX;
	assert_int_equal(strlen(rig->call.pub.host->token(&rig->call.pub, "a", fetch_length)),
			 TOKEN_VALUE_MAX);
}

static void
test_get__limits(void **state)
{
	struct rig_call *rig = *state;
	char name[TOKEN_NAME_MAX + 2] = { 0 };

	memset(name, 'n', TOKEN_NAME_MAX);
	assert_non_null(rig->call.pub.host->token(&rig->call.pub, name, fetch));
	for (char c = 'a'; c < 'a' + TOKEN_MAX - 1; c++)
		assert_non_null(get(rig, (char[]){ c, '\0' }, NOW));
	assert_null(get(rig, "one more", NOW));
	assert_string_equal(rig->status.text, "module 'liar' has more than 8 tokens");
	rig->status = (struct status){ 0 };
	name[TOKEN_NAME_MAX] = 'n';
	assert_null(rig->call.pub.host->token(&rig->call.pub, name, fetch));
	rig_assert_has(rig->status.text, "asks for a token without a proper name");
}

static void
test_drop__only_the_one_that_was_given(void **state)
{
	struct rig_call *rig = *state, other;
	struct tokens *tokens = &rig->instance.tokens;

	rig_call_share(&other, rig);
	assert_string_equal(get(rig, "a", NOW), "token-1");
	assert_string_equal(get(&other, "a", NOW), "token-1");
	token_drop(tokens, &rig->call, "a");
	assert_string_equal(get(rig, "a", NOW), "token-2");
	token_drop(tokens, &other.call, "a");
	assert_string_equal(get(&other, "a", NOW), "token-2");
	token_drop(tokens, &other.call, "unknown");
	assert_int_equal(nfetches, 2);
	rig_call_done(&other);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_get__cached_per_name, setup, teardown),
		cmocka_unit_test_setup_teardown(test_get__renewed_five_minutes_early, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_get__renewed_a_tenth_early, setup, teardown),
		cmocka_unit_test_setup_teardown(test_get__without_expiry, setup, teardown),
		cmocka_unit_test_setup_teardown(test_get__failed_renewal_keeps_the_old_one, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_get__failure_is_not_kept, setup, teardown),
		cmocka_unit_test_setup_teardown(test_get__bad_fetches, setup, teardown),
		cmocka_unit_test_setup_teardown(test_get__limits, setup, teardown),
		cmocka_unit_test_setup_teardown(test_drop__only_the_one_that_was_given, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
