/* SPDX-License-Identifier: Apache-2.0
 * rpc_call.h - an RPC call, from the request for it to its last batch.
 *
 *   armed --t_new--> begun -+-> refused or answered here ---------------- t_done --> ended
 *                           +-> watched (t_close), submitted --> reply -- t_done --> ended
 *
 * "Armed" is a request to the C core for the next call of a method; the entry of a call that ended
 * is used again.  A call belongs to the polling thread.  Another thread meets it in one place only:
 * the scheduler's reply, which ends by handing it back through its last batch (t_done).  Batches
 * that are out count as references; the last to come back ends the call.
 *
 * rpc_call.c takes calls through their batches; serve.c decides what they are answered.
 */
#ifndef COSID_RPC_RPC_CALL_H
#define COSID_RPC_RPC_CALL_H
#include <grpc/grpc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/queue.h>

#include "rpc/api_version.h"
#include "rpc/call_log.h"
#include "rpc/connections.h"
#include "sched/sched.h"

/* An event of the completion queue.  Embedded in what it stands for; posted once at a time. */
struct tag {
	void (*fn)(struct tag *tag, bool ok);
};

/* ThreadSanitizer does not see the order that an uninstrumented core makes: a tag comes out of the
 * queue after the call that put it in. */
#if defined(__SANITIZE_THREAD__)
#define TAG_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TAG_TSAN 1
#endif
#endif
#ifdef TAG_TSAN
void __tsan_acquire(void *);
void __tsan_release(void *);
#define TAG_POST(tag) __tsan_release(tag)
#define TAG_GOT(tag)  __tsan_acquire(tag)
#else
#define TAG_POST(tag) ((void)(tag))
#define TAG_GOT(tag)  ((void)(tag))
#endif

/* One registered method, or the generic entry that takes all others. */
struct rpc_method {
	const struct api_version *version; /* NULL: generic */
	const struct api_method *api;      /* NULL: generic */
	void *registered;                  /* the core's; NULL: generic */
	unsigned narmed;
};

struct rpc_calls;
struct rpc_call {
	struct tag t_new, t_close, t_done;
	struct rpc_calls *calls;
	struct rpc_method *method;
	grpc_call *core;
	grpc_call_details details; /* generic */
	gpr_timespec deadline;     /* registered */
	grpc_metadata_array metadata;
	grpc_byte_buffer *in, *out;
	int cancelled;                 /* what RECV_CLOSE_ON_SERVER says */
	int nbatches;                  /* that are out */
	struct connection *connection; /* that counts it as open; NULL: none does */
	int64_t arrived_ms;
	/* Of a call that the scheduler is given: */
	struct call *routed;           /* rpc's reference */
	const ProtobufCMessage *input; /* from the routed call's arena */
	size_t nbytes;                 /* of the request */
	bool submitted;                /* and watched; false: it is refused here */
	LIST_ENTRY(rpc_call) link;     /* in calls->routed */
	struct rpc_call *next_free;
};

struct rpc_calls {
	grpc_server *grpc; /* borrowed, as the next four */
	grpc_completion_queue *queue;
	struct sched *sched;
	struct connections *connections;
	struct call_log *log;
	size_t nmethods;
	struct rpc_method *methods; /* owned; the last one is generic */
	struct rpc_call *free_list;
	size_t ncalls, nbytes; /* given to the scheduler and not ended; bytes of their requests */
	pthread_mutex_t mutex; /* guards routed */
	LIST_HEAD(, rpc_call) routed;
	atomic_size_t nopen;       /* begun and not ended, which is when the answer has been read */
	atomic_size_t nunanswered; /* of these, without an answer yet */
	atomic_bool draining;      /* new calls are answered UNAVAILABLE */
	atomic_bool closed;        /* no call is requested: the core's server is shutting down */
	/* Called, on any thread, when one of the two has become 0 while draining. */
	void (*idle)(void *owner);
	void *owner;
};

/* Registers the methods of all versions, starts the core's server and requests the first calls:
 * before the polling thread starts.  The borrowed members are set.  0 or -1 with status. */
int rpc_calls_start(struct rpc_calls *calls, struct status *status);
/* Makes the scheduler reply at once to all that it has not replied to: cosid is stopping.  While
 * draining; any thread. */
void rpc_calls_cut(struct rpc_calls *calls);
/* After the polling thread has ended. */
void rpc_calls_done(struct rpc_calls *calls);

/* Answers the call, or submits it to the scheduler, whose reply answers it.  Polling thread; never
 * blocks. */
void rpc_call_serve(struct rpc_call *rpc);
/* Of a call that the scheduler will be given: rpc_calls_cut() applies to it, and the scheduler is
 * told when the client goes away.  Before sched_submit(). */
void rpc_call_watch(struct rpc_call *rpc);
/* The answer, in the call's last batch: afterwards the call is the polling thread's alone.  message
 * becomes the call's; text is for codes other than OK. */
void rpc_call_finish(struct rpc_call *rpc, unsigned code, const char *text,
		     grpc_byte_buffer *message);

#endif
