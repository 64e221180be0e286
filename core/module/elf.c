/* SPDX-License-Identifier: Apache-2.0
 * elf.c - the ELF header and the tables it points to, against the size of the file.
 *
 * The loader maps what the program headers say; a file that ends earlier becomes a SIGBUS at the
 * first use of a missing page, so a half-written file must not get that far.
 */
#include "module/elf.h"

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "banned.h"

#if defined(__x86_64__)
#define OUR_MACHINE EM_X86_64
#elif defined(__aarch64__)
#define OUR_MACHINE EM_AARCH64
#elif defined(__riscv)
#define OUR_MACHINE EM_RISCV
#elif defined(__powerpc64__)
#define OUR_MACHINE EM_PPC64
#elif defined(__s390x__)
#define OUR_MACHINE EM_S390
#else
#error "which ELF machine is this?"
#endif
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define OUR_ORDER ELFDATA2LSB
#else
#define OUR_ORDER ELFDATA2MSB
#endif
#define OUR_CLASS (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32)

static int
half_written(struct status *status)
{
	return status_fail(status, COSI_INVALID, "its end is missing: was it copied completely?");
}

/* Do n entries of `size` bytes at `offset` lie within the file? */
static bool
lies_within(off_t file_size, uint64_t offset, uint64_t n, uint64_t size)
{
	return offset <= (uint64_t)file_size && n * size <= (uint64_t)file_size - offset;
}

static int
check_ident(const ElfW(Ehdr) * header, struct status *status)
{
	if (header->e_ident[EI_CLASS] != OUR_CLASS || header->e_ident[EI_DATA] != OUR_ORDER)
		return status_fail(status, COSI_INVALID,
				   "it is built for another architecture (%s bits)",
				   header->e_ident[EI_CLASS] == ELFCLASS64 ? "64" : "32");
	if (header->e_machine != OUR_MACHINE)
		return status_fail(
			status, COSI_INVALID,
			"it is built for another architecture (ELF machine %u, this is %u)",
			header->e_machine, OUR_MACHINE);
	if (header->e_type != ET_DYN)
		return status_fail(status, COSI_INVALID, "it is not a shared object");
	return 0;
}

static int
check_segments(int fd, off_t size, const ElfW(Ehdr) * header, struct status *status)
{
	for (unsigned i = 0; i < header->e_phnum; i++) {
		off_t at = (off_t)(header->e_phoff + i * sizeof(ElfW(Phdr)));
		ElfW(Phdr) segment;

		if (pread(fd, &segment, sizeof segment, at) != (ssize_t)sizeof segment)
			return half_written(status);
		if (segment.p_type == PT_LOAD &&
		    !lies_within(size, segment.p_offset, 1, segment.p_filesz))
			return half_written(status);
	}
	return 0;
}

int
elf_check(int fd, off_t size, struct status *status)
{
	ElfW(Ehdr) header;
	ssize_t got = pread(fd, &header, sizeof header, 0);

	if (size == 0)
		return status_fail(status, COSI_INVALID, "it is empty");
	if (got < SELFMAG || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
		return status_fail(status, COSI_INVALID, "it is not a shared object");
	if (got != (ssize_t)sizeof header)
		return half_written(status);
	if (check_ident(&header, status) != 0)
		return -1;
	if (header.e_phentsize != sizeof(ElfW(Phdr)))
		return status_fail(status, COSI_INVALID, "its program headers are malformed");
	/* The section headers stand last in what every linker writes. */
	if (!lies_within(size, header.e_phoff, header.e_phnum, header.e_phentsize) ||
	    !lies_within(size, header.e_shoff, header.e_shnum, header.e_shentsize))
		return half_written(status);
	return check_segments(fd, size, &header, status);
}
