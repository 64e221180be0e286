/* SPDX-License-Identifier: Apache-2.0
 * script.c - plays the steps, and keeps what was sent. */
#include "script.h"

#include <stdio.h>

#include "banned.h"

static void
keep_sent(struct script *script, const struct cosi_http *request)
{
	struct sent *sent = &script->sent[script->ncalls];
	struct cosi_call *call = &script->host.call;

	assert_true(script->ncalls < SENT_MAX && request->nheaders <= 16);
	*sent = (struct sent){ .nheaders = request->nheaders };
	for (size_t i = 0; i < request->nheaders; i++) {
		sent->headers[i].key = cosi_printf(call, "%s", request->headers[i].key);
		sent->headers[i].value = cosi_printf(call, "%s", request->headers[i].value);
	}
	sent->body = cosi_printf(call, "%.*s", (int)request->body.len,
				 request->body.len > 0 ? (const char *)request->body.data : "");
}

static const struct cosi_http_reply *
answer(struct script *script, const struct step *step)
{
	struct cosi_call *call = &script->host.call;
	struct cosi_http_reply *reply = cosi_alloc(call, sizeof *reply);
	struct cosi_kv *headers = cosi_alloc(call, 8 * sizeof *headers);
	const char *body = step->body;
	size_t n = 0;

	if (!step->foreign)
		headers[n++] = (struct cosi_kv){ script->kind->id_header, "1" };
	if (step->code != NULL && script->kind->code_header != NULL)
		headers[n++] = (struct cosi_kv){ script->kind->code_header, step->code };
	else if (step->code != NULL && body == NULL)
		body = cosi_printf(call, "<Error><Code>%s</Code></Error>", step->code);
	for (size_t i = 0; i < 4 && step->headers[i].key != NULL; i++)
		headers[n++] = step->headers[i];
	*reply = (struct cosi_http_reply){
		.status = step->status,
		.body = bytes(body != NULL ? body : ""),
		.nheaders = n,
		.headers = headers,
	};
	return reply;
}

/* GET, HEAD and DELETE may be sent twice anyway. */
static void
check_repeats(const struct step *step, const struct cosi_http *request)
{
	bool writes = strcmp(request->method, "PUT") == 0 || strcmp(request->method, "POST") == 0;

	if (step->final)
		assert_true((request->flags & COSI_HTTP_FINAL) != 0);
	else if (writes && (request->flags & COSI_HTTP_SAFE) == 0)
		fail_msg("%s does not say that it may be sent twice", step->expect);
}

/* A secret in a query comes with the word that keeps the path out of traces. */
static void
check_secrets(const struct step *step, const struct cosi_http *request)
{
	if (request->query != NULL && strstr(request->query, "secret-key=") != NULL &&
	    (request->flags & COSI_HTTP_SECRET) == 0)
		fail_msg("%s does not say that it holds a secret", step->expect);
}

static const struct cosi_http_reply *
play(struct host *host, const struct cosi_http *request)
{
	struct script *script = host->arg;
	const struct step *step = &script->steps[script->ncalls];
	char asked[512];

	(void)snprintf(asked, sizeof asked, "%s %s?%s", request->method, request->path,
		       request->query);
	if (script->ncalls == script->nsteps)
		fail_msg("%s was asked for after the last step", asked);
	assert_string_equal(asked, step->expect);
	check_repeats(step, request);
	check_secrets(step, request);
	keep_sent(script, request);
	script->ncalls++;
	if (step->status != 0)
		return answer(script, step);
	(void)cosi_fail(&host->call, COSI_UNAVAILABLE, "it was cut");
	return NULL;
}

void
script_start(struct script *script, const struct cosi_module *module,
	     const struct script_kind *kind, const char *endpoint)
{
	*script = (struct script){ .module = module, .kind = kind };
	host_init(&script->host, endpoint);
	script->host.script = play;
	script->host.arg = script;
	script->host.now = 1795176000;
}

void
script_end(struct script *script)
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

/* Is the lie just what the store would say? */
static bool
is_true(const struct step *step, const struct step *lie)
{
	return !lie->foreign && lie->body[0] == '\0' && step->body == NULL && step->code == NULL &&
	       step->status == lie->status;
}

