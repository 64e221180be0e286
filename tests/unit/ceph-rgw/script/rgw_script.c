/* SPDX-License-Identifier: Apache-2.0
 * rgw_script.c - an instance of the module for a script. */
#include "rgw_script.h"

#include "banned.h"

void
script_init(struct script *script, const char *credential_key)
{
	static const struct script_kind kind = { "x-amz-request-id", NULL };
	static struct rgw_config config;

	config = (struct rgw_config){
		.region = "default",
		.access_key = "DRIVER",
		.secret_key = "planted-secret",
		.credential_key = credential_key,
		.admin_path = "admin",
	};
	script_start(script, &cosi_module, &kind, "http://rgw.example:8000");
	assert_int_equal(cosi_module.open(&script->host.call, &config, &script->instance), 0);
}

void
script_done(struct script *script)
{
	cosi_module.close(script->instance);
	script_end(script);
}
