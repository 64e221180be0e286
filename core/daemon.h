/* SPDX-License-Identifier: Apache-2.0
 * daemon.h - what one running daemon has; main.c makes and ends it, daemon_reload() changes it. */
#ifndef COSID_DAEMON_H
#define COSID_DAEMON_H
#include "admin/admin.h"
#include "config/config.h"
#include "module/backend.h"
#include "rpc/server.h"
#include "sched/sched.h"

#include "options.h"
#include "systemd.h"

/* How often a backend that is left out is tried again. */
enum { DAEMON_RETRY_MS = 60 * 1000 };

struct daemon {
	const struct options *options;
	struct config *config;  /* a reference on the one that serves */
	struct config *started; /* a reference on the first one: the server borrows from it */
	struct generation *generation; /* sched_new() takes its reference over */
	struct sched *sched;
	struct server *server;
	struct reload_queue reloads;
	struct systemd systemd;
	struct admin *admin; /* NULL: there is none */
	int listen_fd;
	int64_t retry_ms;       /* monotonic; when what is left out is tried again */
	int signal_fd, wake_fd; /* what the main thread waits for: a signal; daemon_wake() */
};

/* Lets the main thread look for requested reloads and for generations that can be closed.  Any
 * thread. */
void daemon_wake(void *arg);
/* The settings of a configuration that the scheduler and the server need. */
struct sched_config daemon_sched_config(struct daemon *daemon, const struct config *config);
struct server_config daemon_server_config(struct daemon *daemon, const struct config *config);

/* A new configuration for a daemon that serves, wholly or not at all: reads everything again and
 * swaps; the old generation goes on when anything fails, and the log and systemd are told.  Main
 * thread. */
void daemon_reload(struct daemon *daemon);
/* Once a minute tries to open the backends that are left out; the others are not touched.  Main
 * thread. */
void daemon_retry(struct daemon *daemon);

#endif
