/* SPDX-License-Identifier: Apache-2.0
 * host.c - the table of services.
 *
 * A failed call gets no further service, so that an unchecked result cannot become a
 * request to the store.  Nothing that a module passes here is trusted.
 */
#include "module/instance.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/secret.h"
#include "module/schema.h"

#include "banned.h"

enum { LOG_TEXT_MAX = 1024 };

static struct module_call *
call_of(struct cosi_call *pub)
{
	return (struct module_call *)pub;
}

static const char *
module_name(const struct module_call *call)
{
	return call->backend->module->name;
}

COSI_PRINTF(3, 4)
static void
host_log(struct cosi_call *pub, uint32_t level, const char *fmt, ...)
{
	const struct module_call *call = call_of(pub);
	const struct log_fields fields = { .backend = call->backend->name, .ms = -1 };
	char text[LOG_TEXT_MAX + 1];
	va_list ap;

	if (level < COSI_ERROR)
		level = COSI_ERROR;
	if (level > COSI_DEBUG)
		level = COSI_DEBUG;
	if (!log_wants(level))
		return;
	va_start(ap, fmt);
	secret_vprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	log_line(level, call->fields != NULL ? call->fields : &fields, "%s: %s", module_name(call),
		 text);
}

COSI_PRINTF(3, 4)
static int
host_fail(struct cosi_call *pub, uint32_t code, const char *fmt, ...)
{
	struct status *status = call_of(pub)->status;
	va_list ap;

	/* A parser without memory looks like a malformed answer to the module: its reason is not
	 * the reason. */
	if (verify_memory(call_of(pub)) < 0 && code != 0)
		return -1;
	va_start(ap, fmt);
	(void)status_vfail(status, code <= COSI_INTERNAL ? code : COSI_INTERNAL, fmt, ap);
	va_end(ap);
	/* The text goes to the log, to Kubernetes events and to the caller. */
	status->text[secret_mask(status->text, strlen(status->text))] = '\0';
	text_clean(status->text);
	return -1;
}

static bool
host_failed(struct cosi_call *pub)
{
	(void)verify_memory(call_of(pub));
	return !status_ok(call_of(pub)->status);
}

static void *
host_alloc(struct cosi_call *pub, size_t size)
{
	struct module_call *call = call_of(pub);
	void *p = host_failed(pub) ? NULL : arena_alloc(call->arena, size);

	if (p == NULL)
		(void)verify_memory(call);
	return p;
}

COSI_PRINTF(2, 3)
static char *
host_printf(struct cosi_call *pub, const char *fmt, ...)
{
	static char nothing[1];
	struct module_call *call = call_of(pub);
	va_list ap;
	char *text;

	if (host_failed(pub))
		return nothing;
	va_start(ap, fmt);
	text = arena_vprintf(call->arena, fmt, ap);
	va_end(ap);
	(void)verify_memory(call);
	return text;
}

static int64_t
host_now(struct cosi_call *pub)
{
	(void)pub;
	return clock_wall_s();
}

static int64_t
host_time_left_ms(struct cosi_call *pub)
{
	const struct module_call *call = call_of(pub);

	if (atomic_load(call->cancelled))
		return 0;
	return call->deadline_ms == CLOCK_NEVER ? CLOCK_NEVER : call->deadline_ms - clock_mono_ms();
}

/* How late a cancelled call is noticed at most. */
enum { WAIT_SLICE_MS = 50 };

static int
host_wait(struct cosi_call *pub, int64_t ms)
{
	struct module_call *call = call_of(pub);

	while (!host_failed(pub) && ms > 0) {
		int64_t slice_ms = ms < WAIT_SLICE_MS ? ms : WAIT_SLICE_MS;
		struct timespec time = { .tv_nsec = slice_ms * 1000000 };

		if (host_time_left_ms(pub) <= ms)
			return status_fail(call->status, COSI_TIMEOUT,
					   atomic_load(call->cancelled)
						   ? "the caller left during the wait"
						   : "the deadline would pass during the wait");
		(void)nanosleep(&time, NULL);
		ms -= slice_ms;
	}
	return host_failed(pub) ? -1 : 0;
}

