/* SPDX-License-Identifier: Apache-2.0
 * token.c - one slot per name; a fetch runs on the thread of the caller that needed it first.
 *
 *   none or expired -> fetch, others wait      near its end -> fetch, others take the old one
 */
#include "module/token.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "module/backend.h"
#include "module/instance.h"
#include "module/text.h"

#include "banned.h"

enum { RENEW_S = 300, RENEW_SHARE = 10 };

_Static_assert(sizeof((struct module_call *)0)->tokens / sizeof(uint64_t) == TOKEN_MAX,
	       "a call remembers one fetch for each slot");

int
tokens_init(struct tokens *tokens)
{
	pthread_condattr_t attr;
	int error;

	*tokens = (struct tokens){ .mutex = PTHREAD_MUTEX_INITIALIZER };
	if (pthread_condattr_init(&attr) != 0)
		return -1;
	error = pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	if (error == 0)
		error = pthread_cond_init(&tokens->changed, &attr);
	(void)pthread_condattr_destroy(&attr);
	return error == 0 ? 0 : -1;
}

void
tokens_done(struct tokens *tokens)
{
	for (size_t i = 0; i < TOKEN_MAX; i++)
		secret_free(tokens->slots[i].value);
	(void)pthread_cond_destroy(&tokens->changed);
	(void)pthread_mutex_destroy(&tokens->mutex);
}

/* Under the mutex.  NULL: all slots have other names. */
static struct token *
find(struct tokens *tokens, const char *name, bool add)
{
	for (size_t i = 0; i < TOKEN_MAX; i++) {
		struct token *token = &tokens->slots[i];

		if (strcmp(token->name, name) == 0)
			return token;
		if (token->name[0] != '\0')
			continue;
		if (!add)
			return NULL;
		(void)snprintf(token->name, sizeof token->name, "%s", name);
		return token;
	}
	return NULL;
}

static bool
is_valid(const struct token *token, int64_t now)
{
	return token->value != NULL && now < token->expires;
}

/* Under the mutex: remembers which one the call has, for token_drop(). */
static const char *
hand_out(struct tokens *tokens, struct module_call *call, const struct token *token)
{
	call->tokens[token - tokens->slots] = token->given;
	return arena_strndup(call->arena, secret_text(token->value), secret_len(token->value));
}

/* Waits for fetch number `number` of the slot.  false: the caller's time is up. */
static bool
wait_for(struct tokens *tokens, const struct token *token, uint64_t number, int64_t deadline_ms)
{
	const struct timespec until = { .tv_sec = deadline_ms / 1000,
					.tv_nsec = deadline_ms % 1000 * 1000000 };

	while (token->ended < number) {
		int error =
			deadline_ms == CLOCK_NEVER
				? pthread_cond_wait(&tokens->changed, &tokens->mutex)
				: pthread_cond_timedwait(&tokens->changed, &tokens->mutex, &until);

		if (error == ETIMEDOUT && token->ended < number)
			return false;
	}
	return true;
}

/* A copy of the call whose failures do not touch the call: an early renewal may fail. */
static struct secret *
fetch_value(struct module_call *call, cosi_token_fn *fetch, struct cosi_token *out,
	    struct status *status)
{
	const char *module = call->backend->module->name;
	struct module_call inner = *call;
	struct secret *value = NULL;
	int result;

	inner.status = status;
	result = fetch(instance_of(call->backend)->handle, &inner.pub, out);
	call->unknown_ms = inner.unknown_ms;
	call->nrequests = inner.nrequests;
	memcpy(call->tokens, inner.tokens, sizeof call->tokens);
	if (!status_ok(status))
		return NULL;
	if (result != 0)
		(void)status_fail(status, COSI_INTERNAL, "module '%s' failed without a reason",
				  module);
	else if (out->value == NULL || !text_is_clean(out->value, 1, TOKEN_VALUE_MAX) ||
		 out->expires < 0)
		(void)status_fail(status, COSI_INTERNAL, "module '%s' fetched a malformed token",
				  module);
	else if ((value = secret_new(out->value, strlen(out->value))) == NULL)
		(void)status_no_memory(status);
	return value;
}

