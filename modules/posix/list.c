/* SPDX-License-Identifier: Apache-2.0
 * list.c - the list handler: every record of one owner. */
#include <errno.h>
#include <string.h>

#include "record.h"

#include "banned.h"

struct fs_listing {
	const struct fs *fs;
	struct cosi_call *call;
	const char *owner;
	int (*found)(struct cosi_call *, const struct cosi_found *);
};
enum { LIST_MORE = 0, LIST_STOP = 1 };

static int
fs_list_record(const struct fs_listing *list, uint32_t kind, const char *name)
{
	json_auto_t *record = NULL;
	int64_t created;

	if (record_read(list->fs, list->call, kind, name, &record) < 0)
		return -1;
	if (record == NULL || strcmp(record_text(record, "owner"), list->owner) != 0)
		return LIST_MORE;
	created = json_integer_value(json_object_get(record, "created"));
	return list->found(list->call,
			   COSI_FOUND(.kind = kind, .native = name, .created = created,
				      .mark = { list->owner, record_text(record, "name"),
						record_text(record, "params") })) == 0
		       ? LIST_MORE
		       : LIST_STOP;
}

static int
fs_list_kind(const struct fs_listing *list, uint32_t kind)
{
	CLEANUP_DIR DIR *dir = fs_open_dir(record_dir(list->fs, kind));
	const char *root = list->fs->instance->config->root, *file;
	size_t suffix = strlen(".json");
	int rc = LIST_MORE;

	if (dir == NULL)
		return errno == ENOENT ? LIST_MORE : fs_fail(list->call, errno, "list", root);
	while (rc == LIST_MORE && (file = fs_next_name(dir)) != NULL) {
		size_t len = strlen(file);

		if (list->call->host->time_left_ms(list->call) <= 0)
			return cosi_fail(list->call, COSI_TIMEOUT,
					 "cannot list '%s': the deadline has passed", root);
		/* A name with a leading dot is a record that is being written. */
		if (file[0] != '.' && len > suffix && strcmp(file + len - suffix, ".json") == 0)
			rc = fs_list_record(
				list, kind,
				cosi_printf(list->call, "%.*s", (int)(len - suffix), file));
	}
	if (rc == LIST_MORE && errno != 0)
		return fs_fail(list->call, errno, "list", root);
	return rc;
}

int
fs_list(void *instance, struct cosi_call *call, const char *owner,
	int (*found)(struct cosi_call *, const struct cosi_found *))
{
	CLEANUP_ROOT struct fs fs = fs_open_root(instance, call);
	const struct fs_listing list = { &fs, call, owner, found };
	int rc;

	if (fs.root < 0)
		return -1;
	rc = fs_list_kind(&list, COSI_BUCKET);
	if (rc == LIST_MORE)
		rc = fs_list_kind(&list, COSI_ACCOUNT);
	return rc < 0 ? -1 : 0;
}