void
script_lie(struct script *script, void (*run)(struct script *), const struct step *steps,
	   size_t nsteps, size_t at)
{
	static const struct step lies[] = {
		{ .status = 200, .body = "<html><body>It works!</body></html>", .foreign = true },
		{ .status = 200, .body = "{}", .foreign = true },
		{ .status = 200, .body = "", .foreign = true },
		{ .status = 200, .body = "<html><body>It works!</body></html>" },
		{ .status = 200, .body = "{}" },
		{ .status = 200, .body = "" },
		{ .status = 404,
		  .body = "<Error><Code>NoSuchBucket</Code></Error>",
		  .foreign = true },
		{ .status = 404, .body = "{\"Code\":\"NoSuchUser\"}", .foreign = true },
		{ .status = 404, .body = "", .foreign = true },
	};
	struct step played[SENT_MAX];

	for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
		memcpy(played, steps, nsteps * sizeof *steps);
		played[at] = lies[i];
		played[at].expect = steps[at].expect;
		played[at].final = steps[at].final;
		if (is_true(&steps[at], &played[at]))
			continue;
		script_play(script, played, nsteps);
		run(script);
		if (script->host.code != COSI_UNAVAILABLE && script->host.code != COSI_BUSY)
			fail_msg("'%s' answered with %d '%s': code %u, %s", steps[at].expect,
				 played[at].status, played[at].body, script->host.code,
				 script->host.text);
	}
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

/* ---- handlers ---- */

static const struct cosi_bucket_params nothing;

static struct cosi_bucket_req
bucket_req(const struct cosi_bucket_params *params)
{
	return (struct cosi_bucket_req){
		.native = "photos",
		.mark = { OWNER, "my photos", PARAMS },
		.common = params,
	};
}

struct cosi_bucket
script_create(struct script *script, const struct cosi_bucket_params *params)
{
	const struct cosi_bucket_req req = bucket_req(params);
	struct cosi_bucket bucket = { .ours = false };
	int rc = script->module->create_bucket(script->instance, &script->host.call, &req, &bucket);

	assert_int_equal(rc == 0, script->host.code == COSI_OK);
	assert_int_equal(bucket.ours, rc == 0);
	if (rc == 0)
		assert_string_equal(bucket.params, PARAMS);
	return bucket;
}

struct cosi_bucket
script_get(struct script *script)
{
	const struct cosi_bucket_req req = bucket_req(&nothing);
	struct cosi_bucket bucket = { .ours = false };
	int rc = script->module->get_bucket(script->instance, &script->host.call, &req, &bucket);

	assert_int_equal(rc == 0, script->host.code == COSI_OK);
	return bucket;
}

void
script_delete(struct script *script, const struct cosi_bucket_params *params)
{
	const struct cosi_bucket_req req = bucket_req(params);
	int rc = script->module->delete_bucket(script->instance, &script->host.call, &req);

	assert_int_equal(rc == 0, script->host.code == COSI_OK);
}

void
script_grant(struct script *script, const char *params, struct cosi_access *out)
{
	static const struct cosi_bucket_ref photos = { "photos", COSI_READ_WRITE };
	static const struct cosi_bucket_ref *const refs[] = { &photos };
	static struct cosi_bucket bucket;
	static struct cosi_bucket *const buckets[] = { &bucket };
	const struct cosi_access_req req = {
		.native = "cosi-ba-1",
		.mark = { OWNER, "ba-1", params },
		.protocol = script->module->protocols,
		.auth = COSI_AUTH_KEY,
		.nbuckets = 1,
		.buckets = refs,
	};
	int rc;

	bucket = (struct cosi_bucket){ .ours = false };
	*out = (struct cosi_access){ .buckets = buckets };
	rc = script->module->grant(script->instance, &script->host.call, &req, out);
	assert_int_equal(rc == 0, script->host.code == COSI_OK);
	assert_int_equal(rc == 0, out->key_secret != NULL || out->token != NULL);
}

void
script_revoke(struct script *script, const char *account, const char *bucket)
{
	const struct cosi_bucket_ref ref = { .native = bucket };
	const struct cosi_bucket_ref *const refs[] = { &ref };
	const struct cosi_access_req req = {
		.native = account,
		.mark = { .owner = OWNER },
		.nbuckets = bucket != NULL ? 1 : 0,
		.buckets = refs,
	};
	int rc = script->module->revoke(script->instance, &script->host.call, &req);

	assert_int_equal(rc == 0, script->host.code == COSI_OK);
}
