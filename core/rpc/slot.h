/* SPDX-License-Identifier: Apache-2.0
 * slot.h - the calls of the server, one slot each.
 *
 *   armed --t_new--> accepted -+-> answered here ---------------------------- t_done --> free
 *                              +-> watched (t_close), submitted --> reply --- t_done --> free
 *
 * Slots belong to the polling thread.  Another thread meets a slot in one place alone: the reply
 * that the router gives, which ends by handing the slot back through its last batch.
 */
#ifndef COSID_RPC_SLOT_H
#define COSID_RPC_SLOT_H
#include <grpc/grpc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/queue.h>

#include "router/router.h"
#include "rpc/call_log.h"
#include "rpc/connections.h"
#include "rpc/core.h"
#include "rpc/dialect.h"

/* One registered method, or the generic entry that takes all others. */
struct slots_method {
	const struct dialect *dialect;       /* NULL: generic */
	const struct dialect_method *method; /* NULL: generic */
	void *registered;                    /* the core's; NULL: generic */
	unsigned narmed;                     /* requests for calls that are out */
	/* DriverGetInfo: the bytes of its answer, made for these protocols. */
	grpc_slice info;
	uint32_t info_protocols;
	bool info_made;
};

struct slots;
struct slot {
	struct tag t_new, t_close, t_done;
	struct slots *slots;
	struct slots_method *method;
	grpc_call *call;
	grpc_call_details details; /* generic */
	gpr_timespec deadline;     /* registered */
	grpc_metadata_array metadata;
	grpc_byte_buffer *in, *out;
	int cancelled;                 /* what RECV_CLOSE_ON_SERVER says */
	int refs;                      /* batches that are out */
	struct connection *connection; /* that counts it as open; NULL: none does */
	int64_t arrived_ms;
	/* Of a call that the router was given: */
	struct call *routed;           /* a reference */
	const ProtobufCMessage *input; /* from the call's arena */
	size_t nbytes;                 /* of the request */
	bool submitted;                /* and watched; false: it is refused here */
	atomic_bool cut;               /* the server stops and waits for the router no longer */
	LIST_ENTRY(slot) link;         /* in slots->routed */
	struct slot *next;             /* in the free list */
};

struct slots {
	grpc_server *grpc; /* borrowed, as the next four */
	grpc_completion_queue *queue;
	struct router *router;
	struct connections *connections;
	struct call_log *log;
	size_t nmethods;
	struct slots_method *methods; /* owned; the last one is generic */
	struct slot *free_list;
	size_t ncalls, nbytes; /* given to the router and not ended; bytes of their requests */
	pthread_mutex_t mutex; /* guards routed */
	LIST_HEAD(, slot) routed;
	atomic_size_t nbusy;  /* accepted and not ended, which is when the answer has been read */
	atomic_size_t nasked; /* of these, not answered yet */
	atomic_bool draining, closed;
	/* Called, on any thread, when one of the two has become 0 while draining. */
	void (*idle)(void *owner);
	void *owner;
};

/* Registers the methods of all dialects: before grpc_server_start().  The borrowed members are set.
 * 0 or -1 with status. */
int slots_init(struct slots *slots, struct status *status);
/* Arms the slots: after grpc_server_start(), before the polling thread starts.  0, or -1 with
 * status: there is no memory. */
int slots_arm(struct slots *slots, struct status *status);
/* From now on new calls are answered UNAVAILABLE.  Any thread. */
void slots_drain(struct slots *slots);
/* From now on nothing is armed again: before the core's server is shut down.  Any thread. */
void slots_close(struct slots *slots);
/* Has the router asked to reply at once to all that it has not replied to.  Not before
 * slots_drain(); any thread. */
void slots_cut(struct slots *slots);
/* After the polling thread has ended. */
void slots_done(struct slots *slots);

/* Of a call that the router will be given: it is one that slots_cut() means, and when the client
 * goes away router_cancel() is called.  Before router_submit(). */
void slot_watch(struct slot *slot);
/* The answer, in the slot's last batch: afterwards the slot is the polling thread's alone.  message
 * becomes the slot's; text is for codes other than OK. */
void slot_finish(struct slot *slot, unsigned code, const char *text, grpc_byte_buffer *message);

#endif
