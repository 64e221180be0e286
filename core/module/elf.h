/* SPDX-License-Identifier: Apache-2.0
 * elf.h - is a file a whole shared object for this machine?  Asked before the loader maps it. */
#ifndef COSID_MODULE_ELF_H
#define COSID_MODULE_ELF_H
#include <sys/types.h>

#include "base/status.h"

/* size: of the file behind fd.  0, or -1 with the reason alone as the text. */
int elf_check(int fd, off_t size, struct status *status);

#endif
