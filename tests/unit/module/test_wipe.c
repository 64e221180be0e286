/* SPDX-License-Identifier: Apache-2.0
 * test_wipe.c - of a backend's secret there is one copy while the backend is open, and none later.
 */
#include "fakes/wipe.h"

#include <fcntl.h>

#include "backends.h"

#include "banned.h"

/* Buffers of stdio hold what the test itself has written. */
static const char *
put_secret(const struct world *world)
{
	const char *path = rig_path(world->dir, "secret");
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, wipe_secret(), WIPE_LEN), WIPE_LEN);
	(void)close(fd);
	return path;
}

/* Each open() is tried in a child first, which is sent the settings. */
static void
test_open__one_copy(void **state)
{
	struct world *world = *state;
	struct generation *generation;
	size_t before = wipe_count();
	char more[256];

	(void)snprintf(more, sizeof more, "password = \"file:%s\";", put_secret(world));
	generation = open_backends(world, entry(world, "b", more), false);
	assert_int_equal(wipe_count(), before + 1);
	generation_unref(generation);
	assert_int_equal(wipe_count(), before);
}

/* The second generation takes the instance over, and its own copy goes. */
static void
test_open__taken_over(void **state)
{
	struct world *world = *state;
	struct generation *one, *two;
	size_t before = wipe_count();
	char more[256];

	(void)snprintf(more, sizeof more, "password = \"file:%s\";", put_secret(world));
	one = open_backends(world, entry(world, "b", more), false);
	world->before = one;
	two = open_backends(world, entry(world, "b", more), false);
	generation_unref(one);
	assert_int_equal(wipe_count(), before + 1);
	generation_unref(two);
	assert_int_equal(wipe_count(), before);
}

static void
test_open__refused(void **state)
{
	struct world *world = *state;
	size_t before = wipe_count();
	char more[256];

	(void)snprintf(more, sizeof more, "password = \"file:%s\"; unknown = 1;",
		       put_secret(world));
	assert_null(open_backends(world, entry(world, "b", more), false));
	assert_int_equal(wipe_count(), before);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_open__one_copy, setup, teardown),
		cmocka_unit_test_setup_teardown(test_open__taken_over, setup, teardown),
		cmocka_unit_test_setup_teardown(test_open__refused, setup, teardown),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
