/* SPDX-License-Identifier: Apache-2.0
 * image.c - a module's way into the process: dlopen(), the ABI check, one list of what is loaded.
 *
 * Two generations that found the same bytes share an image; a changed file becomes a second image
 * beside the first.  Bytes that were loaded once are not checked in a child again.
 */
#include "module/image.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "module/backend.h"
#include "module/schema.h"

#include "banned.h"

/* The size of struct cosi_module in 1.0: no module can be smaller. */
#define SIZE_1_0      (offsetof(struct cosi_module, list) + sizeof(void *))
#define ALL_PROTOCOLS ((uint32_t)(COSI_S3 | COSI_AZURE | COSI_GCS))
#define ALL_AUTH      ((uint32_t)(COSI_AUTH_KEY | COSI_AUTH_SERVICE_ACCOUNT))
#define ALL_FLAGS     ((uint32_t)(COSI_GRANT_WRITES_BUCKET | COSI_NETWORK))

/* ---- what must be true of a module before the daemon uses it ---- */

/* The symbol is a module's, for this API, and has the size that it gives. */
static int
check_head(const struct cosi_module *module, struct status *status)
{
	const ElfW(Sym) *symbol = NULL;
	void *entry = NULL;
	Dl_info info;

	if (module != NULL && dladdr1(module, &info, &entry, RTLD_DL_SYMENT) != 0)
		symbol = entry;
	/* st_size: the bytes that the file itself gives to the symbol. */
	if (symbol == NULL || ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT ||
	    symbol->st_size < offsetof(struct cosi_module, name) || module->magic != COSI_API_MAGIC)
		return status_fail(status, COSI_INVALID, "the file is not a COSI module");
	if (module->major != COSI_API_MAJOR || module->minor > COSI_API_MINOR)
		return status_fail(status, COSI_INVALID,
				   "the module is built for module API %u.%u, cosid has %u.%u",
				   module->major, module->minor, COSI_API_MAJOR, COSI_API_MINOR);
	if (module->size < SIZE_1_0 || module->size > sizeof *module ||
	    module->size > symbol->st_size)
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

/* ---- loading ---- */

/* Sanitized programs load the installed file where that works: their reports name functions and
 * lines of that alone.  The loader gives no second content for a path that it has open, so a
 * changed file is loaded from its copy.  Elsewhere, and in a child, it is always the copy. */
static void
load_path(const struct module_file *file, char *out, size_t size)
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

int
abi_load(struct abi_module *out, struct module_file *file, struct status *status)
{
	char path[PATH_MAX];
	const struct cosi_module *module;
	struct link_map *map;
	const char *error;
	size_t len;

	*out = (struct abi_module){ 0 };
	load_path(file, path, sizeof path);
	out->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (out->handle == NULL) {
		error = dlerror();
		len = strlen(path);
		/* dlopen() puts the path, which may be the copy's, in front of its reason. */
		if (error != NULL && strncmp(error, path, len) == 0 &&
		    strncmp(error + len, ": ", 2) == 0)
			error += len + 2;
		return status_fail(status, COSI_INVALID, "%s",
				   error != NULL ? error : "dlopen() gives no reason");
	}
	out->by_path = strncmp(path, "/proc/self/fd/", 14) != 0;
	/* The loader's list is what debuggers read, live and in a core: there the code has the name
	 * of the installed file, whose symbols they find, and not of a descriptor, which would be
	 * one of theirs. */
	if (!out->by_path && file->source != NULL &&
	    dlinfo(out->handle, RTLD_DI_LINKMAP, &map) == 0) {
		out->loader_name = map->l_name;
		map->l_name = file->source;
	}
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
	load_path(file, path, sizeof path);
	still = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
	if (still != NULL) {
		(void)dlclose(still);
		file->fd = -1;
	}
	*loaded = (struct abi_module){ 0 };
}

/* ---- the list of what is loaded ---- */

/* The process's, like the loader's own list: two lists would load one file twice. */
static pthread_mutex_t images_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct image *images;

/* Hashes of what was loaded, the newest last, so that a reload back to an older file is quick. */
enum { LOADED_BEFORE_MAX = 64 };
static unsigned char loaded_before[LOADED_BEFORE_MAX][MODULE_HASH_LEN];
static size_t nloaded_before;

/* The loaded image with these bytes, with a reference; NULL: there is none.  *out_before: have
 * these bytes been loaded at any time? */
static struct image *
find_image(const struct module_file *file, bool *out_before)
{
	LOCK_SCOPE(&images_mutex);

	for (struct image *image = images; image != NULL; image = image->next) {
		if (strcmp(image->file.name, file->name) == 0 &&
		    memcmp(image->file.hash, file->hash, MODULE_HASH_LEN) == 0) {
			image->refs++;
			return image;
		}
	}
	*out_before = false;
	for (size_t i = 0; i < nloaded_before && i < LOADED_BEFORE_MAX; i++)
		if (memcmp(loaded_before[i], file->hash, MODULE_HASH_LEN) == 0)
			*out_before = true;
	return NULL;
}

struct image *
image_load(const char *module_dir, const char *name, struct load_check *check,
	   struct status *status)
{
	struct module_file file;
	struct image *image;
	bool before;

	if (module_file_open(&file, module_dir, name, status) < 0)
		return NULL;
	image = find_image(&file, &before);
	if (image != NULL) {
		module_file_close(&file);
		return image;
	}
	image = calloc(1, sizeof *image);
	if (image == NULL) {
		status_no_memory(status);
	} else if ((!before && load_check_module(check, &file, status) < 0) ||
		   abi_load(&image->loaded, &file, status) < 0) {
		status_fail(status, 0, "cannot load module '%s' from '%s'", file.name, file.source);
	} else {
		LOCK_SCOPE(&images_mutex);

		image->refs = 1;
		image->file = file;
		image->next = images;
		images = image;
		memcpy(loaded_before[nloaded_before++ % LOADED_BEFORE_MAX], file.hash,
		       MODULE_HASH_LEN);
		return image;
	}
	free(image);
	module_file_close(&file);
	return NULL;
}

struct image *
image_ref(struct image *image)
{
	LOCK_SCOPE(&images_mutex);

	image->refs++;
	return image;
}

void
image_unref(struct image *image)
{
	struct image **at = &images;
	bool last;

	if (image == NULL)
		return;
	pthread_mutex_lock(&images_mutex);
	last = --image->refs == 0;
	if (last) {
		while (*at != image)
			at = &(*at)->next;
		*at = image->next;
	}
	pthread_mutex_unlock(&images_mutex);
	if (!last)
		return;
#ifdef COSID_SANITIZED
	/* Reports come when the program ends, and name only what is loaded then: the code stays,
	 * and with it what the loader knows it by. */
	if (!image->loaded.by_path) {
		image->file.fd = -1;
		image->file.source = NULL;
	}
#else
	abi_unload(&image->loaded, &image->file);
#endif
	module_file_close(&image->file);
	free(image);
}

int
module_describe(const char *path, struct diag *diag)
{
	struct status status = { 0 };
	struct abi_module loaded;
	struct module_file file;
	int rc;

	if (module_file_open_path(&file, path, &status) < 0) {
		diag_error(diag, NULL, 0, "%s", status.text);
		return -1;
	}
	rc = abi_load(&loaded, &file, &status);
	if (rc < 0) {
		diag_error(diag, NULL, 0, "cannot load module '%s' from '%s': %s", file.name,
			   file.source, status.text);
	} else {
		schema_print(&loaded.module);
		abi_unload(&loaded, &file);
		rc = fflush(stdout);
		if (rc != 0)
			diag_error(diag, path, 0, "cannot write: %s", strerrordesc_np(errno));
	}
	module_file_close(&file);
	return rc;
}