static int
host_random(struct cosi_call *pub, void *out, size_t size)
{
	struct module_call *call = call_of(pub);
	unsigned char *at = out;

	while (!host_failed(pub) && size > 0) {
		ssize_t n = getrandom(at, size, 0);

		if (n < 0 && errno != EINTR)
			return status_fail(call->status, COSI_INTERNAL,
					   "cannot get random bytes: %s", strerrordesc_np(errno));
		if (n > 0) {
			at += n;
			size -= (size_t)n;
		}
	}
	return host_failed(pub) ? -1 : 0;
}

/* The URL that a request goes to; NULL: there is none, and the call has failed. */
static const char *
base_of(struct module_call *call, const char *base)
{
	const struct instance *instance = instance_of(call->backend);

	if ((call->backend->module->flags & COSI_NETWORK) == 0)
		status_fail(call->status, COSI_INTERNAL,
			    "module '%s' uses the network without COSI_NETWORK", module_name(call));
	else if (base == NULL && instance->endpoint == NULL)
		status_fail(call->status, COSI_INTERNAL, "backend '%s' has no endpoint",
			    call->backend->name);
	else
		return base != NULL ? base : instance->endpoint;
	return NULL;
}

static const struct cosi_http_reply *
host_http(struct cosi_call *pub, const struct cosi_http *asked)
{
	struct module_call *call = call_of(pub);
	const struct instance *instance = instance_of(call->backend);
	const struct cosi_http_reply *reply;
	/* A module built before a field was added has a shorter struct. */
	struct cosi_http request = { 0 };
	struct http_call http = {
		.arena = call->arena,
		.status = call->status,
		.deadline_ms = call->deadline_ms,
		.cancelled = call->cancelled,
		.abandoned = call->abandoned,
		.fields = call->fields,
	};
	const char *base;

	if (host_failed(pub))
		return NULL;
	memcpy(&request, asked, asked->size < sizeof request ? asked->size : sizeof request);
	base = base_of(call, request.base);
	if (base == NULL)
		return NULL;
	if (instance->client == NULL) {
		status_fail(call->status, COSI_INTERNAL, "module '%s' uses http() in open()",
			    module_name(call));
		return NULL;
	}
	reply = http_send(instance->client, &http, base, &request);
	if (http.unknown_ms > call->unknown_ms)
		call->unknown_ms = http.unknown_ms;
	call->nrequests += http.nrequests;
	return reply;
}

static const struct cosi_url *
host_url(struct cosi_call *pub, const char *base, const char *host_label)
{
	static const struct cosi_url nowhere = { "", "", "" };
	struct module_call *call = call_of(pub);

	base = base_of(call, base);
	return base == NULL ? &nowhere
			    : http_url(instance_of(call->backend)->client, call->arena, base,
				       host_label);
}

static const char *
host_public_url(struct cosi_call *pub)
{
	const char *url = call_of(pub)->backend->public_url;

	return url != NULL ? url : "";
}

const struct cosi_host host_table = {
	.minor = COSI_API_MINOR,
	.log = host_log,
	.fail = host_fail,
	.alloc = host_alloc,
	.printf = host_printf,
	.now = host_now,
	.time_left_ms = host_time_left_ms,
	.random = host_random,
	.http = host_http,
	.url = host_url,
	.public_url = host_public_url,
	.token = NULL, /* reserved until a module needs it */
	.token_drop = NULL,
	.failed = host_failed,
	.wait = host_wait,
};

void
module_call_init(struct module_call *call)
{
	call->pub.host = &host_table;
	call->unknown_ms = 0;
	call->nrequests = 0;
}
