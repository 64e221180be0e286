/* SPDX-License-Identifier: Apache-2.0
 * trust.c - follows a path as the kernel does, and looks at each name on the way. */
#include "base/trust.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/parse.h"

#include "banned.h"

enum { LINKS_MAX = 40 }; /* the kernel's */

/* A service of systemd (systemd.exec(5), $INVOCATION_ID) can have a sandbox that makes the mounts
 * read-only for it alone (ProtectSystem=strict): others can write to them all the same. */
static bool
is_mounted_read_only(const char *path)
{
	struct statvfs fs;

	return getenv("INVOCATION_ID") == NULL && statvfs(path, &fs) == 0 &&
	       (fs.f_flag & ST_RDONLY) != 0;
}

/* The nth number in the file's first line; otherwise, when there is none. */
static int64_t
read_number(const char *path, unsigned nth, int64_t otherwise)
{
	CLEANUP_FILE FILE *file = fopen(path, "re");
	char line[64], *rest = line, *word = NULL;
	int64_t number;

	if (file == NULL || fgets(line, sizeof line, file) == NULL)
		return otherwise;
	for (unsigned i = 0; i < nth; i++)
		word = strtok_r(i == 0 ? line : NULL, " \t\n", &rest);
	return word != NULL && parse_int(word, &number) == 0 ? number : otherwise;
}

/* A user namespace shows all users that it does not map as one, which may be cosid's own, too. */
static bool
may_be_unmapped(uid_t uid)
{
	/* Outside of such a namespace all are mapped. */
	return uid == read_number("/proc/sys/kernel/overflowuid", 1, 65534) &&
	       read_number("/proc/self/uid_map", 3, 0) != UINT32_MAX;
}

static int
check_name(const char *path, const struct stat *st, struct status *status)
{
	bool is_dir = S_ISDIR(st->st_mode), sticky = is_dir && (st->st_mode & S_ISVTX) != 0;

	if (st->st_uid != 0 && may_be_unmapped(st->st_uid))
		return status_fail(status, COSI_DENIED,
				   "'%s' belongs to user %u, which is any user that cosid's user "
				   "namespace does not map: map root and the owner",
				   path, st->st_uid);
	if (st->st_uid != 0 && st->st_uid != geteuid())
		return status_fail(status, COSI_DENIED,
				   "'%s' belongs to user %u, not to root or to user %u, which "
				   "cosid runs as: chown it",
				   path, st->st_uid, geteuid());
	if ((st->st_mode & 022) == 0 || (!is_dir && !S_ISREG(st->st_mode)) || sticky ||
	    is_mounted_read_only(path))
		return 0;
	return status_fail(
		status, COSI_DENIED,
		"users other than its owner may write to '%s' (mode %04o): chmod go-w it", path,
		st->st_mode & 07777);
}

/* Is path[0..len) a directory above the program?  Who can write there can replace the program. */
static bool
is_above_program(const char *path, size_t len)
{
	char program[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", program, sizeof program);

	return n > 0 && (size_t)n > len && memcmp(path, program, len) == 0 &&
	       (len == 1 || program[len] == '/');
}

static int
check_way(const char *path, unsigned nlinks, struct status *status)
{
	char target[PATH_MAX];
	struct stat st;

	/* "/", then all up to the next slash, last the whole. */
	for (size_t len = 1, next; len > 0; len = next) {
		CLEANUP_FREE char *name = strndup(path, len);
		CLEANUP_FREE char *leads = NULL;
		ssize_t n;

		next = path[len] == '\0' ? 0 : len + 1 + strcspn(path + len + 1, "/");
		if (name == NULL)
			return status_no_memory(status);
		if (lstat(name, &st) != 0)
			return 0;
		if (!is_above_program(path, len) && check_name(name, &st, status) < 0)
			return -1;
		n = S_ISLNK(st.st_mode) ? readlink(name, target, sizeof target) : 0;
		if (n <= 0 || nlinks == LINKS_MAX)
			continue;
		if (asprintf(&leads, "%.*s%.*s",
			     target[0] == '/' ? 0 : (int)(strrchr(name, '/') + 1 - name), name,
			     (int)n, target) < 0) {
			leads = NULL;
			return status_no_memory(status);
		}
		if (check_way(leads, nlinks + 1, status) < 0)
			return -1;
	}
	return 0;
}

int
trust_check(const char *path, struct status *status)
{
	CLEANUP_FREE char *here = path[0] != '/' ? getcwd(NULL, 0) : NULL;
	CLEANUP_FREE char *whole = NULL;

	if (asprintf(&whole, "%s%s%s", here != NULL ? here : "", here != NULL ? "/" : "", path) <
	    0) {
		whole = NULL;
		return status_no_memory(status);
	}
	/* Below no directory that has a name there is nothing to follow. */
	return whole[0] == '/' ? check_way(whole, 0, status) : 0;
}
