/* SPDX-License-Identifier: Apache-2.0
 * core.h - the gRPC C core, set up as it is needed here, and what goes through its queue. */
#ifndef COSID_RPC_CORE_H
#define COSID_RPC_CORE_H
#include <grpc/grpc.h>
#include <stdbool.h>

/* grpc_init(), with its log directed to cosid's. */
void core_init(void);
/* The caller's. */
grpc_server *core_server_new(void);

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

#endif