/* Under the mutex. */
static void
store(struct token *token, struct secret *value, int64_t expires, int64_t now)
{
	int64_t early = (expires - now) / RENEW_SHARE;

	secret_free(token->value);
	token->value = value;
	token->given = token->ended;
	token->expires = expires == 0 ? INT64_MAX : expires;
	token->renew_at = expires == 0 ? INT64_MAX : expires - (early < RENEW_S ? early : RENEW_S);
}

/* Under the mutex, which is released while the module is at it.  NULL: the call has failed. */
static const char *
renew(struct tokens *tokens, struct token *token, struct module_call *call, cosi_token_fn *fetch,
      int64_t now)
{
	struct cosi_token fetched = { 0 };
	struct status status = { 0 };
	struct secret *value;

	token->begun++;
	token->fetching = true;
	token->fetcher = pthread_self();
	pthread_mutex_unlock(&tokens->mutex);
	value = fetch_value(call, fetch, &fetched, &status);
	pthread_mutex_lock(&tokens->mutex);
	token->fetching = false;
	token->ended = token->begun;
	pthread_cond_broadcast(&tokens->changed);
	if (value != NULL) {
		store(token, value, fetched.expires, now);
		return hand_out(tokens, call, token);
	}
	token->failed = token->ended;
	token->failure = status;
	if (!is_valid(token, now)) {
		(void)status_fail(call->status, status.code, "%s", status.text);
		return NULL;
	}
	token->renew_at = now + TOKEN_RETRY_S;
	log_line(COSI_DEBUG, call->fields, "cannot renew the token '%s': %s", token->name,
		 status.text);
	return hand_out(tokens, call, token);
}

/* Under the mutex: somebody else is fetching.  *out_value NULL: look again.  0 or -1. */
static int
await(struct tokens *tokens, struct token *token, struct module_call *call, const char **out_value)
{
	uint64_t number = token->begun;
	bool in_time;

	if (pthread_equal(token->fetcher, pthread_self()))
		return status_fail(call->status, COSI_INTERNAL,
				   "module '%s' needs token '%s' to fetch it",
				   call->backend->module->name, token->name);
	token->nwaiting++;
	in_time = wait_for(tokens, token, number, call->deadline_ms);
	token->nwaiting--;
	if (!in_time)
		return status_fail(call->status, COSI_TIMEOUT,
				   "the time was up while another call fetched the token '%s'",
				   token->name);
	if (token->failed == number)
		return status_fail(call->status, token->failure.code, "%s", token->failure.text);
	*out_value = token->value == NULL ? NULL : hand_out(tokens, call, token);
	return 0;
}

const char *
token_get(struct tokens *tokens, struct module_call *call, const char *name, cosi_token_fn *fetch,
	  int64_t now)
{
	const char *value = NULL;
	struct token *token;

	LOCK_SCOPE(&tokens->mutex);
	token = find(tokens, name, true);
	if (token == NULL) {
		(void)status_fail(call->status, COSI_INTERNAL,
				  "module '%s' has more than %d tokens",
				  call->backend->module->name, TOKEN_MAX);
		return NULL;
	}
	while (value == NULL) {
		if (is_valid(token, now) && (token->fetching || now < token->renew_at))
			return hand_out(tokens, call, token);
		if (!token->fetching)
			return renew(tokens, token, call, fetch, now);
		if (await(tokens, token, call, &value) != 0)
			return NULL;
	}
	return value;
}

void
token_drop(struct tokens *tokens, const struct module_call *call, const char *name)
{
	struct token *token;

	LOCK_SCOPE(&tokens->mutex);
	token = find(tokens, name, false);
	if (token == NULL || token->value == NULL ||
	    call->tokens[token - tokens->slots] != token->given)
		return;
	secret_free(token->value);
	token->value = NULL;
}
