/* SPDX-License-Identifier: Apache-2.0
 * backends.h - whole configurations out of entries of `backends`, and good.so's count of instances.
 */
#ifndef COSID_TESTS_MODULE_BACKENDS_H
#define COSID_TESTS_MODULE_BACKENDS_H
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "rig.h"

struct world {
	char *dir;
	const char *counter;             /* what good.so's instances write to */
	const struct generation *before; /* what generation_open() is given */
	size_t nfds;
	struct diag diag;
};

static inline int
setup(void **out)
{
	struct world *world = calloc(1, sizeof *world);

	assert_non_null(world);
	world->dir = rig_dir();
	world->nfds = rig_count_fds();
	world->counter = strdup(rig_path(world->dir, "counter"));
	*out = world;
	return 0;
}

static inline int
teardown(void **state)
{
	struct world *world = *state;

	/* What was loaded is unloaded, without a descriptor that is left. */
	assert_int_equal(rig_count_fds(), world->nfds);
	diag_done(&world->diag);
	free((void *)(uintptr_t)world->counter);
	rig_remove(world->dir);
	free(world);
	return 0;
}

/* The backends start on line 4. */
static inline struct generation *
open_in_mode(struct world *world, const char *backends, enum generation_mode mode)
{
	const char *path = rig_path(world->dir, "cosid.conf");
	struct generation *generation = NULL;
	struct config *config;
	char *text;
	int len = asprintf(&text,
			   "driver_name = \"cosid.example.org\";\n"
			   "endpoint = \"unix://%s/cosi.sock\"; module_dir = \"%s\";\n"
			   "backends = (\n%s\n);\n",
			   world->dir, FIXTURES, backends);

	assert_true(len > 0);
	rig_write(path, text, (size_t)len);
	free(text);
	diag_done(&world->diag);
	config = config_load(path, &world->diag);
	if (config != NULL)
		generation = generation_open(config, world->before, mode, &world->diag);
	for (size_t i = 0; i < world->diag.nlines; i++)
		print_message("%s\n", world->diag.lines[i]);
	assert_non_null(config);
	config_unref(config);
	return generation;
}

static inline struct generation *
open_backends(struct world *world, const char *backends, bool checking)
{
	struct generation *generation =
		open_in_mode(world, backends, checking ? GENERATION_CHECK : GENERATION_RELOAD);

	assert_int_equal(generation == NULL, world->diag.nerrors > 0 && !checking);
	return generation;
}

static inline void
counted(const struct world *world, const char *expected)
{
	size_t len;
	char *text;

	if (access(world->counter, F_OK) != 0)
		rig_write(world->counter, "", 0);
	text = rig_read(world->counter, &len);
	assert_string_equal(text, expected);
	free(text);
}

/* An entry that counts in the world's file. */
static inline const char *
entry(const struct world *world, const char *name, const char *more)
{
	static char texts[4][1024];
	static unsigned turn;
	char *text = texts[turn++ % 4];

	(void)snprintf(text, sizeof texts[0],
		       "{ name = \"%s\"; module = \"good\"; counter = \"%s\"; %s }", name,
		       world->counter, more);
	return text;
}

static inline int
group_setup(void **state)
{
	(void)state;
	(void)unsetenv("COSI_ENDPOINT");
	(void)unsetenv("CREDENTIALS_DIRECTORY");
	return http_global_init();
}

static inline int
group_teardown(void **state)
{
	(void)state;
	http_global_done();
	return 0;
}

#endif
