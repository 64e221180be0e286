/* SPDX-License-Identifier: Apache-2.0
 * fake_router.c - a router without backends: it answers, refuses or keeps what it is given.
 *
 * Included by tests of core/rpc.  It stands in for core/router, whose archive is not opened because
 * every symbol that core/rpc needs is here; what the real one does is tested in tests/unit/router.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "router/router.h"
#include "rpc/core.h"

/* What the test's thread does before a call comes before what the router does with it, and that
 * before the answer's reader; ThreadSanitizer does not see this, since it goes through a socket. */
static char fake_order;

enum { FAKE_CAP = 1 << 24, FAKE_HELD_MAX = 4096 };

struct router {
	pthread_mutex_t mutex;
	pthread_cond_t changed;
	uint32_t protocols;
	const char *driver_name;
	/* How calls are answered. */
	struct status outcome;
	struct answer answer;
	bool deaf;      /* a cancellation is no reason to reply */
	bool hold;      /* kept until fake_release() or a cancellation */
	bool elsewhere; /* answered on a thread of their own */
	struct call *held[FAKE_HELD_MAX];
	size_t nheld, nsubmitted, ncancelled, nlive;
	/* What the last request was; texts are copies. */
	struct request last;
	char last_name[512], last_id[4096];
};

static void
fake_init(struct router *router)
{
	memset(router, 0, sizeof *router);
	pthread_mutex_init(&router->mutex, NULL);
	pthread_cond_init(&router->changed, NULL);
	router->protocols = COSI_S3;
	router->driver_name = "fake.example.org";
}

struct call *
call_new(struct router *router)
{
	struct call *call = calloc(1, sizeof *call);

	if (call == NULL)
		return NULL;
	arena_init(&call->arena, FAKE_CAP);
	atomic_init(&call->refs, 1);
	call->state = (struct call_state *)router;
	pthread_mutex_lock(&router->mutex);
	router->nlive++;
	pthread_mutex_unlock(&router->mutex);
	return call;
}

void
call_unref(struct call *call)
{
	struct router *router = (struct router *)call->state;

	if (atomic_fetch_sub(&call->refs, 1) != 1)
		return;
	arena_done(&call->arena);
	free(call);
	pthread_mutex_lock(&router->mutex);
	router->nlive--;
	pthread_cond_broadcast(&router->changed);
	pthread_mutex_unlock(&router->mutex);
}

static void
fake_reply(struct router *router, struct call *call)
{
	const struct status outcome = router->outcome;

	call->answer = router->answer;
	TAG_POST(&fake_order);
	call->reply(call, &outcome);
}

static void *
fake_worker(void *arg)
{
	struct call *call = arg;

	fake_reply((struct router *)call->state, call);
	call_unref(call);
	return NULL;
}

static void
fake_note(struct router *router, const struct call *call)
{
	router->nsubmitted++;
	router->last = call->req;
	(void)snprintf(router->last_name, sizeof router->last_name, "%s",
		       call->req.name != NULL ? call->req.name : "");
	(void)snprintf(router->last_id, sizeof router->last_id, "%s",
		       call->req.id != NULL ? call->req.id : "");
}

void
router_submit(struct router *router, struct call *call)
{
	pthread_t thread;
	bool hold;

	TAG_GOT(&fake_order);
	pthread_mutex_lock(&router->mutex);
	fake_note(router, call);
	hold = router->hold;
	if (hold) {
		atomic_fetch_add(&call->refs, 1);
		router->held[router->nheld++] = call;
	}
	pthread_cond_broadcast(&router->changed);
	pthread_mutex_unlock(&router->mutex);
	TAG_POST(&fake_order);
	if (hold)
		return;
	if (!router->elsewhere) {
		fake_reply(router, call);
		return;
	}
	atomic_fetch_add(&call->refs, 1);
	if (pthread_create(&thread, NULL, fake_worker, call) == 0)
		pthread_detach(thread);
	else /* the machine has no thread to spare: here, then */
		(void)fake_worker(call);
}

/* Takes a held call out; false: it was answered already. */
static bool
fake_take(struct router *router, struct call *call)
{
	for (size_t i = 0; i < router->nheld; i++) {
		if (router->held[i] != call)
			continue;
		router->held[i] = router->held[--router->nheld];
		return true;
	}
	return false;
}

void
router_cancel(struct router *router, struct call *call)
{
	const struct status gone = { .code = COSI_TIMEOUT, .text = "the client went away" };
	bool ours;

	pthread_mutex_lock(&router->mutex);
	router->ncancelled++;
	ours = !router->deaf && fake_take(router, call);
	pthread_cond_broadcast(&router->changed);
	pthread_mutex_unlock(&router->mutex);
	if (!ours)
		return;
	call->reply(call, &gone);
	call_unref(call);
}

const struct log_fields *
call_fields(const struct call *call)
{
	static const struct log_fields fields = {
		.api = "v1alpha1", .method = "DriverFake", .backend = "fake", .bucket = "bucket"
	};

	(void)call;
	return &fields;
}

uint32_t
router_protocols(struct router *router)
{
	uint32_t protocols;

	TAG_GOT(&fake_order);
	protocols = router->protocols;
	TAG_POST(&fake_order);
	return protocols;
}

const char *
router_driver_name(struct router *router)
{
	return router->driver_name;
}

/* Answers all that are held. */
static void __attribute__((unused)) fake_release(struct router *router)
{
	for (;;) {
		struct call *call = NULL;

		pthread_mutex_lock(&router->mutex);
		router->hold = false;
		if (router->nheld > 0)
			call = router->held[--router->nheld];
		pthread_mutex_unlock(&router->mutex);
		if (call == NULL)
			return;
		fake_reply(router, call);
		call_unref(call);
	}
}

/* Waits until that many calls are held. */
static void __attribute__((unused)) fake_wait_held(struct router *router, size_t n)
{
	pthread_mutex_lock(&router->mutex);
	while (router->nheld < n)
		pthread_cond_wait(&router->changed, &router->mutex);
	pthread_mutex_unlock(&router->mutex);
}

/* Waits until a cancellation has come. */
static void __attribute__((unused)) fake_wait_cancelled(struct router *router, size_t n)
{
	pthread_mutex_lock(&router->mutex);
	while (router->ncancelled < n)
		pthread_cond_wait(&router->changed, &router->mutex);
	pthread_mutex_unlock(&router->mutex);
}

/* Waits until every call has been let go by all who held it. */
static void __attribute__((unused)) fake_wait_freed(struct router *router)
{
	pthread_mutex_lock(&router->mutex);
	while (router->nlive > 0)
		pthread_cond_wait(&router->changed, &router->mutex);
	pthread_mutex_unlock(&router->mutex);
}
