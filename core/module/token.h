/* SPDX-License-Identifier: Apache-2.0
 * token.h - access tokens of one instance: fetched once for all callers, renewed before they
 * expire. */
#ifndef COSID_MODULE_TOKEN_H
#define COSID_MODULE_TOKEN_H
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/secret.h"
#include "base/status.h"
#include "cosi_module.h"

struct module_call;

/* TOKEN_RETRY_S: after a failed early renewal the old token serves this long without another try.
 */
enum { TOKEN_MAX = 8, TOKEN_NAME_MAX = 64, TOKEN_VALUE_MAX = 16 << 10, TOKEN_RETRY_S = 30 };

struct token {
	char name[TOKEN_NAME_MAX + 1]; /* "": a free slot */
	struct secret *value;          /* owned; NULL: none */
	int64_t expires, renew_at;     /* seconds since the epoch */
	bool fetching;                 /* somebody is at it: */
	pthread_t fetcher;
	unsigned nwaiting;     /* for whoever is at it */
	uint64_t begun, ended; /* fetches, counted */
	uint64_t given;        /* the fetch that gave value */
	uint64_t failed;       /* the last fetch that failed, and why */
	struct status failure;
};

struct tokens {
	pthread_mutex_t mutex; /* never held while fetching */
	pthread_cond_t changed;
	struct token slots[TOKEN_MAX];
};

int tokens_init(struct tokens *tokens);
void tokens_done(struct tokens *tokens);

/* The token of that name, from the call's arena; now: seconds since the epoch.  Without a valid
 * one, one caller fetches and the others wait for it, each until its own deadline.  NULL: the call
 * has failed.  What a fetch failed with goes to all who waited, and to nobody after them. */
const char *token_get(struct tokens *tokens, struct module_call *call, const char *name,
		      cosi_token_fn *fetch, int64_t now);
/* Forgets the token if it is still the one that this call was given. */
void token_drop(struct tokens *tokens, const struct module_call *call, const char *name);

#endif
