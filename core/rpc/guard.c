/* SPDX-License-Identifier: Apache-2.0
 * guard.c - looks at what is resident and at what is unread, and cuts. */
#include "rpc/guard.h"

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
_Static_assert(LIMIT_GROWTH == 256 << 20 && LIMIT_STALL_MS == 5000, "what is logged");
/* Whoever connects makes the accepting thread look oftener than that. */
enum { LOOK_EVERY_MS = 200, LOG_EVERY_MS = 60000 };

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
guard_init(struct guard *guard)
{
	*guard = (struct guard){ .base = resident() };
}

/* It was not what clients have sent. */
static void
rebase(struct guard *guard, size_t bytes)
{
	log_warning("the daemon has grown from %zu to %zu MiB, and not by what clients have sent",
		    guard->base >> 20, bytes >> 20);
	guard->base = bytes;
	guard->nover = 0;
}

enum guard_verdict
guard_judge(struct guard *guard, size_t bytes)
{
	bool grows = bytes > guard->last;

	guard->last = bytes;
	if (bytes <= guard->base + LIMIT_GROWTH) {
		guard->nover = 0;
		return GUARD_FINE;
	}
	if (guard->nover++ == 0) {
		guard->ngrown = 0;
		return GUARD_SUSPECTS;
	}
	guard->ngrown += grows;
	if (guard->nover > 2 * GUARD_PATIENCE)
		rebase(guard, bytes);
	else if (guard->nover == GUARD_PATIENCE || (grows && guard->ngrown > GUARD_GROWTHS))
		return GUARD_ALL;
	else if (grows)
		return GUARD_SUSPECTS;
	return GUARD_FINE;
}

static bool
is_suspect(const struct place *place)
{
	CLEANUP_FD int fd = place_copy(place);
	int nunread;

	return fd >= 0 && ioctl(fd, SIOCINQ, &nunread) == 0 && nunread >= UNREAD_BYTES;
}

/* False: the core has closed it already. */
static bool
find_peer(const struct place *place, struct ucred *out)
{
	CLEANUP_FD int fd = place_copy(place);
	socklen_t len = sizeof *out;

	return fd >= 0 && getsockopt(fd, SOL_SOCKET, SO_PEERCRED, out, &len) == 0;
}

static void
tell(struct guard *guard, size_t ncut, const struct ucred *first, const char *why, int64_t now_ms)
{
	if (guard->told_ms != 0 && now_ms - guard->told_ms < LOG_EVERY_MS)
		return;
	guard->told_ms = now_ms;
	log_warning("closing %zu connections, the first of user %u, process %d: what clients have "
		    "sent %s",
		    ncut, first->uid, first->pid, why);
}

void
guard_relieve(struct guard *guard, const struct places *places, enum guard_verdict verdict,
	      int64_t now_ms)
{
	struct ucred first, each;
	size_t ncut = 0;

	if (verdict == GUARD_FINE)
		return;
	for (size_t i = 0; i < places->n; i++) {
		const struct place *place = &places->table[i];

		if (place->fd < 0 || places_waits(place) ||
		    (verdict == GUARD_SUSPECTS && !is_suspect(place)) || !find_peer(place, &each))
			continue;
		if (ncut++ == 0)
			first = each;
		place_cut(place);
	}
	if (ncut > 0)
		tell(guard, ncut, &first, "made the daemon grow by more than 256 MiB", now_ms);
}

/* Says whether it is to be cut. */
static bool
is_stuck(const struct places *places, struct place *place, int64_t now_ms)
{
	unsigned nmoves = places->moves(places->owner, place->fd);

	if (!is_suspect(place) || nmoves != place->nmoves) {
		place->nmoves = nmoves;
		place->stuck_ms = 0;
		return false;
	}
	if (place->stuck_ms == 0)
		place->stuck_ms = now_ms;
	return now_ms - place->stuck_ms >= LIMIT_STALL_MS;
}

void
guard_unstick(struct guard *guard, const struct places *places, int64_t now_ms)
{
	for (size_t i = 0; i < places->n; i++) {
		struct place *place = &places->table[i];
		struct ucred who;

		if (place->fd < 0 || places_waits(place) || !is_stuck(places, place, now_ms) ||
		    !find_peer(place, &who))
			continue;
		tell(guard, 1, &who, "was not read to its end for 5 s", now_ms);
		place_cut(place);
	}
}

/* What connections took that sent without end stays with malloc() when they have gone (measured:
 * hundreds of MiB). */
static void
trim(struct guard *guard, int64_t now_ms)
{
	if (now_ms - guard->trimmed_ms < TRIM_EVERY_MS)
		return;
	guard->trimmed_ms = now_ms;
	if (mallinfo2().fordblks > TRIM_BYTES)
		(void)malloc_trim(0);
}

/* What counts as resident, when all is given back that is free.  What malloc() did not get cannot
 * be what clients have sent: a module has mapped it, or it is valgrind's own. */
static size_t
measure(struct guard *guard)
{
#ifdef COSID_SANITIZED /* its allocator keeps what was freed */
	return guard->base;
#endif
	struct mallinfo2 info;
	size_t bytes = resident();

	if (bytes <= guard->base + LIMIT_GROWTH)
		return bytes;
	(void)malloc_trim(0);
	bytes = resident();
	info = mallinfo2();
	if (bytes > guard->base + LIMIT_GROWTH && info.arena + info.hblkhd < LIMIT_GROWTH)
		rebase(guard, bytes - (info.arena + info.hblkhd));
	return bytes;
}

void
guard_look(struct guard *guard, const struct places *places, int64_t now_ms)
{
	if (now_ms < guard->due_ms)
		return;
	guard->due_ms = now_ms + LOOK_EVERY_MS;
	trim(guard, now_ms);
	guard_relieve(guard, places, guard_judge(guard, measure(guard)), now_ms);
	guard_unstick(guard, places, now_ms);
}
