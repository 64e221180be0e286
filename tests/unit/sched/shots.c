/* SPDX-License-Identifier: Apache-2.0
 * shots.c - calls and what comes of them. */
#include <stdio.h>

#include "fakes.h"

#include "banned.h"

static void
keep_answer(struct shot *shot)
{
	const struct answer *answer = &shot->call->answer;
	const struct cosi_access *access = &answer->access;

	(void)snprintf(shot->id, sizeof shot->id, "%s", answer->id != NULL ? answer->id : "");
	shot->protocol = answer->protocol;
	if (answer->bucket.endpoint != NULL)
		(void)snprintf(shot->endpoint, sizeof shot->endpoint, "%s",
			       answer->bucket.endpoint);
	for (size_t i = 0; access->buckets != NULL && i < shot->req->nbuckets; i++) {
		size_t len = strlen(shot->buckets);

		(void)snprintf(shot->buckets + len, sizeof shot->buckets - len, "%s%s",
			       i > 0 ? " " : "", access->buckets[i]->name);
	}
}

static void
on_reply(struct call *call, const struct status *status)
{
	struct shot *shot = call->rpc;

	pthread_mutex_lock(&world.mutex);
	shot->status = *status;
	if (status_ok(status))
		keep_answer(shot);
	shot->replied_ms = clock_mono_ms();
	shot->thread = pthread_self();
	shot->replies++;
	pthread_cond_broadcast(&world.changed);
	pthread_mutex_unlock(&world.mutex);
}

struct shot *
shot_new(enum request_op op)
{
	struct shot *shot = calloc(1, sizeof *shot);

	assert_non_null(shot);
	shot->call = call_new();
	assert_non_null(shot->call);
	shot->req = &shot->call->req;
	shot->call->rpc = shot;
	shot->call->reply = on_reply;
	*shot->req = (struct request){
		.op = op,
		.api = "v1alpha2",
		.method = "Driver",
		.params = arena_alloc(&shot->call->arena, 32 * sizeof(struct cosi_kv)),
		.buckets = arena_alloc(&shot->call->arena,
				       (REQUEST_BUCKETS_MAX + 1) * sizeof(struct request_bucket)),
		.auth = op == REQUEST_GRANT ? COSI_AUTH_KEY : 0,
		.arrived_ms = clock_mono_ms(),
		.deadline_ms = CLOCK_NEVER,
	};
	return shot;
}

void
shot_param(struct shot *shot, const char *key, const char *value)
{
	struct cosi_kv *params = (struct cosi_kv *)(uintptr_t)shot->req->params;

	assert_true(shot->req->nparams < 32);
	params[shot->req->nparams++] = (struct cosi_kv){ .key = key, .value = value };
}

void
shot_bucket(struct shot *shot, const char *id, uint32_t mode)
{
	assert_true(shot->req->nbuckets <= REQUEST_BUCKETS_MAX);
	shot->req->buckets[shot->req->nbuckets++] =
		(struct request_bucket){ .id = arena_strdup(&shot->call->arena, id), .mode = mode };
}

void
shoot(struct sched *sched, struct shot *shot)
{
	sched_submit(sched, shot->call);
}

void
shot_wait(struct shot *shot)
{
	pthread_mutex_lock(&world.mutex);
	while (shot->replies == 0)
		pthread_cond_wait(&world.changed, &world.mutex);
	pthread_mutex_unlock(&world.mutex);
}

bool
shot_is_replied(struct shot *shot)
{
	bool replied;

	pthread_mutex_lock(&world.mutex);
	replied = shot->replies > 0;
	pthread_mutex_unlock(&world.mutex);
	return replied;
}

void
shot_free(struct shot *shot)
{
	assert_int_equal(shot->replies, 1);
	call_release(shot->call, CALL_OWNER_RPC);
	free(shot);
}

struct shot *
shot_create(struct sched *sched, const char *name, const char *backend)
{
	struct shot *shot = shot_new(REQUEST_CREATE);

	shot->req->name = arena_strdup(&shot->call->arena, name);
	if (backend != NULL)
		shot_param(shot, "backend", backend);
	shoot(sched, shot);
	return shot;
}

struct shot *
shot_by_id(struct sched *sched, enum request_op op, const char *id)
{
	struct shot *shot = shot_new(op);

	shot->req->id = arena_strdup(&shot->call->arena, id);
	shoot(sched, shot);
	return shot;
}

struct shot *
shot_grant(struct sched *sched, const char *account, const char *bucket_id)
{
	struct shot *shot = shot_new(REQUEST_GRANT);

	shot->req->name = arena_strdup(&shot->call->arena, account);
	shot_bucket(shot, bucket_id, COSI_READ_WRITE);
	shoot(sched, shot);
	return shot;
}

struct shot *
shot_revoke(struct sched *sched, const char *account_id)
{
	return shot_by_id(sched, REQUEST_REVOKE, account_id);
}

void
shot_expect(struct shot *shot, uint32_t code, const char *part)
{
	shot_wait(shot);
	if (shot->status.code != code || (part != NULL && strstr(shot->status.text, part) == NULL))
		fail_msg("%s: '%s', but %s: '%s' was expected", status_code_name(shot->status.code),
			 shot->status.text, status_code_name(code), part != NULL ? part : "");
	shot_free(shot);
}

void
shot_expect_id(struct shot *shot, const char *id)
{
	shot_wait(shot);
	assert_string_equal(shot->status.text, "");
	assert_string_equal(shot->id, id);
	shot_expect(shot, COSI_OK, NULL);
}
