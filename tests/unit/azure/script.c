/* SPDX-License-Identifier: Apache-2.0
 * script.c - plays the steps, and keeps what was sent. */
#include "script.h"

#include <stdio.h>
#include <stdlib.h>

#include "vectors.h"

#include "banned.h"

static void
keep(struct script *script, const struct cosi_http *request)
{
	struct sent *sent = &script->sent[script->ncalls];
	struct cosi_call *call = &script->host.call;

	assert_true(script->ncalls < SENT_MAX && request->nheaders <= 16);
	*sent = (struct sent){ .nheaders = request->nheaders };
	for (size_t i = 0; i < request->nheaders; i++)
		sent->headers[i] = request->headers[i];
	sent->body = cosi_printf(call, "%.*s", (int)request->body.len,
				 request->body.len > 0 ? (const char *)request->body.data : "");
}

static const struct cosi_http_reply *
answer(struct script *script, const struct step *step)
{
	struct cosi_call *call = &script->host.call;
	struct cosi_http_reply *reply = cosi_alloc(call, sizeof *reply);
	struct cosi_kv *headers = cosi_alloc(call, 8 * sizeof *headers);
	size_t n = 0;

	if (!step->foreign)
		headers[n++] = (struct cosi_kv){ "x-ms-request-id", "1" };
	if (step->code != NULL)
		headers[n++] = (struct cosi_kv){ "x-ms-error-code", step->code };
	for (size_t i = 0; i < 4 && step->headers[i].key != NULL; i++)
		headers[n++] = step->headers[i];
	*reply = (struct cosi_http_reply){
		.status = step->status,
		.body = bytes(step->body != NULL ? step->body : ""),
		.nheaders = n,
		.headers = headers,
	};
	return reply;
}

static const struct cosi_http_reply *
play(struct host *host, const struct cosi_http *request)
{
	struct script *script = host->arg;
	const struct step *step = &script->steps[script->ncalls];
	char asked[256];

	(void)snprintf(asked, sizeof asked, "%s %s?%s", request->method, request->path,
		       request->query);
	assert_true(script->ncalls < script->nsteps);
	assert_string_equal(asked, step->expect);
	keep(script, request);
	script->ncalls++;
	if (step->status != 0)
		return answer(script, step);
	(void)cosi_fail(&host->call, COSI_UNAVAILABLE, "it was cut");
	return NULL;
}

void
script_init(struct script *script)
{
	*script = (struct script){
		.config = { .account = "cosiacct", .token_form = "container", .lease = true },
	};
	host_init(&script->host, "https://cosiacct.blob.core.windows.net");
	script->host.script = play;
	script->host.arg = script;
	script->host.now = 1795176000;
	script->azure.config = &script->config;
	assert_int_equal(azure_key_read(ACCOUNT_KEY, &script->azure.key), 0);
}

void
script_done(struct script *script)
{
	host_done(&script->host);
}

void
script_play(struct script *script, const struct step *steps, size_t nsteps)
{
	host_reset(&script->host);
	script->steps = steps;
	script->nsteps = nsteps;
	script->ncalls = 0;
}

void
script_ended(const struct script *script, uint32_t code, const char *text)
{
	assert_int_equal(script->ncalls, script->nsteps);
	assert_int_equal(script->host.code, code);
	if (strstr(script->host.text, text) == NULL)
		fail_msg("'%s' is not in '%s'", text, script->host.text);
}

const char *
script_sent(const struct script *script, size_t n, const char *header)
{
	const struct sent *sent = &script->sent[n];

	for (size_t i = 0; i < sent->nheaders; i++)
		if (strcmp(sent->headers[i].key, header) == 0)
			return sent->headers[i].value;
	return "";
}
