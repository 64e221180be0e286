/* SPDX-License-Identifier: Apache-2.0
 * test_next.c - what goes over from one generation to the next, and what is opened anew. */
#include "backends.h"
#include "fakes/pki.h"

#include "banned.h"

static struct generation *
next(struct world *world, const struct generation *before, const char *backends)
{
	struct generation *generation;

	world->before = before;
	generation = open_backends(world, backends, false);
	world->before = NULL;
	return generation;
}

static void
test_next__same_backend_moves_over(void **state)
{
	struct world *world = *state;
	const char *secret = rig_path(world->dir, "secret");
	char more[512];
	struct generation *one, *two, *three;

	rig_write(secret, "the first secret", 16);
	(void)snprintf(more, sizeof more,
		       "password = \"file:%s\"; old_passwords = ( \"plain:of-old-times\" );",
		       secret);
	one = open_backends(world, entry(world, "b", more), false);
	/* The router's own keys are no part of it. */
	(void)snprintf(more, sizeof more,
		       "password = \"file:%s\"; old_passwords = ( \"plain:of-old-times\" );"
		       "accept_new = false; max_calls = 3; existing_buckets = ( \"a*\" );"
		       "region = \"here\";",
		       secret);
	two = next(world, one, entry(world, "b", more));
	assert_ptr_equal(instance_of(&one->backends[0]), instance_of(&two->backends[0]));
	assert_false(two->backends[0].config->accept_new);
	generation_unref(one);
	counted(world, "o");
	assert_string_equal(two->backends[0].public_url, "http://127.0.0.1:1");
	assert_string_equal(two->backends[0].module->name, "good");
	three = next(world, two, entry(world, "b", more));
	generation_unref(two);
	generation_unref(three);
	counted(world, "oc");
}

static void
test_next__changed_backend_is_opened_anew(void **state)
{
	struct world *world = *state;
	static const char *const changes[] = {
		"region = \"there\";",
		"n = 4;",
		"strict = false;",
		"form = \"short\";",
		"password = \"plain:other\";",
		"old_passwords = ( \"plain:one\" );",
		"store = \"http://127.0.0.1:2\";",
		"greeting = \"hello\";",
		"endpoint = \"http://127.0.0.1:2\";",
		"public_endpoint = \"http://127.0.0.1:2\";",
		"connect_timeout = \"4s\";",
		"request_timeout = \"4s\";",
		"retries = 5;",
		"insecure = true;",
	};

	for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++) {
		struct generation *one = open_backends(world, entry(world, "b", ""), false);
		struct generation *two = next(world, one, entry(world, "b", changes[i]));

		assert_ptr_not_equal(instance_of(&one->backends[0]),
				     instance_of(&two->backends[0]));
		generation_unref(one);
		generation_unref(two);
		counted(world, "oocc");
		rig_write(world->counter, "", 0);
	}
}

/* Where a text ends and the next one begins is part of what is compared. */
static void
test_next__list_of_secrets_is_compared_one_by_one(void **state)
{
	struct world *world = *state;
	struct generation *one = open_backends(
		world, entry(world, "b", "old_passwords = ( \"plain:ab\", \"plain:c\" );"), false);
	struct generation *two = next(
		world, one, entry(world, "b", "old_passwords = ( \"plain:a\", \"plain:bc\" );"));

	assert_ptr_not_equal(instance_of(&one->backends[0]), instance_of(&two->backends[0]));
	generation_unref(one);
	generation_unref(two);
}

static void
test_next__changed_content_behind_a_file(void **state)
{
	struct world *world = *state;
	const char *secret = rig_path(world->dir, "secret");
	struct generation *one, *two, *three;
	char more[256];

	(void)snprintf(more, sizeof more, "password = \"file:%s\";", secret);
	rig_write(secret, "the first secret", 16);
	one = open_backends(world, entry(world, "b", more), false);
	rig_write(secret, "the other secret", 16);
	two = next(world, one, entry(world, "b", more));
	assert_ptr_not_equal(instance_of(&one->backends[0]), instance_of(&two->backends[0]));
	generation_unref(one);
	/* Written again, with the same bytes. */
	rig_write(secret, "the other secret", 16);
	three = next(world, two, entry(world, "b", more));
	assert_ptr_equal(instance_of(&two->backends[0]), instance_of(&three->backends[0]));
	generation_unref(two);
	generation_unref(three);
	counted(world, "oocc");
}

static void
test_next__changed_certificate_behind_a_file(void **state)
{
	struct world *world = *state;
	struct pki *pki = pki_new(world->dir);
	struct generation *one, *two, *three;
	char more[256];

	(void)snprintf(more, sizeof more,
		       "ca_file = \"%s/ca.pem\"; endpoint = \"https://127.0.0.1:1\";", world->dir);
	one = open_backends(world, entry(world, "b", more), false);
	two = next(world, one, entry(world, "b", more));
	assert_ptr_equal(instance_of(&one->backends[0]), instance_of(&two->backends[0]));
	pki_free(pki);
	pki = pki_new(world->dir); /* another one, by the same name */
	three = next(world, two, entry(world, "b", more));
	assert_ptr_not_equal(instance_of(&two->backends[0]), instance_of(&three->backends[0]));
	pki_free(pki);
	generation_unref(one);
	generation_unref(two);
	generation_unref(three);
	counted(world, "oocc");
}

/* Its slow neighbours may keep the generation. */
static void
test_close__one_backend_before_the_others(void **state)
{
	struct world *world = *state;
	char text[2048];
	struct generation *one, *two;

	(void)snprintf(text, sizeof text, "%s,\n%s", entry(world, "b", ""), entry(world, "c", ""));
	one = open_backends(world, text, false);
	backend_close(&one->backends[1]);
	counted(world, "ooc");
	two = next(world, one, entry(world, "b", ""));
	assert_true(backend_is_same(&one->backends[0], &two->backends[0]));
	backend_close(&one->backends[0]);
	counted(world, "ooc");
	generation_unref(one);
	generation_unref(two);
	counted(world, "oocc");
}

static void
test_next__other_name_is_another_backend(void **state)
{
	struct world *world = *state;
	struct generation *one = open_backends(world, entry(world, "b", ""), false);
	struct generation *two = next(world, one, entry(world, "c", ""));

	assert_ptr_not_equal(instance_of(&one->backends[0]), instance_of(&two->backends[0]));
	generation_unref(one);
	generation_unref(two);
	counted(world, "oocc");
}

/* One of two is broken: the other one, which moved over, must live on. */
static void
test_next__failure_leaves_the_old_one_alone(void **state)
{
	struct world *world = *state;
	struct generation *one = open_backends(world, entry(world, "b", ""), false);
	char text[2048];

	(void)snprintf(text, sizeof text, "%s,\n%s", entry(world, "b", ""),
		       entry(world, "c", "fail_open = true;"));
	assert_null(next(world, one, text));
	counted(world, "o");
	assert_int_equal(atomic_load(&instance_of(&one->backends[0])->refs), 1);
	generation_unref(one);
	counted(world, "oc");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_next__same_backend_moves_over, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_next__changed_backend_is_opened_anew, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_next__list_of_secrets_is_compared_one_by_one,
						setup, teardown),
		cmocka_unit_test_setup_teardown(test_next__changed_content_behind_a_file, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_next__changed_certificate_behind_a_file, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_close__one_backend_before_the_others, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_next__other_name_is_another_backend, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_next__failure_leaves_the_old_one_alone, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
