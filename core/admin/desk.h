/* SPDX-License-Identifier: Apache-2.0
 * desk.h - where reloads are asked for, and the outcome of the last one is kept.
 *
 *   peer: desk_ask() ── wake() ──► main thread: desk_begin() ── reload ── desk_end() ──► peer
 *
 * Whoever asks during a reload waits for the next one: this one may have read the files already.
 */
#ifndef COSID_ADMIN_DESK_H
#define COSID_ADMIN_DESK_H
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/diag.h"

struct desk_report {
	unsigned number; /* of reloads so far; 0: there was none */
	bool ok;
	unsigned generation; /* that served afterwards */
	size_t nbackends;    /* of it */
	int64_t at_s, took_us;
	size_t nlines;
	char *lines[DIAG_MAX]; /* owned; errors and warnings */
};

struct desk {
	void (*wake)(void *arg);
	void *wake_arg;
	pthread_mutex_t mutex;
	pthread_cond_t ended;
	bool closed;
	uint64_t asked, begun, done; /* tickets */
	struct desk_report last;
};

/* wake: tells the main thread that somebody has asked; any thread. */
void desk_init(struct desk *desk, void (*wake)(void *arg), void *wake_arg);
/* Nobody may be waiting. */
void desk_done(struct desk *desk);
/* Whoever waits, or asks from now on, is told that there will be no reload. */
void desk_close(struct desk *desk);

/* Waits for a reload that begins after this.  0 with a copy of its report, or -1: closed, or no
 * memory. */
int desk_ask(struct desk *desk, struct desk_report *out);
/* How the last one ended.  0, or -1: no memory. */
int desk_last(struct desk *desk, struct desk_report *out);
void desk_report_done(struct desk_report *report);

/* Main thread.  Has anybody asked since the last desk_begin()? */
bool desk_is_asked(struct desk *desk);
void desk_begin(struct desk *desk);
/* Takes a copy of the lines; number is counted here. */
void desk_end(struct desk *desk, const struct desk_report *report, const struct diag *diag);

#endif
