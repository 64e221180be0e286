/* SPDX-License-Identifier: Apache-2.0
 * abi.c - the symbol, its head, and then every field that the daemon relies on. */
#include "module/abi.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "module/schema.h"
#include "module/text.h"

#include "banned.h"

/* The size of struct cosi_module in 1.0: no module can be smaller. */
#define SIZE_1_0      (offsetof(struct cosi_module, list) + sizeof(void *))
#define ALL_PROTOCOLS ((uint32_t)(COSI_S3 | COSI_AZURE | COSI_GCS))
#define ALL_AUTH      ((uint32_t)(COSI_AUTH_KEY | COSI_AUTH_SERVICE_ACCOUNT))
#define ALL_FLAGS     ((uint32_t)(COSI_GRANT_WRITES_BUCKET | COSI_NETWORK))

/* The bytes that the file itself gives to the symbol. */
static size_t
symbol_size(const void *address)
{
	const ElfW(Sym) * symbol;
	void *entry = NULL;
	Dl_info info;

	if (dladdr1(address, &info, &entry, RTLD_DL_SYMENT) == 0 || entry == NULL)
		return 0;
	symbol = entry;
	return ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT ? symbol->st_size : 0;
}

static int
check_head(const struct cosi_module *module, struct status *status)
{
	size_t size = module != NULL ? symbol_size(module) : 0;

	if (size < offsetof(struct cosi_module, name) || module->magic != COSI_API_MAGIC)
		return status_fail(status, COSI_INVALID, "the file is not a COSI module");
	if (module->major != COSI_API_MAJOR || module->minor > COSI_API_MINOR)
		return status_fail(status, COSI_INVALID,
				   "the module is built for module API %u.%u, cosid has %u.%u",
				   module->major, module->minor, COSI_API_MAJOR, COSI_API_MINOR);
	if (module->size < SIZE_1_0 || module->size > sizeof *module || module->size > size)
		return status_fail(status, COSI_INVALID,
				   "the module's head gives an impossible size (%zu)",
				   module->size);
	return 0;
}

static bool
abi_is_text(const char *text)
{
	return text_is_clean(text, 1, SCHEMA_TEXT_MAX);
}

static int
check_fields(const struct cosi_module *module, const char *name, struct status *status)
{
	if (!abi_is_text(module->name) || !abi_is_text(module->version) ||
	    !abi_is_text(module->summary))
		return status_fail(status, COSI_INVALID,
				   "the module lacks a name, a version or a summary");
	if (strcmp(module->name, name) != 0)
		return status_fail(status, COSI_INVALID, "the module's name is '%s'", module->name);
	if (module->protocols == 0 || (module->protocols & ~ALL_PROTOCOLS) != 0)
		return status_fail(status, COSI_INVALID, "the module names no known protocol (%#x)",
				   module->protocols);
	if ((module->auth & ~ALL_AUTH) != 0 || (module->flags & ~ALL_FLAGS) != 0)
		return status_fail(status, COSI_INVALID, "the module has unknown flags (%#x, %#x)",
				   module->auth, module->flags);
	if (module->endpoint != NULL && !text_is_url(module->endpoint, SCHEMA_TEXT_MAX))
		return status_fail(status, COSI_INVALID, "the module's endpoint is malformed");
	if (schema_check_config(&module->config, status) != 0)
		return status_fail(status, 0, "the module's settings are malformed");
	if (schema_check_params(&module->bucket_params, status) != 0)
		return status_fail(status, 0, "the module's bucket parameters are malformed");
	if (schema_check_params(&module->access_params, status) != 0)
		return status_fail(status, 0, "the module's access parameters are malformed");
	return 0;
}

/* Sanitized programs load the installed file where that works: their reports name functions and
 * lines of that alone.  The loader gives no second content for a path that it has open, so a
 * changed file is loaded from its copy.  Elsewhere, and in a child, it is always the copy. */
static void
path_of(const struct module_file *file, char *out, size_t size)
{
#ifdef COSID_SANITIZED
	enum { MOST = 128 };
	static struct {
		char *source;
		unsigned char hash[MODULE_HASH_LEN];
	} known[MOST];
	size_t n = 0;

	while (file->source != NULL && n < MOST) {
		if (known[n].source == NULL) {
			known[n].source = strdup(file->source);
			memcpy(known[n].hash, file->hash, MODULE_HASH_LEN);
		}
		if (strcmp(known[n].source, file->source) != 0) {
			n++;
			continue;
		}
		if (memcmp(known[n].hash, file->hash, MODULE_HASH_LEN) != 0)
			break;
		(void)snprintf(out, size, "%s", file->source);
		return;
	}
#endif
	(void)snprintf(out, size, "/proc/self/fd/%d", file->fd);
}

/* dlopen() puts the path, which may be the copy's, in front of its reason. */
static const char *
dlopen_reason(const char *path)
{
	const char *text = dlerror();
	size_t len = strlen(path);

	if (text == NULL)
		return "dlopen() gives no reason";
	return strncmp(text, path, len) == 0 && strncmp(text + len, ": ", 2) == 0 ? text + len + 2
										  : text;
}

/* The loader's list is what debuggers read, live and in a core: there the code has the name of the
 * installed file, whose symbols they find, and not of a descriptor, which would be one of theirs.
 */
static void
show_source(struct abi_module *loaded, const struct module_file *file)
{
	struct link_map *map = NULL;

	if (file->source == NULL || dlinfo(loaded->handle, RTLD_DI_LINKMAP, &map) != 0)
		return;
	loaded->loader_name = map->l_name;
	map->l_name = file->source;
}

int
abi_load(struct abi_module *out, struct module_file *file, struct status *status)
{
	char path[PATH_MAX];
	const struct cosi_module *module;

	*out = (struct abi_module){ 0 };
	path_of(file, path, sizeof path);
	out->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (out->handle == NULL)
		return status_fail(status, COSI_INVALID, "%s", dlopen_reason(path));
	out->by_path = strncmp(path, "/proc/self/fd/", 14) != 0;
	if (!out->by_path)
		show_source(out, file);
	module = dlsym(out->handle, "cosi_module");
	if (check_head(module, status) == 0) {
		memcpy(&out->module, module, module->size);
		if (check_fields(&out->module, file->name, status) == 0)
			return 0;
	}
	abi_unload(out, file);
	return -1;
}

void
abi_unload(struct abi_module *loaded, struct module_file *file)
{
	struct link_map *map = NULL;
	char path[PATH_MAX];
	void *still;

	/* dlclose() frees the name that dlopen() made. */
	if (loaded->loader_name != NULL && dlinfo(loaded->handle, RTLD_DI_LINKMAP, &map) == 0)
		map->l_name = loaded->loader_name;
	(void)dlclose(loaded->handle);
	path_of(file, path, sizeof path);
	still = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
	if (still != NULL) {
		(void)dlclose(still);
		file->fd = -1;
	}
	*loaded = (struct abi_module){ 0 };
}
