/* SPDX-License-Identifier: Apache-2.0
 * minio_script.c - an instance of the module for a script. */
#include "minio_script.h"

#include "banned.h"

static const char *const previous[] = { "previous-credential-key-0123456789abcdef",
					"oldest-credential-key-0123456789abcdef", NULL };

void
script_init(struct script *script)
{
	static const struct script_kind kind = { "x-amz-request-id", NULL };
	static const struct minio_config config = {
		.region = "us-east-1",
		.access_key = "ADMIN",
		.secret_key = "planted-secret",
		.credential_key = "current-credential-key-0123456789abcdef",
		.previous_credential_keys = previous,
		.adopt_window = 24 * 3600 * 1000,
	};

	script_start(script, &cosi_module, &kind, "http://minio.example:9000");
	assert_int_equal(cosi_module.open(&script->host.call, &config, &script->instance), 0);
}

void
script_done(struct script *script)
{
	cosi_module.close(script->instance);
	script_end(script);
}
