/* SPDX-License-Identifier: Apache-2.0
 * crash.h - a module that ends the process is named in the log before the process is gone.
 *
 * A fatal signal on a thread that runs a module's code (THREAD_FAULTS) writes one error line with
 * the backend, the module, the function and the call's fields; then the signal takes its course.
 * Only main() calls exit(): from a module or a library it is such a crash, too, as is quick_exit(),
 * and ends in SIGABRT, so that systemd restarts the service.
 *
 * Two ends leave no line: _exit(), and a stack that overflows on the main thread, where open() and
 * close() run after load_check.h has tried them.
 */
#ifndef COSID_MODULE_CRASH_H
#define COSID_MODULE_CRASH_H
#include "base/cleanup.h"
#include "module/backend.h"

struct crash_scope {
	const struct crash_scope *outer;
	const struct backend *backend;   /* borrowed */
	const char *function;            /* a constant */
	const struct log_fields *fields; /* borrowed; NULL: none */
};

/* Once, before there are threads. */
void crash_install(void);
/* From now on the process may call exit(). */
void crash_expect_exit(void);

/* Thread-local; scopes nest. */
void crash_begin(struct crash_scope *scope);
void crash_end(struct crash_scope *scope);

/* To the end of the block, this thread runs that function of the backend's module. */
#define CRASH_SCOPE(backend, function, fields)                                                     \
	CLEANUP(crash_end)                                                                         \
	struct crash_scope COSID_CAT(crash_scope_, __LINE__) = { NULL, backend, function,          \
								 fields };                         \
	crash_begin(&COSID_CAT(crash_scope_, __LINE__))

#endif
