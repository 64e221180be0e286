/* SPDX-License-Identifier: Apache-2.0
 * script.h - a store that answers what a test says, request by request.
 *
 * It says what no store and no emulator can be made to: limits, refusals, an answer that is none,
 * another daemon that comes in between.  Every PUT and POST has to be one that may be sent twice
 * (COSI_HTTP_SAFE), unless its step says otherwise.
 */
#ifndef TEST_LIB_SCRIPT_H
#define TEST_LIB_SCRIPT_H
#include "unit.h"

#define PARAMS "1:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define OWNER  "cosid.example.org"

struct step {
	const char *expect; /* "GET /photos?comp=acl&restype=container" */
	int status;         /* 0: no answer comes, the call fails */
	const char *code;   /* of an error; NULL: none */
	const char *body;   /* NULL: the error's document, where the store sends one, or none */
	struct cosi_kv headers[4];
	bool foreign; /* without what all replies of the store have */
	bool final;   /* the request must be one that is never sent twice */
};

/* What the store's replies look like. */
struct script_kind {
	const char *id_header;   /* which all of them have */
	const char *code_header; /* NULL: an S3 error document */
};

enum { SENT_MAX = 32 };
struct sent {
	size_t nheaders;
	struct cosi_kv headers[16];
	const char *body;
};

struct script {
	struct host host; /* first */
	const struct script_kind *kind;
	void *instance; /* of the module under test */
	const struct step *steps;
	size_t nsteps;
	struct sent sent[SENT_MAX]; /* what was asked, in order */
	unsigned ncalls;
};

/* The clock stands at 2026-11-20T12:00:00Z. */
void script_start(struct script *script, const struct script_kind *kind, const char *endpoint);
void script_end(struct script *script);
/* The steps of the next call, which starts anew. */
void script_play(struct script *script, const struct step *steps, size_t nsteps);
#define PLAY(script, ...)                                                                          \
	script_play((script), (const struct step[]){ __VA_ARGS__ },                                \
		    sizeof(const struct step[]){ __VA_ARGS__ } / sizeof(struct step))
/* All of them were asked for, and the call ended so. */
void script_ended(const struct script *script, uint32_t code, const char *text);
/* A header of the n-th request; "" when it was not sent. */
const char *script_sent(const struct script *script, size_t n, const char *header);

#endif
