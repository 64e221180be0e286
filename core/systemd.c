/* SPDX-License-Identifier: Apache-2.0
 * systemd.c - the status line of `systemctl status`, and the watchdog's beats.
 *
 *   generation 3 serves 2 backends on unix:///run/cosid/cosi.sock, 1 older draining; rgw-east:
 *   circuit breaker open for http://127.0.0.1:8000: cannot connect; minio-1: stuck calls: 2
 *
 * Stuck calls are reported and no more: a watchdog that killed for them would cut off the calls of
 * all other stores.  The polling thread gives the beats (rpc/server.h).
 */
#include "systemd.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-daemon.h>

#include "admin/admin.h"
#include "base/log.h"
#include "base/secret.h"

#include "banned.h"

/* A reload's error and a path in the status line; systemd takes messages of 4096 bytes. */
enum { STATUS_PART_MOST = 256 };
/* systemd.service(5) advises two; twice that, for a machine that is busy. */
enum { BEATS_PER_WATCHDOG = 4 };

/* state: an assignment of its own, or empty: then an unchanged line is not sent again. */
static void
systemd_send(struct systemd *systemd, const char *state)
{
	struct sched_status *status;
	struct line line;
	char *why = systemd->refused;

	if (getenv("NOTIFY_SOCKET") == NULL)
		return;
	status = sched_status(systemd->sched);
	line.len = 0;
	if (status == NULL) {
		line_add(&line, "out of memory");
	} else if (why != NULL) {
		line_addf(&line, "reload failed, generation %u continues to serve: ",
			  status->generation->number);
		/* In place, so it ends where the masked text ends. */
		why[secret_mask(why, strlen(why))] = '\0';
		line_add_escaped(&line, LINE_SHOWN, STATUS_PART_MOST, why, strlen(why));
	} else {
		size_t n = status->generation->nbackends;

		line_addf(&line, "generation %u serves ", status->generation->number);
		if (status->generation->nleft_out > 0)
			line_addf(&line, "%zu of ", n - status->generation->nleft_out);
		line_addf(&line, "%zu backend%s on unix://", n, n == 1 ? "" : "s");
		line_add_escaped(&line, LINE_SHOWN, STATUS_PART_MOST, systemd->socket_path,
				 strlen(systemd->socket_path));
	}
	if (status != NULL)
		admin_summary(&line, status);
	sched_status_free(systemd->sched, status);
	line.text[line.len] = '\0'; /* there is room: parts have limits */
	if (state[0] == '\0' && systemd->sent != NULL && strcmp(line.text, systemd->sent) == 0)
		return;
	(void)sd_notifyf(0, "%sSTATUS=%s", state, line.text);
	free(systemd->sent);
	systemd->sent = strdup(line.text);
}

void
systemd_ready(struct systemd *systemd)
{
	systemd_send(systemd, "READY=1\n");
}

void
systemd_reloading(int64_t begun_us)
{
	(void)sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%" PRId64 "\nSTATUS=reloading", begun_us);
}

void
systemd_reloaded(struct systemd *systemd, const char *why)
{
	free(systemd->refused);
	systemd->refused = why != NULL ? strdup(why) : NULL;
	systemd_send(systemd, "READY=1\n");
}

void
systemd_stopping(void)
{
	(void)sd_notify(0, "STOPPING=1\nSTATUS=finishing the calls in flight");
}

void
systemd_update(struct systemd *systemd)
{
	systemd_send(systemd, "");
}

void
systemd_done(struct systemd *systemd)
{
	free(systemd->refused);
	free(systemd->sent);
	*systemd = (struct systemd){ 0 };
}

int64_t
systemd_beat_ms(void)
{
	uint64_t watchdog_us;

	if (sd_watchdog_enabled(0, &watchdog_us) <= 0)
		return 0;
	return (int64_t)(watchdog_us / 1000 / BEATS_PER_WATCHDOG) + 1;
}

void
systemd_beat(void)
{
	(void)sd_notify(0, "WATCHDOG=1");
}
