/* SPDX-License-Identifier: Apache-2.0
 * trial.h - loading a module in a process that may die of it, before the daemon does it itself.
 *
 * A constructor that crashes, ends the process or never returns takes down /proc/self/exe
 * --describe COPY instead of the daemon.  Several trials run at once: start all, then wait.
 */
#ifndef COSID_MODULE_TRIAL_H
#define COSID_MODULE_TRIAL_H
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/status.h"

/* Sanitized programs start some ten times slower. */
#ifdef COSID_SANITIZED
#define TRIAL_LIMIT_MS 20000
#else
#define TRIAL_LIMIT_MS 2000
#endif

struct trial {
	pid_t pid;           /* 0: not running */
	int verdict_fd;      /* owned; what the child has to say */
	int64_t deadline_ms; /* monotonic */
	int64_t limit_ms;
};

/* 0 or -1 with status. */
int trial_start(struct trial *trial, const char *path, int64_t limit_ms, struct status *status);
/* Waits for the verdict and ends the child: 0 when the module could be loaded and unloaded. */
int trial_wait(struct trial *trial, struct status *status);

/* In the child: is this process one that a trial started? */
bool trial_is_child(void);
/* In the child, once: status OK, or why the module cannot be loaded. */
void trial_report(const struct status *status);

#endif
