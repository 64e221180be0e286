/* SPDX-License-Identifier: Apache-2.0
 * generation.c - a table of backends, opened as a whole or not at all. */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "module/backend.h"
#include "module/crash_record.h"
#include "module/image.h"
#include "module/instance.h"

#include "banned.h"

/* One per module, however many backends use it. */
struct load_request {
	const char *name;    /* borrowed */
	struct image *image; /* a reference, or NULL with status */
	struct status status;
};

/* The image of the backend's module, which is loaded once: owned by requests.  NULL, in diag. */
static struct image *
request_image(struct load_request *requests, const struct config *config,
	      const struct config_backend *wanted, const struct opening *opening)
{
	struct load_request *request = requests;

	while (request->name != NULL && strcmp(request->name, wanted->module) != 0)
		request++;
	if (request->name == NULL) {
		request->name = wanted->module;
		request->image = image_load(config->module_dir, wanted->module, opening->check,
					    &request->status);
	}
	if (request->image == NULL)
		diag_error(opening->diag, wanted->file, config_line(wanted, "key 'module'"),
			   "backend '%s': %s", wanted->name, request->status.text);
	return request->image;
}

/* 0; 1: it cannot be opened, and is left out where the mode says so; -1: no memory. */
static int
open_backend(struct backend *backend, struct load_request *requests, const struct config *config,
	     const struct opening *opening)
{
	size_t nlines = opening->diag->nlines;
	const char *reason = backend->config->flaw;
	struct image *image;

	if (opening->mode == GENERATION_RETRY && instance_keep(backend, opening->before) == 0)
		return 0;
	image = request_image(requests, config, backend->config, opening);
	if (image != NULL && instance_open(backend, image_ref(image), opening) == 0)
		return 0;
	if (opening->mode != GENERATION_START && opening->mode != GENERATION_RETRY)
		return 1;
	if (reason == NULL)
		reason = diag_first_error(opening->diag, nlines);
	if (reason == NULL)
		reason = "it cannot be opened, and the log says why";
	if (image != NULL)
		image_ref(image);
	return instance_leave_out(backend, image, reason) < 0 ? -1 : 1;
}

/* A line in diag for each backend that does not open, so that one run shows all that is wrong.  The
 * number of those, or -1: no memory. */
static int
open_backends(struct generation *generation, const struct opening *opening)
{
	const struct config *config = generation->config;
	CLEANUP_FREE struct load_request *requests =
		calloc(config->nbackends + 1, sizeof *requests);
	int nfailed = 0, rc = 0;

	generation->backends = calloc(config->nbackends + 1, sizeof *generation->backends);
	if (generation->backends == NULL || requests == NULL)
		return -1;
	config_take_env(config); /* a child is started, which runs modules */
	for (size_t i = 0; i < config->nbackends && rc >= 0; i++) {
		struct backend *backend = &generation->backends[generation->nbackends];

		*backend = (struct backend){ .config = &config->backends[i] };
		rc = open_backend(backend, requests, config, opening);
		nfailed += rc;
		if (backend->priv == NULL)
			continue;
		generation->nbackends++;
		generation->nleft_out += backend->left_out != NULL;
		generation->protocols |= instance_protocols(backend);
	}
	load_check_end(opening->check);
	for (size_t i = 0; requests[i].name != NULL; i++)
		image_unref(requests[i].image);
	return rc < 0 ? -1 : nfailed;
}

static void
close_generation(struct generation *generation)
{
	for (size_t i = generation->nbackends; i-- > 0;)
		instance_close(&generation->backends[i]);
	config_unref(generation->config);
	free(generation->backends);
	free(generation);
}

struct generation *
generation_open(struct config *config, const struct generation *before, enum generation_mode mode,
		struct diag *diag)
{
	/* Counted per process: logs name generations by it. */
	static atomic_uint opened;
	struct generation *generation = calloc(1, sizeof *generation);
	struct load_check check;
	const struct opening opening = { before, mode, &check, diag };
	int nfailed;

	if (generation == NULL) {
		diag_error(diag, NULL, 0, "out of memory");
		return NULL;
	}
	generation->config = config_ref(config);
	atomic_init(&generation->refs, 1);
	load_check_init(&check, LOAD_CHECK_LIMIT_MS);
	nfailed = open_backends(generation, &opening);
	if (nfailed < 0)
		diag_error(diag, NULL, 0, "out of memory");
	/* Does the mode allow a generation in which they did not open?  open_backend() has left
	 * them out or dropped them. */
	if (nfailed < 0 || (nfailed > 0 && mode == GENERATION_RELOAD) ||
	    (nfailed > 0 && mode == GENERATION_START && (size_t)nfailed == generation->nbackends)) {
		close_generation(generation);
		return NULL;
	}
	generation->number = atomic_fetch_add(&opened, 1) + 1;
	return generation;
}

struct generation *
generation_ref(struct generation *generation)
{
	atomic_fetch_add_explicit(&generation->refs, 1, memory_order_relaxed);
	return generation;
}

void
generation_unref(struct generation *generation)
{
	if (atomic_fetch_sub_explicit(&generation->refs, 1, memory_order_acq_rel) == 1)
		close_generation(generation);
}

struct backend *
generation_find(const struct generation *generation, const char *name)
{
	for (size_t i = 0; i < generation->nbackends; i++)
		if (strcmp(generation->backends[i].name, name) == 0)
			return &generation->backends[i];
	return NULL;
}
