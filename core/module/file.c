/* SPDX-License-Identifier: Apache-2.0
 * file.c - what may be loaded, and the copy of it.
 *
 * Only root and cosid's user can exchange the file once its path was checked; the hash and the ELF
 * checks read the sealed copy, which cannot be changed or truncated.
 */
#include "module/file.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <openssl/evp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/trust.h"

#include "banned.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

static const char symbol_name[] = "cosi_module";

/* This program's own header, which the linker provides: what the machine must be. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

/* All of in, up to MODULE_SIZE_MAX bytes.  The descriptor of the copy, or -1. */
static int
copy_sealed(int in, const char *name, size_t *out_size, struct status *status)
{
	char label[MODULE_NAME_MAX + 16];
	CLEANUP_FD int copy = -1;
	size_t size = 0;
	ssize_t n = 1;

	(void)snprintf(label, sizeof label, "cosid:%s.so", name);
	/* A seal needs no x bit: code is mapped, not executed, so that hosts with vm.memfd_noexec=2
	 * load modules, too.  Linux before 6.3 does not know that seal. */
	copy = memfd_create(label, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
	if (copy < 0 && errno == EINVAL)
		copy = memfd_create(label, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (copy < 0)
		return status_fail(status, COSI_INTERNAL,
				   "cannot create a memory file (memfd_create): %s",
				   strerrordesc_np(errno));
	while (n > 0 && size <= MODULE_SIZE_MAX) {
		n = sendfile(copy, in, NULL, MODULE_SIZE_MAX + 1 - size);
		if (n < 0 && errno != EINTR)
			return status_fail(status, COSI_INTERNAL, "cannot copy the file: %s",
					   strerrordesc_np(errno));
		if (n > 0)
			size += (size_t)n;
		else if (n < 0)
			n = 1;
	}
	if (size > MODULE_SIZE_MAX)
		return status_fail(status, COSI_INVALID, "the file is larger than %d MiB",
				   MODULE_SIZE_MAX >> 20);
	if (size == 0)
		return status_fail(status, COSI_INVALID, "the file is empty");
	if (fcntl(copy, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL) != 0)
		return status_fail(status, COSI_INTERNAL, "cannot seal the copy: %s",
				   strerrordesc_np(errno));
	*out_size = size;
	return take_fd(&copy);
}

/* Do n entries of `each` bytes at `offset` lie within the file? */
static bool
lies_within(size_t file_size, uint64_t offset, uint64_t n, uint64_t each)
{
	return offset <= file_size && n * each <= file_size - offset;
}

/* Is the symbol defined in that table of symbols?  Both tables lie within the file. */
static bool
defines_symbol(const unsigned char *bytes, const ElfW(Shdr) * symbols, const ElfW(Shdr) * strings)
{
	for (size_t at = 0; symbols->sh_size - at >= sizeof(ElfW(Sym)); at += sizeof(ElfW(Sym))) {
		ElfW(Sym) symbol;

		memcpy(&symbol, bytes + symbols->sh_offset + at, sizeof symbol);
		if (symbol.st_shndx != SHN_UNDEF && symbol.st_name < strings->sh_size &&
		    strings->sh_size - symbol.st_name >= sizeof symbol_name &&
		    memcmp(bytes + strings->sh_offset + symbol.st_name, symbol_name,
			   sizeof symbol_name) == 0)
			return true;
	}
	return false;
}

static void
read_section(const unsigned char *bytes, const ElfW(Ehdr) * header, unsigned i, ElfW(Shdr) * out)
{
	memcpy(out, bytes + header->e_shoff + i * sizeof *out, sizeof *out);
}

/* What the child that loads the file first cannot tell as well: a file that was copied in part, one
 * for another machine, and a library that is no module, of which no code may run at all. */
static int
check_elf(const unsigned char *bytes, size_t size, struct status *status)
{
	static const char truncated[] = "the file is truncated: was it copied completely?";
	ElfW(Shdr) symbols, strings;
	ElfW(Ehdr) header;

	if (size < SELFMAG || memcmp(bytes, ELFMAG, SELFMAG) != 0)
		return status_fail(status, COSI_INVALID, "the file is not a shared object");
	if (size < sizeof header)
		return status_fail(status, COSI_INVALID, truncated);
	memcpy(&header, bytes, sizeof header);
	if (memcmp(&header.e_ident[EI_CLASS], &__ehdr_start.e_ident[EI_CLASS], 2) != 0 ||
	    header.e_machine != __ehdr_start.e_machine)
		return status_fail(status, COSI_INVALID,
				   "the file is built for another architecture (ELF machine %u, "
				   "class %u; this is %u, %u)",
				   header.e_machine, header.e_ident[EI_CLASS],
				   __ehdr_start.e_machine, __ehdr_start.e_ident[EI_CLASS]);
	if (header.e_type != ET_DYN)
		return status_fail(status, COSI_INVALID, "the file is not a shared object");
	/* Linkers write the section headers last. */
	if (header.e_shentsize != sizeof symbols ||
	    !lies_within(size, header.e_shoff, header.e_shnum, sizeof symbols))
		return status_fail(status, COSI_INVALID, truncated);
	for (unsigned i = 0; i < header.e_shnum; i++) {
		read_section(bytes, &header, i, &symbols);
		if (symbols.sh_type != SHT_DYNSYM || symbols.sh_link >= header.e_shnum)
			continue;
		read_section(bytes, &header, symbols.sh_link, &strings);
		if (lies_within(size, symbols.sh_offset, symbols.sh_size, 1) &&
		    lies_within(size, strings.sh_offset, strings.sh_size, 1) &&
		    defines_symbol(bytes, &symbols, &strings))
			return 0;
	}
	return status_fail(status, COSI_INVALID,
			   "the file is not a COSI module (it does not define the symbol '%s')",
			   symbol_name);
}

static int
is_module(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return entry->d_name[0] != '.' && len > 3 && strcmp(entry->d_name + len - 3, ".so") == 0;
}

/* Fails for a file that is not there; a mistyped name is seen beside those that are. */
static int
fail_missing(const char *source, struct status *status)
{
	CLEANUP_FREE char *dir = strndup(source, (size_t)(strrchr(source, '/') - source));
	struct dirent **entries = NULL;
	char names[STATUS_TEXT_MAX] = "";
	int n = dir != NULL ? scandir(dir, &entries, is_module, alphasort) : 0;
	size_t len = 0;

	for (int i = 0; i < n; i++) {
		if (len < sizeof names)
			len += (size_t)snprintf(names + len, sizeof names - len, "%s%.*s",
						len > 0 ? ", " : ": the modules there are ",
						(int)strlen(entries[i]->d_name) - 3,
						entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return status_fail(status, COSI_INVALID, "%s%s", strerrordesc_np(ENOENT), names);
}

/* Checks who may write to file->source, copies it, and checks the copy. */
static int
read_source(struct module_file *file, struct status *status)
{
	/* O_NONBLOCK: a FIFO must not block the daemon. */
	CLEANUP_FD int in = -1;
	unsigned char *bytes;
	struct stat st;
	size_t size = 0;
	int rc = -1;

	if (trust_check(file->source, status) < 0)
		return -1;
	in = open(file->source, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (in < 0 && errno == ENOENT)
		return fail_missing(file->source, status);
	if (in < 0 || fstat(in, &st) != 0)
		return status_fail(status, COSI_INVALID, "%s", strerrordesc_np(errno));
	if (S_ISDIR(st.st_mode))
		return status_fail(status, COSI_INVALID, "the path is a directory");
	if (!S_ISREG(st.st_mode))
		return status_fail(status, COSI_INVALID, "the path is not a regular file");
	file->fd = copy_sealed(in, file->name, &size, status);
	if (file->fd < 0)
		return -1;
	bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file->fd, 0);
	if (bytes == MAP_FAILED)
		return status_fail(status, COSI_INTERNAL, "cannot read the copy: %s",
				   strerrordesc_np(errno));
	if (EVP_Digest(bytes, size, file->hash, NULL, EVP_sha256(), NULL) != 1)
		status_fail(status, COSI_INTERNAL, "cannot compute the file's SHA-256");
	else
		rc = check_elf(bytes, size, status);
	(void)munmap(bytes, size);
	return rc;
}

/* Takes over name and source.  Each may be NULL: no memory. */
static int
open_source(struct module_file *file, char *name, char *source, struct status *status)
{
	*file = (struct module_file){ .name = name, .source = source, .fd = -1 };
	if (name == NULL || source == NULL)
		status_no_memory(status);
	else if (read_source(file, status) == 0)
		return 0;
	else
		status_fail(status, 0, "cannot load module '%s' from '%s'", name, source);
	module_file_close(file);
	return -1;
}

int
module_file_open(struct module_file *file, const char *module_dir, const char *name,
		 struct status *status)
{
	size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-");
	char *source;

	if (len == 0 || len > MODULE_NAME_MAX || name[len] != '\0')
		return status_fail(status, COSI_INVALID,
				   "cannot load module '%s': a module's name is 1 to %d of a-z, "
				   "0-9 and '-'",
				   name, MODULE_NAME_MAX);
	return open_source(file, strdup(name),
			   asprintf(&source, "%s/%s.so", module_dir, name) < 0 ? NULL : source,
			   status);
}

int
module_file_open_path(struct module_file *file, const char *path, struct status *status)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash == NULL ? path : slash + 1;
	size_t len = strlen(base);
	char *whole = realpath(path, NULL);

	if (whole == NULL && errno == ENOENT && slash != NULL)
		fail_missing(path, status);
	else if (whole == NULL)
		status_fail(status, COSI_INVALID, "%s", strerrordesc_np(errno));
	if (whole == NULL)
		return status_fail(status, 0, "cannot load module '%s'", path);
	if (len > 3 && strcmp(base + len - 3, ".so") == 0)
		len -= 3;
	return open_source(file, strndup(base, len), whole, status);
}

void
module_file_close(struct module_file *file)
{
	if (file->fd >= 0)
		(void)close(file->fd);
	free(file->name);
	free(file->source);
	*file = (struct module_file){ .fd = -1 };
}
