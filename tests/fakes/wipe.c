/* SPDX-License-Identifier: Apache-2.0
 * wipe.c - reads what /proc/self/maps names as anonymous and writable.
 *
 * It allocates nothing, because that could overwrite what it looks for.
 */
#include "fakes/wipe.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "banned.h"

enum { TAIL = 32, CHUNK = 1 << 20, MAPS_MOST = 1 << 20 };

/* All of this program's own, in one mapping that is left out. */
static struct wipe {
	char secret[WIPE_LEN + 1];
	char tail[TAIL]; /* of what is looked for */
	char maps[MAPS_MOST];
	char chunk[TAIL + CHUNK];
} * own;

const char *
wipe_secret(void)
{
	static const char digits[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	uint32_t state = 2463534242u;

	if (own != NULL)
		return own->secret;
	own = mmap(NULL, sizeof *own, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (own == MAP_FAILED)
		abort();
	for (size_t i = 0; i < WIPE_LEN; i++) {
		state ^= state << 13;
		state ^= state >> 17;
		state ^= state << 5;
		own->secret[i] = digits[state % (sizeof digits - 1)];
	}
	memcpy(own->tail, own->secret + WIPE_LEN - TAIL, TAIL);
	return own->secret;
}

void
wipe_look_for(const void *bytes, size_t len)
{
	(void)wipe_secret();
	if (len < TAIL)
		abort();
	memcpy(own->tail, (const char *)bytes + len - TAIL, TAIL);
}

static size_t
count_in(const char *bytes, size_t len)
{
	size_t n = 0;

	for (const char *at; (at = memmem(bytes, len, own->tail, TAIL)) != NULL; n++) {
		len -= (size_t)(at + 1 - bytes);
		bytes = at + 1;
	}
	return n;
}

/* Pages that cannot be read, as those of a sanitizer's gaps, are passed over. */
static size_t
count_range(int mem, uintptr_t begin, uintptr_t end)
{
	size_t kept = 0, n = 0;

	for (uintptr_t at = begin; at < end;) {
		size_t most = end - at < CHUNK ? end - at : CHUNK;
		ssize_t got = pread(mem, own->chunk + kept, most, (off_t)at);

		if (got <= 0) {
			kept = 0;
			at += 4096;
			continue;
		}
		n += count_in(own->chunk, kept + (size_t)got);
		at += (size_t)got;
		/* The next chunk begins with what may be the beginning of one, and is no whole. */
		got += (ssize_t)kept;
		kept = (size_t)got < TAIL - 1 ? (size_t)got : TAIL - 1;
		memmove(own->chunk, own->chunk + got - kept, kept);
	}
	return n;
}

size_t
wipe_count(void)
{
	int maps = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	int mem = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
	size_t len = 0, n = 0;
	ssize_t got;

	(void)wipe_secret();
	if (maps < 0 || mem < 0)
		abort();
	while ((got = read(maps, own->maps + len, MAPS_MOST - 1 - len)) > 0)
		len += (size_t)got;
	own->maps[len] = '\0';
	for (char *line = own->maps, *next; *line != '\0'; line = next) {
		unsigned long begin, end;
		char mode[5];
		int path = 0;

		next = strchr(line, '\n');
		if (next == NULL)
			abort(); /* MAPS_MOST is too little */
		*next++ = '\0';
		if (sscanf(line, "%lx-%lx %4s %*s %*s %*s %n", &begin, &end, mode, &path) != 3)
			abort();
		/* A sanitizer's shadow has terabytes, and nothing of the program's. */
		if (mode[0] != 'r' || mode[1] != 'w' || end - begin > 1ul << 32 ||
		    (line[path] != '\0' && strcmp(line + path, "[heap]") != 0))
			continue;
		if (begin <= (uintptr_t)own && (uintptr_t)own < end) {
			n += count_range(mem, begin, (uintptr_t)own);
			begin = (uintptr_t)own + sizeof *own;
		}
		n += count_range(mem, begin, end);
	}
	(void)close(maps);
	(void)close(mem);
	return n;
}

enum { STACK_SIZE = 1 << 20, STACK_GAP = 1 << 16 };

static void *stack;

struct wipe_job {
	void (*fn)(void *);
	void *arg;
};

static void *
wipe_thread(void *arg)
{
	const struct wipe_job *job = arg;
	char gap[STACK_GAP]; /* what ends the thread overwrites this at most */

	__asm__ volatile("" : : "r"(gap) : "memory");
	job->fn(job->arg);
	return NULL;
}

void
wipe_run(void (*fn)(void *), void *arg)
{
	struct wipe_job job = { fn, arg };
	pthread_attr_t attributes;
	pthread_t thread;

	if (stack == NULL)
		stack = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			     -1, 0);
	if (stack == MAP_FAILED)
		abort();
	explicit_bzero(stack, STACK_SIZE);
	(void)pthread_attr_init(&attributes);
	if (pthread_attr_setstack(&attributes, stack, STACK_SIZE) != 0 ||
	    pthread_create(&thread, &attributes, wipe_thread, &job) != 0 ||
	    pthread_join(thread, NULL) != 0)
		abort();
	(void)pthread_attr_destroy(&attributes);
}

bool
wipe_stack_has(const void *bytes, size_t len)
{
	return memmem(stack, STACK_SIZE, bytes, len) != NULL;
}
