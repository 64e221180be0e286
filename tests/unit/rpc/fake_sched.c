/* SPDX-License-Identifier: Apache-2.0
 * fake_sched.c - a scheduler without backends: it answers, refuses or keeps what it is given.
 *
 * Included by tests of core/rpc.  It stands in for core/sched, whose archive is not opened because
 * every symbol that core/rpc needs is here; what the real one does is tested in tests/unit/sched.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "rpc/rpc_call.h"
#include "sched/sched.h"

/* What the test's thread does before a call comes before what the scheduler does with it, and that
 * before the answer's reader; ThreadSanitizer does not see this, since it goes through a socket. */
static char fake_order;

enum { FAKE_CAP = 1 << 24, FAKE_HELD_MAX = 4096 };

struct sched {
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

static struct sched *fake_current; /* counts the calls that live */

static void
fake_init(struct sched *sched)
{
	fake_current = sched;
	memset(sched, 0, sizeof *sched);
	pthread_mutex_init(&sched->mutex, NULL);
	pthread_cond_init(&sched->changed, NULL);
	sched->protocols = COSI_S3;
	sched->driver_name = "fake.example.org";
}

struct call *
call_new()
{
	struct call *call = calloc(1, sizeof *call);

	if (call == NULL)
		return NULL;
	arena_init(&call->arena, FAKE_CAP);
	atomic_init(&call->owners, CALL_OWNER_RPC);
	call->sched = fake_current;
	pthread_mutex_lock(&call->sched->mutex);
	call->sched->nlive++;
	pthread_mutex_unlock(&call->sched->mutex);
	return call;
}

void
call_release(struct call *call, enum call_owner owner)
{
	struct sched *sched = call->sched;

	if (atomic_fetch_and(&call->owners, ~(unsigned)owner) != (unsigned)owner)
		return;
	arena_done(&call->arena);
	free(call);
	pthread_mutex_lock(&sched->mutex);
	sched->nlive--;
	pthread_cond_broadcast(&sched->changed);
	pthread_mutex_unlock(&sched->mutex);
}

static void
fake_reply(struct sched *sched, struct call *call)
{
	const struct status outcome = sched->outcome;

	call->answer = sched->answer;
	TAG_POST(&fake_order);
	call->reply(call, &outcome);
}

static void *
fake_worker(void *arg)
{
	struct call *call = arg;

	fake_reply(call->sched, call);
	call_release(call, CALL_OWNER_SCHED);
	return NULL;
}

static void
fake_note(struct sched *sched, const struct call *call)
{
	sched->nsubmitted++;
	sched->last = call->req;
	(void)snprintf(sched->last_name, sizeof sched->last_name, "%s",
		       call->req.name != NULL ? call->req.name : "");
	(void)snprintf(sched->last_id, sizeof sched->last_id, "%s",
		       call->req.id != NULL ? call->req.id : "");
}

void
sched_submit(struct sched *sched, struct call *call)
{
	pthread_t thread;
	bool hold;

	TAG_GOT(&fake_order);
	pthread_mutex_lock(&sched->mutex);
	fake_note(sched, call);
	hold = sched->hold;
	if (hold) {
		atomic_fetch_or(&call->owners, CALL_OWNER_SCHED);
		sched->held[sched->nheld++] = call;
	}
	pthread_cond_broadcast(&sched->changed);
	pthread_mutex_unlock(&sched->mutex);
	TAG_POST(&fake_order);
	if (hold)
		return;
	if (!sched->elsewhere) {
		fake_reply(sched, call);
		return;
	}
	atomic_fetch_or(&call->owners, CALL_OWNER_SCHED);
	if (pthread_create(&thread, NULL, fake_worker, call) == 0)
		pthread_detach(thread);
	else /* the machine has no thread to spare: here, then */
		(void)fake_worker(call);
}

/* Takes a held call out; false: it was answered already. */
static bool
fake_take(struct sched *sched, struct call *call)
{
	for (size_t i = 0; i < sched->nheld; i++) {
		if (sched->held[i] != call)
			continue;
		sched->held[i] = sched->held[--sched->nheld];
		return true;
	}
	return false;
}

void
sched_cancel(struct sched *sched, struct call *call, enum reply_reason reason)
{
	const struct status gone = { .code = COSI_TIMEOUT, .text = "the client went away" };
	const struct status stopped = { .code = COSI_UNAVAILABLE,
					.text = "cannot create bucket 'n': cosid is stopping" };
	bool ours;

	pthread_mutex_lock(&sched->mutex);
	sched->ncancelled++;
	ours = !sched->deaf && fake_take(sched, call);
	pthread_cond_broadcast(&sched->changed);
	pthread_mutex_unlock(&sched->mutex);
	if (!ours)
		return;
	call->reply(call, reason == REPLY_STOPPED ? &stopped : &gone);
	call_release(call, CALL_OWNER_SCHED);
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
sched_protocols(struct sched *sched)
{
	uint32_t protocols;

	TAG_GOT(&fake_order);
	protocols = sched->protocols;
	TAG_POST(&fake_order);
	return protocols;
}

const char *
sched_driver_name(const struct sched *sched)
{
	return sched->driver_name;
}

/* Answers all that are held. */
static void __attribute__((unused)) fake_release(struct sched *sched)
{
	for (;;) {
		struct call *call = NULL;

		pthread_mutex_lock(&sched->mutex);
		sched->hold = false;
		if (sched->nheld > 0)
			call = sched->held[--sched->nheld];
		pthread_mutex_unlock(&sched->mutex);
		if (call == NULL)
			return;
		fake_reply(sched, call);
		call_release(call, CALL_OWNER_SCHED);
	}
}

/* Waits until that many calls are held. */
static void __attribute__((unused)) fake_wait_held(struct sched *sched, size_t n)
{
	pthread_mutex_lock(&sched->mutex);
	while (sched->nheld < n)
		pthread_cond_wait(&sched->changed, &sched->mutex);
	pthread_mutex_unlock(&sched->mutex);
}

/* Waits until a cancellation has come. */
static void __attribute__((unused)) fake_wait_cancelled(struct sched *sched, size_t n)
{
	pthread_mutex_lock(&sched->mutex);
	while (sched->ncancelled < n)
		pthread_cond_wait(&sched->changed, &sched->mutex);
	pthread_mutex_unlock(&sched->mutex);
}

/* Waits until every call has been let go by all who held it. */
static void __attribute__((unused)) fake_wait_freed(struct sched *sched)
{
	pthread_mutex_lock(&sched->mutex);
	while (sched->nlive > 0)
		pthread_cond_wait(&sched->changed, &sched->mutex);
	pthread_mutex_unlock(&sched->mutex);
}
