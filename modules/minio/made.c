/* SPDX-License-Identifier: Apache-2.0
 * made.c - a short table of the buckets that this instance is creating. */
#include <stdio.h>
#include <string.h>

#include "minio.h"

#include "banned.h"

/* Of that name, else the one to overwrite. */
static size_t
made_find(const struct minio_made *made, const char *native, bool *out_found)
{
	size_t first = 0;

	for (size_t i = 0; i < MINIO_MADE_MOST; i++) {
		*out_found = strcmp(made->list[i].native, native) == 0;
		if (*out_found)
			return i;
		if (made->list[i].until_ms < made->list[first].until_ms)
			first = i;
	}
	return first;
}

void
minio_made_add(struct minio_made *made, const char *native, int64_t until_ms)
{
	bool found;
	size_t i;

	pthread_mutex_lock(&made->mutex);
	i = made_find(made, native, &found);
	(void)snprintf(made->list[i].native, sizeof made->list[i].native, "%s", native);
	made->list[i].until_ms = until_ms;
	pthread_mutex_unlock(&made->mutex);
}

bool
minio_made_has(struct minio_made *made, const char *native, int64_t now_ms)
{
	bool found;
	size_t i;

	pthread_mutex_lock(&made->mutex);
	i = made_find(made, native, &found);
	found = found && now_ms < made->list[i].until_ms;
	pthread_mutex_unlock(&made->mutex);
	return found;
}

void
minio_made_remove(struct minio_made *made, const char *native)
{
	bool found;
	size_t i;

	pthread_mutex_lock(&made->mutex);
	i = made_find(made, native, &found);
	if (found)
		memset(&made->list[i], 0, sizeof made->list[i]);
	pthread_mutex_unlock(&made->mutex);
}
