/* SPDX-License-Identifier: Apache-2.0
 * reload_queue.h - requests for a reload, and the report of the last one.
 *
 *   session: request() ── wake() ──► main thread: begin() ── reload ── end() ──► session
 *
 * A request that comes during a reload is served by the next one: the files may have been read
 * before it came.
 */
#ifndef COSID_ADMIN_RELOAD_QUEUE_H
#define COSID_ADMIN_RELOAD_QUEUE_H
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "config/diag.h"

struct reload_report {
	unsigned number; /* of reloads so far; 0: there was none */
	bool ok;
	unsigned generation; /* that served afterwards */
	size_t nbackends;    /* of it */
	int64_t at_s, took_us;
	size_t nlines;
	char *lines[DIAG_MAX]; /* owned; errors and warnings */
};

struct reload_queue {
	void (*wake)(void *arg);
	void *wake_arg;
	pthread_mutex_t mutex;
	pthread_cond_t ended;
	bool closed;
	uint64_t requested, begun, done; /* tickets: the last one that was given, is served, was */
	struct reload_report last;
};

/* wake: lets the main thread look for requests; called from any thread. */
void reload_queue_init(struct reload_queue *queue, void (*wake)(void *arg), void *wake_arg);
/* No thread may be waiting. */
void reload_queue_done(struct reload_queue *queue);
/* From now on requests, those that wait too, end without a reload. */
void reload_queue_close(struct reload_queue *queue);

/* Waits for a reload that begins after this.  0 with a copy of its report, or -1 with status:
 * UNAVAILABLE when the queue is closed, EXHAUSTED without memory for the copy. */
int reload_queue_request(struct reload_queue *queue, struct reload_report *out,
			 struct status *status);
/* A copy of the last report.  0, or -1: no memory. */
int reload_queue_last(struct reload_queue *queue, struct reload_report *out);
void reload_report_done(struct reload_report *report);

/* Main thread.  Returns true when a request has come since the last reload_queue_begin(). */
bool reload_queue_is_waiting(struct reload_queue *queue);
void reload_queue_begin(struct reload_queue *queue);
/* Copies the report, counts it, and takes the lines of diag for it. */
void reload_queue_end(struct reload_queue *queue, const struct reload_report *report,
		      struct diag *diag);

#endif
