/* SPDX-License-Identifier: Apache-2.0
 * times.c - names of buckets, each with a time. */
#include <stdio.h>
#include <string.h>

#include "minio.h"

#include "banned.h"

/* Of that name, else the one to overwrite: a free one, or the oldest. */
static size_t
times_find(const struct minio_times *times, const char *native, bool *out_found)
{
	size_t first = 0;

	for (size_t i = 0; i < MINIO_TIMES_MOST; i++) {
		*out_found = strcmp(times->list[i].native, native) == 0;
		if (*out_found)
			return i;
		if (times->list[i].ms < times->list[first].ms)
			first = i;
	}
	return first;
}

void
minio_times_set(struct minio_times *times, const char *native, int64_t ms)
{
	bool found;
	size_t i;

	pthread_mutex_lock(&times->mutex);
	i = times_find(times, native, &found);
	(void)snprintf(times->list[i].native, sizeof times->list[i].native, "%s", native);
	times->list[i].ms = ms;
	pthread_mutex_unlock(&times->mutex);
}

int64_t
minio_times_get(struct minio_times *times, const char *native)
{
	int64_t ms;
	bool found;
	size_t i;

	pthread_mutex_lock(&times->mutex);
	i = times_find(times, native, &found);
	ms = found ? times->list[i].ms : 0;
	pthread_mutex_unlock(&times->mutex);
	return ms;
}

void
minio_times_drop(struct minio_times *times, const char *native)
{
	bool found;
	size_t i;

	pthread_mutex_lock(&times->mutex);
	i = times_find(times, native, &found);
	if (found)
		memset(&times->list[i], 0, sizeof times->list[i]);
	pthread_mutex_unlock(&times->mutex);
}
