/* SPDX-License-Identifier: Apache-2.0
 * image.c - one list of loaded files per process, as the dynamic loader has.
 *
 * Two generations that found the same bytes share an image; a changed file becomes a second image
 * beside the first.  Bytes that were loaded once are not checked again.
 */
#include "module/image.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

#include "banned.h"

/* The process's, like the loader's own list: two lists would load one file twice. */
static pthread_mutex_t images_mutex = PTHREAD_MUTEX_INITIALIZER;
static struct image *images;

/* Hashes of what was loaded, the newest last, so that a reload back to an older file is quick. */
enum { LOADED_BEFORE_MAX = 64 };
static unsigned char loaded_before[LOADED_BEFORE_MAX][MODULE_HASH_LEN];
static size_t nloaded_before;

/* The loaded image with these bytes, with a reference; NULL: there is none. */
static struct image *
find_image(const struct module_file *file)
{
	LOCK_SCOPE(&images_mutex);

	for (struct image *image = images; image != NULL; image = image->next) {
		if (strcmp(image->file.name, file->name) == 0 &&
		    memcmp(image->file.hash, file->hash, MODULE_HASH_LEN) == 0) {
			image->refs++;
			return image;
		}
	}
	return NULL;
}

static bool
was_loaded_before(const struct module_file *file)
{
	LOCK_SCOPE(&images_mutex);

	for (size_t i = 0; i < nloaded_before && i < LOADED_BEFORE_MAX; i++)
		if (memcmp(loaded_before[i], file->hash, MODULE_HASH_LEN) == 0)
			return true;
	return false;
}

/* Takes the file over when it succeeds. */
static struct image *
image_new(struct module_file *file, struct load_check *check, struct status *status)
{
	struct image *image = calloc(1, sizeof *image);

	if (image == NULL) {
		status_no_memory(status);
		return NULL;
	}
	if ((!was_loaded_before(file) && load_check_module(check, file, status) < 0) ||
	    abi_load(&image->loaded, file, status) < 0) {
		status_fail(status, 0, "cannot load module '%s' from '%s'", file->name,
			    file->source);
		free(image);
		return NULL;
	}
	image->refs = 1;
	image->file = *file;

	LOCK_SCOPE(&images_mutex);
	image->next = images;
	images = image;
	memcpy(loaded_before[nloaded_before++ % LOADED_BEFORE_MAX], file->hash, MODULE_HASH_LEN);
	return image;
}

struct image *
image_load(const char *module_dir, const char *name, struct load_check *check,
	   struct status *status)
{
	struct module_file file;
	struct image *image;

	if (module_file_open(&file, module_dir, name, status) < 0)
		return NULL;
	image = find_image(&file);
	if (image == NULL) {
		image = image_new(&file, check, status);
		if (image != NULL)
			return image;
	}
	module_file_close(&file);
	return image;
}

struct image *
image_ref(struct image *image)
{
	LOCK_SCOPE(&images_mutex);

	image->refs++;
	return image;
}

/* Takes the image out of the list when that was its last reference. */
static bool
drop_ref(struct image *image)
{
	LOCK_SCOPE(&images_mutex);

	if (--image->refs > 0)
		return false;
	for (struct image **at = &images; *at != NULL; at = &(*at)->next) {
		if (*at == image) {
			*at = image->next;
			break;
		}
	}
	return true;
}

void
image_unref(struct image *image)
{
	if (image == NULL || !drop_ref(image))
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
