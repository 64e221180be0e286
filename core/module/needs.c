/* SPDX-License-Identifier: Apache-2.0
 * needs.c - the DT_NEEDED entries of a loaded module.
 *
 * A library that comes and goes with a module may start threads, leave handlers behind or not stand
 * being unloaded; those of the list stay loaded with the daemon.
 */
#include "module/needs.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "banned.h"

/* libc in all its parts, what compilers add by themselves, and the three that modules may use. */
static const char *const allowed[] = {
	"libc.so",      "libm.so",       "libdl.so",    "libpthread.so",
	"librt.so",     "ld-linux",      "ld64.so",     "libgcc_s.so",
#ifdef COSID_SANITIZED
	"libasan.so",   "libubsan.so",   "libtsan.so",
#endif
	"libcrypto.so", "libjansson.so", "libexpat.so",
};

static bool
is_allowed(const char *name)
{
	for (size_t i = 0; i < sizeof allowed / sizeof allowed[0]; i++)
		if (strncmp(name, allowed[i], strlen(allowed[i])) == 0)
			return true;
	return false;
}

/* Some machines leave the address as the linker wrote it. */
static const char *
strings_of(const struct link_map *map)
{
	for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++) {
		uintptr_t at = entry->d_un.d_ptr;

		if (entry->d_tag == DT_STRTAB)
			return (const char *)(at < map->l_addr ? at + map->l_addr : at);
	}
	return NULL;
}

const char *
needs_foreign(void *handle)
{
	const struct link_map *map = NULL;
	const char *strings;

	if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || (strings = strings_of(map)) == NULL)
		return NULL;
	for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++)
		if (entry->d_tag == DT_NEEDED && !is_allowed(strings + entry->d_un.d_val))
			return strings + entry->d_un.d_val;
	return NULL;
}
