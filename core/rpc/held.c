/* SPDX-License-Identifier: Apache-2.0
 * held.c - counts calls by their connection's descriptor, and shuts down connections. */
#include "rpc/held.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "rpc/limits.h"

#include "banned.h"

enum { GROWN_BY = 64 };

void
held_init(struct held *held)
{
	*held = (struct held){ 0 };
	pthread_mutex_init(&held->mutex, NULL);
}

void
held_done(struct held *held)
{
	pthread_mutex_destroy(&held->mutex);
	free(held->by);
	held->by = NULL;
}

/* NULL: no memory. */
static struct held_by *
find(struct held *held, int fd)
{
	size_t n = (size_t)fd + GROWN_BY;
	struct held_by *by;

	if (fd < 0)
		return NULL;
	if ((size_t)fd < held->nby)
		return &held->by[fd];
	by = realloc(held->by, n * sizeof *by);
	if (by == NULL)
		return NULL;
	memset(by + held->nby, 0, (n - held->nby) * sizeof *by);
	held->by = by;
	held->nby = n;
	return &by[fd];
}

void
held_expect(struct held *held, int fd)
{
	LOCK_SCOPE(&held->mutex);
	struct held_by *by = find(held, fd);

	if (by != NULL)
		*by = (struct held_by){ .nexpected = by->nexpected + 1 };
}

void
held_arrive(struct held *held, int fd, int64_t now_ms)
{
	LOCK_SCOPE(&held->mutex);
	struct held_by *by = find(held, fd);

	if (by == NULL || by->nexpected == 0)
		return;
	by->nexpected--;
	by->since_ms = now_ms;
}

static void
cut(struct held *held, int fd, int64_t now_ms)
{
	struct held_by *by = &held->by[fd];
	struct ucred who = { .uid = (uid_t)-1 };
	socklen_t len = sizeof who;

	by->cut = true;
	held->ncalls -= by->ncalls;
	(void)getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &len);
	if (peers_should_log(&held->cuts, who.uid, now_ms))
		log_warning("closing a connection of user %u, process %d: it holds %u calls, whose "
			    "answers it may not have read",
			    who.uid, who.pid, by->ncalls);
	(void)shutdown(fd, SHUT_RDWR);
}

static int
find_heaviest(const struct held *held)
{
	size_t heaviest = 0;
	unsigned most = 0;

	for (size_t i = 0; i < held->nby; i++) {
		const struct held_by *by = &held->by[i];

		if (by->cut || by->ncalls <= most)
			continue;
		most = by->ncalls;
		heaviest = i;
	}
	return (int)heaviest;
}

int
held_add(struct held *held, int fd, int64_t now_ms)
{
	LOCK_SCOPE(&held->mutex);
	struct held_by *by = find(held, fd);

	if (by == NULL)
		return -1;
	by->ncalls++;
	by->nmoves++;
	if (by->cut)
		return 0;
	held->ncalls++;
	if (by->ncalls > LIMIT_UNFINISHED)
		cut(held, fd, now_ms);
	else if (held->ncalls > LIMIT_UNFINISHED_ALL)
		cut(held, find_heaviest(held), now_ms);
	return 0;
}

void
held_remove(struct held *held, int fd, int64_t now_ms)
{
	LOCK_SCOPE(&held->mutex);
	struct held_by *by = &held->by[fd];

	by->ncalls--;
	by->nmoves++;
	by->since_ms = now_ms;
	if (!by->cut)
		held->ncalls--;
}

int64_t
held_idle_since(struct held *held, int fd)
{
	LOCK_SCOPE(&held->mutex);
	const struct held_by *by = find(held, fd);

	if (by == NULL)
		return CLOCK_NEVER;
	return by->ncalls > 0 || by->nexpected > 0 ? CLOCK_NEVER : by->since_ms;
}

unsigned
held_moves(struct held *held, int fd)
{
	LOCK_SCOPE(&held->mutex);
	const struct held_by *by = find(held, fd);

	return by != NULL ? by->nmoves : 0;
}
