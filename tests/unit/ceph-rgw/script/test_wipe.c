/* SPDX-License-Identifier: Apache-2.0
 * test_wipe.c - of what a grant is made with, and of what it answers, nothing outlives the call.
 *
 * The call's memory is wiped by the daemon, so by these tests' host; all else is the module's.
 */
#include "fakes/wipe.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/secret.h"
#include "rgw_script.h"

#include "banned.h"

#define PUT_USER                                                                                   \
	"PUT /admin/user?display-name=cosid%3A" OWNER "%3Aba-1&max-buckets=-1&uid=cosi-ba-1"

static void
grant(struct script *script, const char *user)
{
	struct cosi_access access;

	PLAY(script, SAYS(GET_TAGS, TAGS(TAG("cosi-driver", OWNER))), SAYS(PUT_USER, user),
	     SAYS("POST /?", "<PutUserPolicyResponse></PutUserPolicyResponse>"),
	     SAYS("GET /admin/user?uid=cosi-ba-1", user));
	script_grant(script, PARAMS, &access);
	script_ended(script, COSI_OK, "");
	assert_string_equal(access.key_secret, wipe_secret());
}

/* The gateway made the key, and its reply is JSON. */
static void
test_grant__nothing_is_left(void **state)
{
	enum { ROOM = 1024 };
	char *user = wiped_malloc(ROOM);
	struct script script;

	(void)state;
	assert_non_null(user);
	(void)snprintf(user, ROOM,
		       "{\"user_id\":\"cosi-ba-1\",\"display_name\":\"cosid:" OWNER
		       ":ba-1\",\"keys\":[{\"user\":\"cosi-ba-1\",\"access_key\":\"K1\","
		       "\"secret_key\":\"%s\"}]}",
		       wipe_secret());
	script_init(&script, NULL);
	grant(&script, user);
	assert_true(wipe_count() > 1);
	host_reset(&script.host);
	assert_int_equal(wipe_count(), 1); /* the reply itself */
	script_done(&script);
	wiped_free(user);
	assert_int_equal(wipe_count(), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_grant__nothing_is_left),
	};

	/* As the daemon has it. */
	json_set_alloc_funcs(wiped_malloc, wiped_free);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
