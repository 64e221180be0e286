/* SPDX-License-Identifier: Apache-2.0
 * name.c - names of containers and accounts.
 *
 * Source of the container's rules: "Naming and referencing containers, blobs, and metadata" (REST
 * reference).  $root, $logs and $web break them, and belong to the storage account itself.
 */
#include <string.h>

#include "azure.h"
#include "policy.h"

#include "banned.h"

enum { CONTAINER_NAME_MIN = 3, CONTAINER_NAME_MAX = 63 };

/* NULL: a container can have it. */
static const char *
azure_broken_rule(const char *name)
{
	size_t len = strlen(name);

	if (len < CONTAINER_NAME_MIN || len > CONTAINER_NAME_MAX)
		return "a name has 3 to 63 bytes";
	if (name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-")] != '\0')
		return "a name has only a-z, 0-9 and '-'";
	if (name[0] == '-' || name[len - 1] == '-')
		return "a name begins and ends with a letter or a digit";
	if (strstr(name, "--") != NULL)
		return "a name has no two '-' side by side";
	return NULL;
}

bool
azure_name_is_container(const char *name)
{
	return azure_broken_rule(name) == NULL;
}

bool
azure_name_is_account(const char *native)
{
	return strlen(native) <= POLICY_ACCOUNT_MAX && rest_is_account(native);
}

const char *
azure_map_name(void *instance, struct cosi_call *call, uint32_t kind, const char *asked, bool exact)
{
	static const struct rest_names containers = { "container", CONTAINER_NAME_MAX, true };
	static const struct rest_names accounts = { "account", POLICY_ACCOUNT_MAX, true };

	(void)instance;
	if (kind == COSI_BUCKET)
		return rest_name_map(call, &containers, asked, azure_broken_rule(asked), exact);
	return strlen(asked) <= POLICY_ACCOUNT_MAX ? asked
						   : rest_name_shorten(call, &accounts, asked);
}
