/* SPDX-License-Identifier: Apache-2.0
 * handshake.c - the symbol, its head, and then every field that the daemon relies on. */
#include "module/handshake.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "module/file.h"
#include "module/schema.h"
#include "module/text.h"

#include "banned.h"

/* What struct cosi_module measured in 1.0: no module can be smaller. */
#define SIZE_1_0      (offsetof(struct cosi_module, list) + sizeof(void *))
#define ALL_PROTOCOLS ((uint32_t)(COSI_S3 | COSI_AZURE | COSI_GCS))
#define ALL_AUTH      ((uint32_t)(COSI_AUTH_KEY | COSI_AUTH_SERVICE_ACCOUNT))
#define ALL_FLAGS     ((uint32_t)(COSI_GRANT_WRITES_BUCKET | COSI_NETWORK))

/* The loader puts the path, which is a copy's, in front of its reason. */
static const char *
loader_reason(const char *path)
{
	const char *text = dlerror();
	size_t len = strlen(path);

	if (text == NULL)
		return "unknown reason";
	return strncmp(text, path, len) == 0 && strncmp(text + len, ": ", 2) == 0 ? text + len + 2
										  : text;
}

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
	size_t size = symbol_size(module);

	if (size < offsetof(struct cosi_module, name) || module->magic != COSI_API_MAGIC)
		return status_fail(status, COSI_INVALID, "it is not a COSI module");
	if (module->major != COSI_API_MAJOR || module->minor > COSI_API_MINOR)
		return status_fail(status, COSI_INVALID,
				   "it is built for module API %u.%u, this daemon has %u.%u",
				   module->major, module->minor, COSI_API_MAJOR, COSI_API_MINOR);
	if (module->size < SIZE_1_0 || module->size > sizeof *module || module->size > size)
		return status_fail(status, COSI_INVALID, "its head gives an impossible size (%zu)",
				   module->size);
	return 0;
}

static bool
is_line(const char *text)
{
	return text_is_clean(text, 1, SCHEMA_TEXT_MAX);
}

static int
check_fields(const struct cosi_module *module, const char *name, struct status *status)
{
	if (!is_line(module->name) || !is_line(module->version) || !is_line(module->summary))
		return status_fail(status, COSI_INVALID, "its name, version or summary is missing");
	if (strcmp(module->name, name) != 0)
		return status_fail(status, COSI_INVALID, "it calls itself '%s'", module->name);
	if (module->protocols == 0 || (module->protocols & ~ALL_PROTOCOLS) != 0)
		return status_fail(status, COSI_INVALID, "it names no known protocol (%#x)",
				   module->protocols);
	if ((module->auth & ~ALL_AUTH) != 0 || (module->flags & ~ALL_FLAGS) != 0)
		return status_fail(status, COSI_INVALID, "it has unknown flags (%#x, %#x)",
				   module->auth, module->flags);
	if (module->endpoint != NULL && !text_is_url(module->endpoint, SCHEMA_TEXT_MAX))
		return status_fail(status, COSI_INVALID, "its endpoint is malformed");
	return 0;
}

static int
check_schemas(const struct cosi_module *module, struct status *status)
{
	if (schema_check_config(&module->config, status) != 0)
		return status_fail(status, 0, "its settings cannot be used");
	if (schema_check_params(&module->bucket_params, status) != 0)
		return status_fail(status, 0, "its bucket parameters cannot be used");
	if (schema_check_params(&module->access_params, status) != 0)
		return status_fail(status, 0, "its access parameters cannot be used");
	return 0;
}

static int
shake(void *handle, const char *name, struct cosi_module *out, struct status *status)
{
	const struct cosi_module *module = dlsym(handle, "cosi_module");

	if (module == NULL)
		return status_fail(status, COSI_INVALID,
				   "it is not a COSI module (no symbol cosi_module)");
	if (check_head(module, status) != 0)
		return -1;
	memset(out, 0, sizeof *out);
	memcpy(out, module, module->size);
	if (check_fields(out, name, status) != 0)
		return -1;
	return check_schemas(out, status);
}

void *
handshake_load(const char *path, const char *name, struct cosi_module *out, struct status *status)
{
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (handle == NULL) {
		(void)status_fail(status, COSI_INVALID, "%s", loader_reason(path));
		return NULL;
	}
	if (shake(handle, name, out, status) == 0)
		return handle;
	(void)dlclose(handle);
	return NULL;
}

static char *
name_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *file = slash == NULL ? path : slash + 1;

	return strndup(file, strcspn(file, "."));
}

void *
handshake_load_file(const char *path, struct cosi_module *out, struct status *status)
{
	CLEANUP_FREE char *whole = realpath(path, NULL);
	CLEANUP_FREE char *name = name_of(path);
	CLEANUP_FD int fd = -1;

	if (whole == NULL) {
		(void)status_fail(status, COSI_INVALID, "%s", strerrordesc_np(errno));
		return NULL;
	}
	if (name == NULL) {
		(void)status_no_memory(status);
		return NULL;
	}
	return module_file_check(whole, &fd, status) != 0
		       ? NULL
		       : handshake_load(whole, name, out, status);
}
