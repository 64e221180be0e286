/* SPDX-License-Identifier: Apache-2.0
 * file.c - what may be loaded, and the copy of it.
 *
 * Every check is made on the descriptor that is then copied, so that nothing can be swapped in
 * between; the hash is that of the bytes written to the copy.
 */
#include "module/file.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "module/elf.h"

#include "banned.h"

enum { CHUNK = 64 << 10 };

static int
check_stat(const struct stat *st, struct status *status)
{
	if (S_ISDIR(st->st_mode))
		return status_fail(status, COSI_INVALID, "it is a directory");
	if (!S_ISREG(st->st_mode))
		return status_fail(status, COSI_INVALID, "it is not a regular file");
	if (st->st_uid != 0 && st->st_uid != geteuid())
		return status_fail(status, COSI_DENIED,
				   "it belongs to user %u, not to root or to the daemon's user",
				   st->st_uid);
	if ((st->st_mode & 022) != 0)
		return status_fail(status, COSI_DENIED, "others than its owner may write to it");
	if (st->st_size > MODULE_SIZE_MAX)
		return status_fail(status, COSI_INVALID, "it is larger than %d MiB",
				   MODULE_SIZE_MAX >> 20);
	return 0;
}

int
module_file_check(const char *path, int *out_fd, struct status *status)
{
	/* O_NONBLOCK: a FIFO must not hold the daemon. */
	CLEANUP_FD int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0)
		return status_fail(status, COSI_INVALID, "%s", strerrordesc_np(errno));
	if (check_stat(&st, status) != 0 || elf_check(fd, st.st_size, status) != 0)
		return -1;
	*out_fd = fd;
	fd = -1;
	return 0;
}

