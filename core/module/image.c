/* SPDX-License-Identifier: Apache-2.0
 * image.c - one list of loaded files per process, as the dynamic loader has.
 *
 * Two generations that found the same bytes share an image; a changed file becomes a second image
 * beside the first.  Bytes that were loaded once are not tried again.
 */
#include "module/image.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "module/file.h"
#include "module/handshake.h"
#include "module/needs.h"
#include "module/trial.h"

#include "banned.h"

struct image {
	struct image *next;
	unsigned refs; /* under the list's mutex */
	void *handle;
	struct module_file file;
	struct cosi_module module;
	const char *foreign; /* borrowed from the loaded file */
};

/* The process's, like the loader's own list: two lists would load one file twice. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct image *loaded;

/* Hashes that passed their trial, newest last, so that a reload back to an older file is quick. */
enum { NTRIED = 64 };
static unsigned char tried[NTRIED][MODULE_HASH_LEN];
static size_t ntried;

static struct image *
find(const struct module_file *file)
{
	LOCK_SCOPE(&mutex);

	for (struct image *image = loaded; image != NULL; image = image->next) {
		if (strcmp(image->file.name, file->name) == 0 &&
		    memcmp(image->file.hash, file->hash, MODULE_HASH_LEN) == 0) {
			image->refs++;
			return image;
		}
	}
	return NULL;
}

static bool
was_tried(const struct module_file *file)
{
	LOCK_SCOPE(&mutex);

	for (size_t i = 0; i < ntried && i < NTRIED; i++)
		if (memcmp(tried[i], file->hash, MODULE_HASH_LEN) == 0)
			return true;
	return false;
}

/* Takes over the file. */
static struct image *
load(struct module_file *file, struct status *status)
{
	struct image *image = calloc(1, sizeof *image);

	if (image == NULL) {
		(void)status_no_memory(status);
		return NULL;
	}
	image->handle = handshake_load(file->path, file->name, &image->module, status);
	if (image->handle == NULL) {
		free(image);
		return NULL;
	}
	image->refs = 1;
	image->foreign = needs_foreign(image->handle);
	image->file = *file;
	*file = (struct module_file){ 0 };

	LOCK_SCOPE(&mutex);
	image->next = loaded;
	loaded = image;
	memcpy(tried[ntried++ % NTRIED], image->file.hash, MODULE_HASH_LEN);
	return image;
}

/* One wish on its way. */
struct work {
	struct module_file file;
	struct trial trial;
	bool untried, trying;
};

static bool
is_any_loaded(void)
{
	LOCK_SCOPE(&mutex);

	return loaded != NULL;
}

/* Before anything is copied: a reload that changes no module needs no state directory. */
static struct image *
find_there(struct image_wish *wish, const char *module_dir)
{
	struct module_file file;
	struct image *image;

	if (!is_any_loaded() || module_file_look(&file, module_dir, wish->name, &wish->status) != 0)
		return NULL;
	image = find(&file);
	module_file_done(&file);
	return image;
}

static void
stage(struct image_wish *wish, struct work *work, const char *module_dir, const char *state_dir)
{
	wish->image = find_there(wish, module_dir);
	if (wish->image != NULL || !status_ok(&wish->status))
		return;
	if (module_file_stage(&work->file, module_dir, state_dir, wish->name, &wish->status) != 0)
		return;
	wish->image = find(&work->file);
	work->untried = wish->image == NULL && !was_tried(&work->file);
}

static void
try_together(struct work *works, size_t n)
{
	CLEANUP_FREE const char **paths = calloc(n + 1, sizeof *paths);
	size_t npaths = 0, npassed;

	if (paths == NULL)
		return;
	for (size_t i = 0; i < n; i++)
		if (works[i].untried)
			paths[npaths++] = works[i].file.path;
	npassed = trial_together(paths, npaths, TRIAL_LIMIT_MS);
	for (size_t i = 0; i < n && npassed > 0; i++) {
		npassed -= works[i].untried;
		works[i].untried = false;
	}
}

static void
try(struct image_wish *wish, struct work *work)
{
	if (work->untried)
		work->trying = trial_start(&work->trial, work->file.path, TRIAL_LIMIT_MS,
					   &wish->status) == 0;
}

static void
finish(struct image_wish *wish, struct work *work)
{
	if (work->trying)
		(void)trial_wait(&work->trial, &wish->status);
	if (work->file.name == NULL)
		return;
	if (status_ok(&wish->status) && wish->image == NULL)
		wish->image = load(&work->file, &wish->status);
	if (!status_ok(&wish->status))
		(void)status_fail(&wish->status, 0, "cannot load module '%s' from '%s'", wish->name,
				  work->file.source);
	module_file_done(&work->file);
}

void
images_load(struct image_wish *wishes, size_t nwishes, const char *module_dir,
	    const char *state_dir)
{
	CLEANUP_FREE struct work *works = calloc(nwishes, sizeof *works);

	for (size_t i = 0; works != NULL && i < nwishes; i++)
		stage(&wishes[i], &works[i], module_dir, state_dir);
	if (works != NULL)
		try_together(works, nwishes);
	for (size_t i = 0; works != NULL && i < nwishes; i++)
		try(&wishes[i], &works[i]);
	for (size_t i = 0; i < nwishes; i++) {
		if (works == NULL)
			(void)status_no_memory(&wishes[i].status);
		else
			finish(&wishes[i], &works[i]);
	}
}

const struct cosi_module *
image_module(const struct image *image)
{
	return &image->module;
}

struct image_origin
image_origin(const struct image *image)
{
	return (struct image_origin){ image->file.source, image->file.hash, image->foreign };
}

struct image *
image_ref(struct image *image)
{
	LOCK_SCOPE(&mutex);

	image->refs++;
	return image;
}

/* Takes the image out of the list when that was its last reference. */
static bool
drop(struct image *image)
{
	LOCK_SCOPE(&mutex);

	if (--image->refs > 0)
		return false;
	for (struct image **at = &loaded; *at != NULL; at = &(*at)->next) {
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
	if (image == NULL || !drop(image))
		return;
#ifndef COSID_SANITIZED
	(void)dlclose(image->handle);
#endif
	module_file_done(&image->file);
	free(image);
}
