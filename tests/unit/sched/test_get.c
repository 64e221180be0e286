/* SPDX-License-Identifier: Apache-2.0
 * test_get.c - what a Get compares before it says that the bucket is the one that was meant. */
#include "fakes.h"

#include "banned.h"

static const struct fake_spec two[] = { { .name = "east" },
					{ .name = "wide", .protocols = COSI_S3 | COSI_GCS } };
static const struct fake_setup setup = { .nbackends = 2, .backends = two };

static struct shot *
get_with(struct sched *sched, const char *id, const char *color, uint32_t protocols)
{
	struct shot *shot = shot_new(REQUEST_GET);

	shot->req->id = id;
	shot->req->protocols = protocols;
	if (color != NULL)
		shot_param(shot, "color", color);
	shoot(sched, shot);
	return shot;
}

/* clause 72: parameters are compared only where they are given, and cosid created the bucket. */
static void
test_get__parameters(void **state)
{
	struct sched *sched = fake_start(&setup);
	struct shot *create = shot_new(REQUEST_CREATE);

	(void)state;
	create->req->name = "photos";
	shot_param(create, "backend", "east");
	shot_param(create, "color", "red");
	shoot(sched, create);
	shot_expect_id(create, "east.photos");
	shot_expect_id(get_with(sched, "east.photos", NULL, 0), "east.photos");
	shot_expect_id(get_with(sched, "east.photos", "red", 0), "east.photos");
	shot_expect(get_with(sched, "east.photos", "blue", 0), COSI_EXISTS,
		    "bucket 'photos' was created with other parameters");
	fake_has("east", "foreign", NULL, "1:not-cosids");
	shot_expect_id(get_with(sched, "east.foreign", "blue", 0), "east.foreign");
	fake_stop(sched);
}

/* A backend may serve a protocol that this bucket of it does not. */
static void
test_get__protocols_of_the_bucket(void **state)
{
	struct sched *sched = fake_start(&setup);

	(void)state;
	fake_has("wide", "photos", "photos", NULL);
	shot_expect_id(get_with(sched, "wide.photos", NULL, COSI_S3 | COSI_GCS), "wide.photos");
	FAKE_SET("wide", speaks, COSI_S3);
	shot_expect_id(get_with(sched, "wide.photos", NULL, COSI_S3), "wide.photos");
	shot_expect(get_with(sched, "wide.photos", NULL, COSI_GCS), COSI_INVALID,
		    "bucket 'photos' supports s3, requested: gcs");
	fake_stop(sched);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_get__parameters),
		cmocka_unit_test(test_get__protocols_of_the_bucket),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
