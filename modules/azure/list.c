/* SPDX-License-Identifier: Apache-2.0
 * list.c - every container and account that bears an owner's mark.
 *
 * Whose a container is comes with the list of them; whose its policies are, each container says in
 * an answer of its own, marked or not: access is granted to others' containers, too.
 */
#include <string.h>

#include "azure.h"
#include "edit.h"
#include "marks.h"
#include "policy.h"
#include "text/uri.h"
#include "walk.h"

#include "banned.h"

typedef int found_fn(struct cosi_call *, const struct cosi_found *);

struct listing {
	struct edit edit; /* first */
	const struct azure *azure;
	const char *owner;
	found_fn *found;
	bool enough;
};

/* As it was before it was encoded; what cannot be decoded stays as it is. */
static const char *
decoded(struct cosi_call *call, const char *mark)
{
	char *text;

	if (mark == NULL)
		return NULL;
	text = cosi_printf(call, "%s", mark);
	return uri_decode(text, strlen(text)) >= 0 ? text : mark;
}

static enum edit_verdict
judge(struct cosi_call *call, struct edit *edit, struct acl *acl, const char **more)
{
	struct listing *list = (struct listing *)edit;
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
list_one(void *arg, struct cosi_call *call, const struct container *container)
{
	struct listing *list = arg;
	const char *driver = decoded(call, container->driver);

	if (driver != NULL && strcmp(driver, list->owner) == 0)
		list->enough =
			list->found(call, COSI_FOUND(.kind = COSI_BUCKET, .native = container->name,
						     .mark = { list->owner,
							       decoded(call, container->request),
							       container->params })) != 0;
	if (list->enough)
		return 1;
	list->edit = (struct edit){ .container = container->name, .judge = judge };
	if (edit_policies(list->azure, call, &list->edit) != 0)
		return cosi_fail(call, 0, "cannot read the policies of container '%s'",
				 container->name);
	return list->enough ? 1 : 0;
}

int
azure_list(void *instance, struct cosi_call *call, const char *owner, found_fn *found)
{
	struct listing list = { .azure = instance, .owner = owner, .found = found };

	if (walk_containers(instance, call, list_one, &list) < 0)
		return cosi_fail(call, 0, "cannot list what is ours");
	return 0;
}
