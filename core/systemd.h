/* SPDX-License-Identifier: Apache-2.0
 * systemd.h - what systemd is told: state, status line, watchdog beats (sd_notify(3)).
 *
 * Without a $NOTIFY_SOCKET nothing is sent.  Main thread, but for the beat. */
#ifndef COSID_SYSTEMD_H
#define COSID_SYSTEMD_H
#include <stdint.h>

#include "sched/sched.h"

struct systemd {
	struct sched *sched;     /* borrowed */
	const char *socket_path; /* borrowed */
	char *refused;           /* owned; why the last reload failed; NULL: it did not */
	char *sent;              /* owned; the last status line */
};

void systemd_ready(struct systemd *systemd);
/* begun_us: monotonic. */
void systemd_reloading(int64_t begun_us);
/* why: what was wrong; NULL: the new configuration serves. */
void systemd_reloaded(struct systemd *systemd, const char *why);
void systemd_stopping(void);
/* Sends the status line if it has changed.  Due once in a few seconds. */
void systemd_update(struct systemd *systemd);
void systemd_done(struct systemd *systemd);

/* How often a beat is wanted; 0: never.  Any thread gives it. */
int64_t systemd_beat_ms(void);
void systemd_beat(void);

#endif
