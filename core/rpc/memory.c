/* SPDX-License-Identifier: Apache-2.0
 * memory.c - reads what is resident, returns what is free, judges the difference. */
#include "rpc/memory.h"

#include <fcntl.h>
#include <linux/sockios.h>
#include <malloc.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "base/parse.h"
#include "rpc/limits.h"

#include "banned.h"

/* Freed memory that is not worth a system call, and how often it is looked for. */
enum { TRIM_BYTES = 32 << 20, TRIM_EVERY_MS = 15000 };
/* What a client begins is read at once; what a flood sends waits in its socket. */
enum { UNREAD_BYTES = 4096 };
/* Whoever connects makes the accepting thread look oftener than that. */
enum { LOOK_EVERY_MS = 250, LOG_EVERY_MS = 60000 };

/* Bytes; 0: it cannot be told. */
static size_t
resident(void)
{
	CLEANUP_FD int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	char text[128], *rest = text, *pages;
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
	int64_t npages;

	if (n <= 0)
		return 0;
	text[n] = '\0';
	(void)strsep(&rest, " "); /* the size; what is resident is the second word (proc(5)) */
	pages = strsep(&rest, " ");
	if (pages == NULL || parse_int(pages, &npages) != 0)
		return 0;
	return (size_t)npages * (size_t)sysconf(_SC_PAGESIZE);
}

void
memory_init(struct memory *memory)
{
	*memory = (struct memory){ .base = resident() };
}

/* It was not what clients have sent. */
static void
rebase(struct memory *memory, size_t bytes)
{
	log_warning("the daemon has grown from %zu to %zu MiB, and not by what clients have sent",
		    memory->base >> 20, bytes >> 20);
	memory->base = bytes;
	memory->nover = 0;
}

enum memory_verdict
memory_judge(struct memory *memory, size_t bytes)
{
	bool grows = bytes > memory->last;

	memory->last = bytes;
	if (bytes <= memory->base + LIMIT_GROWTH) {
		memory->nover = 0;
		return MEMORY_FITS;
	}
	if (memory->nover++ == 0) {
		memory->ngrown = 0;
		return MEMORY_SUSPECTS;
	}
	memory->ngrown += grows;
	if (memory->nover > 2 * MEMORY_PATIENCE)
		rebase(memory, bytes);
	else if (memory->nover == MEMORY_PATIENCE || (grows && memory->ngrown > MEMORY_GROWTHS))
		return MEMORY_ALL;
	else if (grows)
		return MEMORY_SUSPECTS;
	return MEMORY_FITS;
}

static bool
is_suspect(const struct place *place)
{
	CLEANUP_FD int fd = place_copy(place);
	int nunread;

	return fd >= 0 && ioctl(fd, SIOCINQ, &nunread) == 0 && nunread >= UNREAD_BYTES;
}

static void
tell(struct memory *memory, size_t ncut, const struct ucred *first, int64_t now_ms)
{
	if (memory->told_ms != 0 && now_ms - memory->told_ms < LOG_EVERY_MS)
		return;
	memory->told_ms = now_ms;
	log_warning("closing %zu connections, the first of user %u, process %d: what clients have "
		    "sent made the daemon grow by more than %d MiB",
		    ncut, first->uid, first->pid, LIMIT_GROWTH >> 20);
}

void
memory_relieve(struct memory *memory, const struct places *places, enum memory_verdict verdict,
	       int64_t now_ms)
{
	struct ucred first = { .uid = (uid_t)-1 };
	socklen_t len = sizeof first;
	size_t ncut = 0;

	for (size_t i = 0; verdict != MEMORY_FITS && i < places->n; i++) {
		const struct place *place = &places->table[i];

		if (place->fd < 0 || places_waits(place) ||
		    (verdict == MEMORY_SUSPECTS && !is_suspect(place)))
			continue;
		if (ncut++ == 0)
			(void)getsockopt(place->fd, SOL_SOCKET, SO_PEERCRED, &first, &len);
		place_cut(place);
	}
	if (ncut > 0)
		tell(memory, ncut, &first, now_ms);
}

/* What connections took that sent without end stays with malloc() when they have gone (measured:
 * hundreds of MiB). */
static void
trim(struct memory *memory, int64_t now_ms)
{
	if (now_ms - memory->trimmed_ms < TRIM_EVERY_MS)
		return;
	memory->trimmed_ms = now_ms;
	if (mallinfo2().fordblks > TRIM_BYTES)
		(void)malloc_trim(0);
}

void
memory_look(struct memory *memory, const struct places *places, int64_t now_ms)
{
	size_t bytes;

	if (now_ms < memory->due_ms)
		return;
	memory->due_ms = now_ms + LOOK_EVERY_MS;
	trim(memory, now_ms);
	bytes = resident();
	if (bytes > memory->base + LIMIT_GROWTH) {
		(void)malloc_trim(0);
		bytes = resident();
	}
#ifdef COSID_SANITIZED /* its allocator keeps what was freed */
	bytes = memory->base;
#endif
	memory_relieve(memory, places, memory_judge(memory, bytes), now_ms);
}
