/* SPDX-License-Identifier: Apache-2.0
 * fuzz_image.c - any bytes as a module's file: refused in words, or copied as it is.  No code of it
 * runs; what a module says of itself is its own code's data.
 *
 * covers: core/module/file.c
 */
#include <sys/mman.h>

#include "files.h"
#include "module/file.h"

#include "banned.h"

static void
check_copy(const struct module_file *file, const uint8_t *data, size_t size)
{
	struct stat st;
	void *bytes;

	must(fstat(file->fd, &st) == 0 && (size_t)st.st_size == size);
	bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file->fd, 0);
	must(bytes != MAP_FAILED && memcmp(bytes, data, size) == 0);
	must(munmap(bytes, size) == 0);
	must(memmem(data, size, "cosi_module", sizeof "cosi_module") != NULL);
	must(fcntl(file->fd, F_GET_SEALS) >= F_SEAL_WRITE);
}

/* The first byte picks how the file is named, and its mode. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum { TOO_LARGE = 0x2c };
	static const mode_t modes[] = { 0600, 0644, 0755, 0622 };
	struct status status = { 0 };
	struct module_file file;
	unsigned how = size > 0 ? *data : 0;
	int rc;

	if (size == 0)
		return 0;
	files_begin();
	(void)mkdir("dir.so", 0700);
	(void)mkfifo("fifo.so", 0600);
	files_write("m.so", data + 1, size - 1);
	must(chmod("m.so", modes[how % 4]) == 0);
	if (how == TOO_LARGE)
		must(truncate("m.so", MODULE_SIZE_MAX + 1) == 0);
	if ((how & 0xc0) == 0)
		rc = module_file_open(&file, ".", "m", &status);
	else if ((how & 0xc0) == 0x40)
		rc = module_file_open_path(&file,
					   how & 4   ? "m.so"
					   : how & 8 ? "none"
						     : "dir.so",
					   &status);
	else
		rc = module_file_open(&file, ".",
				      how & 4    ? "fifo"
				      : how & 8  ? "a/b"
				      : how & 16 ? "none"
						 : "dir",
				      &status);
	if (rc == 0) {
		must(status_ok(&status) && how % 4 != 3);
		check_copy(&file, data + 1, size - 1);
		module_file_close(&file);
	} else {
		must(!status_ok(&status) && strncmp(status.text, "cannot load module", 18) == 0);
	}
	return 0;
}