static int
write_all(int fd, const unsigned char *bytes, size_t len)
{
	while (len > 0) {
		ssize_t n = write(fd, bytes, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		bytes += n;
		len -= (size_t)n;
	}
	return 0;
}

/* out < 0: hash only. */
static int
copy_and_hash(int in, int out, EVP_MD_CTX *md, unsigned char *buffer, struct status *status)
{
	size_t total = 0;
	ssize_t n;

	while ((n = read(in, buffer, CHUNK)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return status_fail(status, COSI_INTERNAL, "cannot read it: %s",
					   strerrordesc_np(errno));
		total += (size_t)n;
		if (total > MODULE_SIZE_MAX)
			return status_fail(status, COSI_INVALID, "it is larger than %d MiB",
					   MODULE_SIZE_MAX >> 20);
		if (EVP_DigestUpdate(md, buffer, (size_t)n) != 1)
			return status_fail(status, COSI_INTERNAL, "cannot hash it");
		if (out >= 0 && write_all(out, buffer, (size_t)n) != 0)
			return status_fail(status, COSI_INTERNAL, "cannot write the copy: %s",
					   strerrordesc_np(errno));
	}
	return 0;
}

static int
digest(int in, int out, unsigned char *hash, struct status *status)
{
	CLEANUP_FREE unsigned char *buffer = malloc(CHUNK);
	EVP_MD_CTX *md = EVP_MD_CTX_new();
	int result = -1;

	if (buffer == NULL || md == NULL || EVP_DigestInit_ex(md, EVP_sha256(), NULL) != 1)
		(void)status_fail(status, COSI_INTERNAL, "cannot hash it");
	else if (copy_and_hash(in, out, md, buffer, status) == 0)
		result = EVP_DigestFinal_ex(md, hash, NULL) == 1
				 ? 0
				 : status_fail(status, COSI_INTERNAL, "cannot hash it");
	EVP_MD_CTX_free(md);
	return result;
}

static int
stage_copy(struct module_file *file, int in, const char *state_dir, struct status *status)
{
	/* The loader knows files by name for the life of the process: no name is used twice. */
	static atomic_uint serial;
	CLEANUP_FD int out = -1;

	if (asprintf(&file->path, "%s/%s.%u.so", state_dir, file->name,
		     atomic_fetch_add(&serial, 1) + 1) < 0) {
		file->path = NULL;
		return status_no_memory(status);
	}
	out = open(file->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (out < 0)
		return status_fail(status, COSI_INTERNAL, "cannot copy it to '%s': %s", file->path,
				   strerrordesc_np(errno));
	file->copied = true;
	if (digest(in, out, file->hash, status) != 0)
		return -1;
	/* Checked again: the file may have been cut or extended while it was read. */
	return elf_check(out, lseek(out, 0, SEEK_END), status);
}

#ifdef COSID_SANITIZED
/* Is this the first content that is loaded from there?  The loader gives no second one for a path
 * that it has open. */
static bool
is_first_from(const struct module_file *file)
{
	enum { MOST = 128 };
	static struct {
		char *source;
		unsigned char hash[MODULE_HASH_LEN];
	} known[MOST];
	size_t n = 0;

	while (n < MOST && known[n].source != NULL) {
		if (strcmp(known[n].source, file->source) == 0)
			return memcmp(known[n].hash, file->hash, MODULE_HASH_LEN) == 0;
		n++;
	}
	if (n == MOST)
		return false;
	known[n].source = strdup(file->source);
	memcpy(known[n].hash, file->hash, MODULE_HASH_LEN);
	return known[n].source != NULL;
}

/* By its own path where that works: reports name file and line only for what is still mapped from
 * where it was built. */
static int
stage(struct module_file *file, int in, const char *state_dir, struct status *status)
{
	if (digest(in, -1, file->hash, status) != 0)
		return -1;
	if (!is_first_from(file)) {
		if (lseek(in, 0, SEEK_SET) != 0)
			return status_fail(status, COSI_INTERNAL, "cannot read it: %s",
					   strerrordesc_np(errno));
		return stage_copy(file, in, state_dir, status);
	}
	file->path = strdup(file->source);
	return file->path != NULL ? 0 : status_no_memory(status);
}
#else
static int
stage(struct module_file *file, int in, const char *state_dir, struct status *status)
{
	return stage_copy(file, in, state_dir, status);
}
#endif

static bool
is_module_name(const char *name)
{
	size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-");

	return len > 0 && len <= MODULE_NAME_MAX && name[len] == '\0';
}

/* *out_fd is the source, which has stood all checks. */
static int
find_source(struct module_file *file, const char *module_dir, const char *name, int *out_fd,
	    struct status *status)
{
	*file = (struct module_file){ 0 };
	if (!is_module_name(name))
		return status_fail(status, COSI_INVALID,
				   "cannot load module '%s': a name is 1 to %d of a-z, 0-9 and '-'",
				   name, MODULE_NAME_MAX);
	file->name = strdup(name);
	if (asprintf(&file->source, "%s/%s.so", module_dir, name) < 0)
		file->source = NULL;
	if (file->name == NULL || file->source == NULL)
		return status_no_memory(status);
	return module_file_check(file->source, out_fd, status);
}

static int
give_up(struct module_file *file, struct status *status)
{
	if (file->name != NULL && file->source != NULL)
		(void)status_fail(status, 0, "cannot load module '%s' from '%s'", file->name,
				  file->source);
	module_file_done(file);
	return -1;
}

int
module_file_look(struct module_file *file, const char *module_dir, const char *name,
		 struct status *status)
{
	CLEANUP_FD int in = -1;

	if (find_source(file, module_dir, name, &in, status) == 0 &&
	    digest(in, -1, file->hash, status) == 0)
		return 0;
	return give_up(file, status);
}

int
module_file_stage(struct module_file *file, const char *module_dir, const char *state_dir,
		  const char *name, struct status *status)
{
	CLEANUP_FD int in = -1;

	if (find_source(file, module_dir, name, &in, status) == 0 &&
	    stage(file, in, state_dir, status) == 0)
		return 0;
	return give_up(file, status);
}

void
module_file_done(struct module_file *file)
{
	if (file->copied)
		(void)unlink(file->path);
	free(file->name);
	free(file->source);
	free(file->path);
	*file = (struct module_file){ 0 };
}
