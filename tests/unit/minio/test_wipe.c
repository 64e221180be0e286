/* SPDX-License-Identifier: Apache-2.0
 * test_wipe.c - of what a grant is made with, and of what it answers, nothing outlives the call.
 *
 * The call's memory is wiped by the daemon, so by these tests' host; all else is the module's.
 */
#include "fakes/wipe.h"

#include <jansson.h>

#include "base/secret.h"
#include "minio_script.h"

#include "banned.h"

#define KEY    "COSISUHMUOYX47S4QKKG" /* of OWNER and cosi-ba-1 */
#define POLICY "name=cosi-ba-1." KEY
#define JOIN                                                                                       \
	"PUT " ADMIN "set-user-or-group-policy?isGroup=false&policyName=cosi-ba-1." KEY            \
	"&userOrGroup=" KEY

static void
open_planted(struct script *script)
{
	static const struct script_kind kind = { "x-amz-request-id", NULL };
	static struct minio_config config = { .region = "us-east-1", .access_key = "ADMIN" };

	config.secret_key = wipe_secret();
	config.credential_key = wipe_secret();
	script_start(script, &cosi_module, &kind, "http://minio.example:9000");
	assert_int_equal(cosi_module.open(&script->host.call, &config, &script->instance), 0);
}

static void
grant(struct script *script, struct cosi_access *out)
{
	PLAY(script, FAILS(LOCATION, 403, "InvalidAccessKeyId"), SAYS(LOCATION, LOCATED),
	     OK("PUT " ADMIN "add-canned-policy?" POLICY),
	     OK("PUT " ADMIN "add-user?accessKey=" KEY), OK(JOIN));
	script_grant(script, PARAMS, out);
	script_ended(script, COSI_OK, "");
}

static void
test_grant__nothing_is_left(void **state)
{
	struct cosi_access access;
	struct script script;

	(void)state;
	open_planted(&script);
	grant(&script, &access);
	wipe_look_for(access.key_secret, strlen(access.key_secret));
	assert_true(wipe_count() >= 1);
	host_reset(&script.host);
	assert_int_equal(wipe_count(), 0);
	wipe_look_for(wipe_secret(), WIPE_LEN);
	assert_int_equal(wipe_count(), 0);
	script_done(&script);
}

/* What seals the bodies follows from the password, which is the module's for good. */
static void
test_close__nothing_is_left(void **state)
{
	struct cosi_access access;
	struct script script;
	const struct minio *minio;

	(void)state;
	open_planted(&script);
	grant(&script, &access);
	minio = script.instance;
	wipe_look_for(minio->seal.key, sizeof minio->seal.key);
	assert_int_equal(wipe_count(), 1);
	script_done(&script);
	assert_int_equal(wipe_count(), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_grant__nothing_is_left),
		cmocka_unit_test(test_close__nothing_is_left),
	};

	/* As the daemon has it. */
	json_set_alloc_funcs(wiped_malloc, wiped_free);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
