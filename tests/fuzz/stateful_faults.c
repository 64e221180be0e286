/* SPDX-License-Identifier: Apache-2.0
 * stateful_faults.c - preloaded into a daemon: each n-th of some system calls fails, as the test
 * says from outside.
 *
 * COSID_STATEFUL_FAULTS names a file of two numbers of 32 bits: n, 0 for none, and the errno value.
 * These calls are the posix module's alone.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "banned.h"

#define EXPORTED __attribute__((visibility("default")))

static const volatile uint32_t *control; /* mapped; NULL: no faults */
static atomic_uint ncalls;

__attribute__((constructor)) static void
map_control(void)
{
	const char *path = getenv("COSID_STATEFUL_FAULTS");
	int fd = path != NULL ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	void *mapped;

	if (fd < 0)
		return;
	mapped = mmap(NULL, 8, PROT_READ, MAP_SHARED, fd, 0);
	(void)close(fd);
	if (mapped != MAP_FAILED)
		control = mapped;
}

static bool
is_struck(void)
{
	uint32_t every = control != NULL ? control[0] : 0;

	if (every == 0 || atomic_fetch_add(&ncalls, 1) % every != 0)
		return false;
	errno = (int)control[1];
	return true;
}

/* The next one in the order of the loader. */
#define REAL(function) ((__typeof__(&function))(uintptr_t)dlsym(RTLD_NEXT, #function))

EXPORTED int
fsync(int fd)
{
	return is_struck() ? -1 : REAL(fsync)(fd);
}

EXPORTED int
renameat(int from_dir, const char *from, int to_dir, const char *to)
{
	return is_struck() ? -1 : REAL(renameat)(from_dir, from, to_dir, to);
}

EXPORTED int
mkdirat(int dir, const char *path, mode_t mode)
{
	return is_struck() ? -1 : REAL(mkdirat)(dir, path, mode);
}

EXPORTED int
unlinkat(int dir, const char *path, int flags)
{
	return is_struck() ? -1 : REAL(unlinkat)(dir, path, flags);
}
