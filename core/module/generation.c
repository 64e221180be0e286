/* SPDX-License-Identifier: Apache-2.0
 * generation.c - a table of backends, opened as a whole or not at all. */
#include <stdlib.h>
#include <string.h>

#include "module/backend.h"
#include "module/image.h"
#include "module/instance.h"

#include "banned.h"

/* One per module, however many backends use it. */
struct wishes {
	size_t n;
	struct image_wish *list; /* owned */
};

static struct image_wish *
wish_find(const struct wishes *wishes, const char *name)
{
	for (size_t i = 0; i < wishes->n; i++)
		if (strcmp(wishes->list[i].name, name) == 0)
			return &wishes->list[i];
	return NULL;
}

static int
wishes_init(struct wishes *wishes, const struct config *config)
{
	*wishes = (struct wishes){ .list = calloc(config->nbackends + 1, sizeof *wishes->list) };
	if (wishes->list == NULL)
		return -1;
	for (size_t i = 0; i < config->nbackends; i++)
		if (wish_find(wishes, config->backends[i].module) == NULL)
			wishes->list[wishes->n++].name = config->backends[i].module;
	return 0;
}

static void
wishes_done(struct wishes *wishes)
{
	for (size_t i = 0; i < wishes->n; i++)
		image_unref(wishes->list[i].image);
	free(wishes->list);
}

/* Adds it after those that are open already. */
static int
open_backend(struct generation *generation, const struct config_backend *config,
	     const struct wishes *wishes, const struct generation *before, bool checking,
	     struct diag *diag)
{
	struct backend *backend = &generation->backends[generation->nbackends];
	const struct image_wish *wish = wish_find(wishes, config->module);

	*backend = (struct backend){ .config = config };
	if (wish->image == NULL) {
		diag_error(diag, config->file, config->line, "backend '%s': %s", config->name,
			   wish->status.text);
		return -1;
	}
	if (image_origin(wish->image).foreign != NULL)
		diag_warning(diag, config->file, config->line,
			     "backend '%s': module '%s' is linked with '%s', which is not for "
			     "modules",
			     config->name, config->module, image_origin(wish->image).foreign);
	if (instance_open(backend, image_ref(wish->image),
			  before != NULL ? generation_find(before, config->name) : NULL, checking,
			  diag) != 0)
		return -1;
	generation->protocols |= backend->module->protocols;
	generation->nbackends++;
	return 0;
}

static int
open_all(struct generation *generation, const char *state_dir, const struct generation *before,
	 bool checking, struct diag *diag)
{
	const struct config *config = generation->config;
	struct wishes wishes;
	int result = 0;

	generation->backends = calloc(config->nbackends + 1, sizeof *generation->backends);
	if (generation->backends == NULL || wishes_init(&wishes, config) != 0) {
		diag_error(diag, NULL, 0, "no memory");
		return -1;
	}
	config_take_env(config); /* a module's file is tried by a child */
	images_load(wishes.list, wishes.n, config->module_dir, state_dir);
	/* All of them, so that one run shows all that is wrong. */
	for (size_t i = 0; i < config->nbackends; i++)
		if (open_backend(generation, &config->backends[i], &wishes, before, checking,
				 diag) != 0)
			result = -1;
	wishes_done(&wishes);
	return checking ? 0 : result;
}

static void
close_all(struct generation *generation)
{
	for (size_t i = generation->nbackends; i-- > 0;)
		instance_close(&generation->backends[i]);
	config_unref(generation->config);
	free(generation->backends);
	free(generation);
}

struct generation *
generation_open(struct config *config, const char *state_dir, const struct generation *before,
		bool checking, struct diag *diag)
{
	/* Counted per process: logs name generations by it. */
	static atomic_uint opened;
	struct generation *generation = calloc(1, sizeof *generation);

	if (generation == NULL) {
		diag_error(diag, NULL, 0, "no memory");
		return NULL;
	}
	generation->config = config_ref(config);
	atomic_init(&generation->refs, 1);
	if (open_all(generation, state_dir, before, checking, diag) != 0) {
		close_all(generation);
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
		close_all(generation);
}

struct backend *
generation_find(const struct generation *generation, const char *name)
{
	for (size_t i = 0; i < generation->nbackends; i++)
		if (strcmp(generation->backends[i].name, name) == 0)
			return &generation->backends[i];
	return NULL;
}
