/* SPDX-License-Identifier: Apache-2.0
 * azure_script.c - an instance of the module for a script. */
#include "azure_script.h"

#include <stdlib.h>

#include "vectors.h"

#include "banned.h"

struct rig {
	struct azure azure; /* first */
	struct azure_config config;
};

void
script_init(struct script *script)
{
	static const struct script_kind azure = { "x-ms-request-id", "x-ms-error-code" };
	struct rig *rig = calloc(1, sizeof *rig);

	assert_non_null(rig);
	rig->config = (struct azure_config){
		.account = "cosiacct",
		.token_form = "container",
		.lease = true,
	};
	rig->azure.config = &rig->config;
	assert_int_equal(azure_key_read(ACCOUNT_KEY, &rig->azure.key), 0);
	script_start(script, &cosi_module, &azure, "https://cosiacct.blob.core.windows.net");
	script->instance = rig;
}

void
script_done(struct script *script)
{
	free(script->instance);
	script_end(script);
}

struct azure_config *
config_of(const struct script *script)
{
	return &((struct rig *)script->instance)->config;
}
