/* SPDX-License-Identifier: Apache-2.0
 * notify.h - what systemd is told: state, status, signs of life (sd_notify(3)).
 *
 * Without a $NOTIFY_SOCKET nothing is told and nothing is looked at.  Main thread, but for the
 * beat. */
#ifndef COSID_NOTIFY_H
#define COSID_NOTIFY_H
#include <stdint.h>

struct daemon;
struct notify {
	char *refused; /* owned; why the last reload was; NULL: it was not */
	char *told;    /* owned; the status that was told last */
};

void notify_ready(struct daemon *daemon);
/* begun_us: monotonic. */
void notify_reloading(int64_t begun_us);
/* why: what was wrong with the reload; NULL: it was taken. */
void notify_reloaded(struct daemon *daemon, const char *why);
void notify_stopping(void);
/* Tells the status if it has changed.  Due once per notify_look_ms() (-1: never). */
void notify_look(struct daemon *daemon);
int notify_look_ms(void);
void notify_done(struct notify *notify);

/* How often a sign of life is wanted; 0: never.  Any thread gives it. */
int64_t notify_beat_ms(void);
void notify_beat(void);

#endif
