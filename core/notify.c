/* SPDX-License-Identifier: Apache-2.0
 * notify.c - the status line of `systemctl status`, and the watchdog's pings.
 *
 *   generation 3 serves 2 backends on unix:///run/cosid/cosi.sock, 1 older cooling; rgw-east:
 *   nothing is sent to http://127.0.0.1:8000: cannot connect; minio-1: stuck calls: 2
 *
 * Stuck calls are told and no more: a watchdog that killed for them would cut off the calls of all
 * other stores.  The polling thread of core/rpc gives the signs of life.
 */
#include "notify.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-daemon.h>

#include "base/log.h"
#include "base/secret.h"
#include "base/utc.h"

#include "daemon.h"

#include "banned.h"

/* systemd takes messages of 4096 bytes. */
enum { STATUS_MOST = 2048, TEXT_MOST = 256, LOOK_MS = 5000 };
/* systemd.service(5) advises two; twice that, for a machine that is busy. */
enum { BEATS_PER_WATCHDOG = 4 };

/* Texts of stores and modules are masked before they are cut. */
static void
add_text(struct line *line, char *text)
{
	line_add_escaped(line, LINE_SHOWN, TEXT_MOST, text, secret_mask(text, strlen(text)));
}

static void
add_breaker(struct line *line, struct backend_look *look)
{
	line_add(line, "nothing is sent to ");
	line_add_escaped(line, LINE_SHOWN, TEXT_MOST, look->open[0].url, strlen(look->open[0].url));
	line_add(line, ": ");
	add_text(line, look->open[0].error);
}

static void
add_failure(struct line *line, struct router_lane *lane)
{
	char when[UTC_MAX];

	line_addf(line, "the last call failed at %s: %s: ", utc_text(when, lane->failure_s),
		  status_code_name(lane->failure.code));
	add_text(line, lane->failure.text);
}

/* Says whether there is anything wrong. */
static bool
add_faults(struct line *line, const struct backend *backend, struct router_lane *lane)
{
	struct backend_look look;

	backend_look(backend, &look);
	if (look.nopen == 0 && !lane->failing && lane->stuck == 0)
		return false;
	if (line->len > STATUS_MOST)
		return true;
	line_addf(line, "; %s: ", backend->name);
	if (look.nopen > 0)
		add_breaker(line, &look);
	else if (lane->failing)
		add_failure(line, lane);
	if (lane->stuck > 0)
		line_addf(line, "%sstuck calls: %u", look.nopen > 0 || lane->failing ? ", " : "",
			  lane->stuck);
	return true;
}

static struct router_lane *
find_lane(const struct router_status *status, const char *name)
{
	for (size_t i = 0; i < status->nlanes; i++)
		if (strcmp(status->lanes[i].name, name) == 0)
			return &status->lanes[i];
	return NULL;
}

static void
add_backends(struct line *line, const struct router_status *status)
{
	const struct generation *generation = status->generation;
	size_t unnamed = 0;

	for (size_t i = 0; i < generation->nbackends; i++) {
		struct router_lane *lane = find_lane(status, generation->backends[i].name);
		bool full = line->len > STATUS_MOST;

		if (lane != NULL && add_faults(line, &generation->backends[i], lane))
			unnamed += full;
	}
	if (unnamed > 0)
		line_addf(line, "; and %zu more", unnamed);
}

static void
add_all(struct line *line, const struct daemon *daemon, const struct router_status *status)
{
	const char *path = daemon->started->socket_path;

	if (daemon->notify.refused != NULL) {
		line_addf(line,
			  "reload failed, generation %u goes on: ", status->generation->number);
		add_text(line, daemon->notify.refused);
	} else {
		line_addf(line, "generation %u serves %zu backend%s on unix://",
			  status->generation->number, status->generation->nbackends,
			  status->generation->nbackends == 1 ? "" : "s");
		line_add_escaped(line, LINE_SHOWN, TEXT_MOST, path, strlen(path));
	}
	if (status->ncooling > 0)
		line_addf(line, ", %zu older cooling", status->ncooling);
	add_backends(line, status);
}

/* Ends with a NUL, for which there is room. */
static void
compose(const struct daemon *daemon, struct line *line)
{
	struct router_status *status = router_status(daemon->router);

	line->len = 0;
	if (status != NULL)
		add_all(line, daemon, status);
	else
		line_add(line, "no memory");
	router_status_free(daemon->router, status);
	line->text[line->len] = '\0';
}

/* state: an assignment of its own, or empty: then an unchanged status need not be told. */
static void
tell(struct daemon *daemon, const char *state)
{
	struct notify *notify = &daemon->notify;
	struct line line;

	if (notify_look_ms() < 0)
		return;
	compose(daemon, &line);
	if (state[0] == '\0' && notify->told != NULL && strcmp(line.text, notify->told) == 0)
		return;
	(void)sd_notifyf(0, "%sSTATUS=%s", state, line.text);
	free(notify->told);
	notify->told = strdup(line.text);
}

void
notify_ready(struct daemon *daemon)
{
	tell(daemon, "READY=1\n");
}

void
notify_reloading(int64_t begun_us)
{
	(void)sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%" PRId64 "\nSTATUS=reloading", begun_us);
}

void
notify_reloaded(struct daemon *daemon, const char *why)
{
	free(daemon->notify.refused);
	daemon->notify.refused = why != NULL ? strdup(why) : NULL;
	tell(daemon, "READY=1\n");
}

void
notify_stopping(void)
{
	(void)sd_notify(0, "STOPPING=1\nSTATUS=finishing the calls in flight");
}

void
notify_look(struct daemon *daemon)
{
	tell(daemon, "");
}

int
notify_look_ms(void)
{
	return getenv("NOTIFY_SOCKET") != NULL ? LOOK_MS : -1;
}

void
notify_done(struct notify *notify)
{
	free(notify->refused);
	free(notify->told);
	*notify = (struct notify){ 0 };
}

int64_t
notify_beat_ms(void)
{
	uint64_t watchdog_us;

	if (sd_watchdog_enabled(0, &watchdog_us) <= 0)
		return 0;
	return (int64_t)(watchdog_us / 1000 / BEATS_PER_WATCHDOG) + 1;
}

void
notify_beat(void)
{
	(void)sd_notify(0, "WATCHDOG=1");
}
