/* SPDX-License-Identifier: Apache-2.0
 * list.c - the list handler: every record that bears an owner's mark. */
#include <errno.h>
#include <string.h>

#include "dir.h"
#include "record.h"

#include "banned.h"

struct list {
	const struct posix *posix;
	struct cosi_call *call;
	const char *owner;
	int (*found)(struct cosi_call *, const struct cosi_found *);
	uint32_t kind;
};
enum { GO_ON = 0, STOP = 1 };

/* "photos.json" -> "photos"; NULL: not a record, but a file that is being written. */
static const char *
record_name(struct cosi_call *call, const char *file)
{
	size_t len = strlen(file), suffix = strlen(".json");

	if (file[0] == '.' || len <= suffix || strcmp(file + len - suffix, ".json") != 0)
		return NULL;
	return cosi_printf(call, "%.*s", (int)(len - suffix), file);
}

static int
visit(const struct list *list, const char *name)
{
	json_auto_t *record = NULL;
	int64_t created;
	int stop;

	if (record_read(list->posix, list->call, list->kind, name, &record) < 0)
		return -1;
	if (record == NULL || strcmp(record_text(record, "owner"), list->owner) != 0)
		return GO_ON;
	created = json_integer_value(json_object_get(record, "created"));
	stop = list->found(list->call,
			   COSI_FOUND(.kind = list->kind, .native = name, .created = created,
				      .mark = { list->owner, record_text(record, "name"),
						record_text(record, "params") }));
	return stop == 0 ? GO_ON : STOP;
}

static int
visit_all(const struct list *list)
{
	SCOPE_DIR DIR *dir = dir_of(record_dir(list->posix, list->kind));
	const char *file;
	int result = GO_ON;

	if (dir == NULL && errno == ENOENT)
		return GO_ON;
	if (dir == NULL)
		return posix_fail(list->call, errno, "list", list->posix->instance->config->root);
	while (result == GO_ON && (file = dir_next(dir)) != NULL) {
		const char *name = record_name(list->call, file);

		if (list->call->host->time_left_ms(list->call) <= 0)
			return cosi_fail(list->call, COSI_TIMEOUT, "cannot list: the time is up");
		if (name != NULL)
			result = visit(list, name);
	}
	if (result == GO_ON && errno != 0)
		return posix_fail(list->call, errno, "list", list->posix->instance->config->root);
	return result;
}

int
posix_list(void *instance, struct cosi_call *call, const char *owner,
	   int (*found)(struct cosi_call *, const struct cosi_found *))
{
	SCOPE_ROOT struct posix posix = posix_enter(instance, call);
	struct list list = { .posix = &posix, .call = call, .owner = owner, .found = found };
	int result;

	if (posix.root < 0)
		return -1;
	list.kind = COSI_BUCKET;
	result = visit_all(&list);
	if (result != GO_ON)
		return result < 0 ? -1 : 0;
	list.kind = COSI_ACCOUNT;
	return visit_all(&list) < 0 ? -1 : 0;
}
