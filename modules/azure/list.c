/* SPDX-License-Identifier: Apache-2.0
 * list.c - every container and account of one owner.
 *
 * The list of containers has their owners; each container's own list of policies has those of its
 * accounts, regardless of the container's owner: access can be granted to existing containers.
 */
#include <string.h>

#include "azure.h"
#include "edit.h"
#include "policy.h"
#include "text/text.h"

#include "banned.h"

typedef int azure_found_fn(struct cosi_call *, const struct cosi_found *);

struct azure_listing {
	struct edit edit; /* first */
	const struct azure *azure;
	const char *owner;
	azure_found_fn *found;
	bool enough;
};

/* A value of metadata; one that cannot be decoded stays as it is. */
static const char *
list_decode(struct cosi_call *call, const char *value)
{
	char *text;

	if (value == NULL)
		return NULL;
	text = cosi_printf(call, "%s", value);
	return uri_decode(text, strlen(text)) >= 0 ? text : value;
}

static enum edit_verdict
list_judge(struct cosi_call *call, struct edit *edit, struct acl *acl, const char **more)
{
	struct azure_listing *list = (struct azure_listing *)edit;
	const char *account;

	(void)more;
	for (size_t i = 0; i < acl->n && !list->enough; i++)
		if (policy_is_owned(call, acl->policies[i].id, list->owner, &account))
			list->enough =
				list->found(call,
					    COSI_FOUND(.kind = COSI_ACCOUNT, .native = account,
						       .mark = { .owner = list->owner })) != 0;
	return EDIT_KEEP;
}

static int
list_container(void *arg, struct cosi_call *call, const struct azure_container *container)
{
	struct azure_listing *list = arg;
	const char *owner = list_decode(call, container->owner);

	if (owner != NULL && strcmp(owner, list->owner) == 0)
		list->enough =
			list->found(call,
				    COSI_FOUND(.kind = COSI_BUCKET, .native = container->name,
					       .mark = { list->owner,
							 list_decode(call, container->request),
							 container->params })) != 0;
	if (list->enough)
		return 1;
	list->edit = (struct edit){ .container = container->name, .judge = list_judge };
	if (edit_policies(list->azure, call, &list->edit) < 0)
		return cosi_fail(call, 0, "cannot read the policies of container '%s'",
				 container->name);
	return list->enough ? 1 : 0;
}

int
azure_list(void *instance, struct cosi_call *call, const char *owner, azure_found_fn *found)
{
	struct azure_listing list = { .azure = instance, .owner = owner, .found = found };

	if (azure_each_container(instance, call, list_container, &list) < 0)
		return cosi_fail(call, 0, "cannot list the storage account");
	return 0;
}
