/* SPDX-License-Identifier: Apache-2.0
 * trial.h - loading a module in a process that may die of it, before the daemon does it itself.
 *
 * A constructor that crashes, ends the process or never returns takes down a child instead of the
 * daemon.  Several trials run at once: start all, then wait.
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
/* While the daemon has a single thread, one child loads them in turn, since a child costs more than
 * a load.  Returns n: the first n have passed, and the others each need a trial of their own. */
size_t trial_together(const char *const *paths, size_t npaths, int64_t limit_ms);

/* Was this process started by a trial, with --describe PATH?  Then it calls trial_run(PATH): 0 or
 * -1, as the module could be loaded or not. */
bool trial_is_child(void);
int trial_run(const char *path);

#endif
