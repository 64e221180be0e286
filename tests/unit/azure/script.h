/* SPDX-License-Identifier: Apache-2.0
 * script.h - a store that answers what a test says, request by request.
 *
 * It says what no emulator does: Azure's byte order mark, its limits, its refusals, an answer that
 * is none, another daemon that comes in between.
 */
#ifndef TEST_AZURE_SCRIPT_H
#define TEST_AZURE_SCRIPT_H
#include "azure.h"
#include "unit.h"

#define ACL_GET "GET /photos?comp=acl&restype=container"
#define ACL_PUT "PUT /photos?comp=acl&restype=container"
#define LEASE   "PUT /photos?comp=lease&restype=container"
#define HEAD    "HEAD /photos?restype=container"
#define PUT     "PUT /photos?restype=container"
#define DELETE  "DELETE /photos?restype=container"
#define BLOBS   "GET /photos?comp=list&maxresults=1&restype=container"

#define NO_POLICIES "<SignedIdentifiers />"
#define PARAMS      "1:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define OWNER       "cosid.example.org"

struct step {
	const char *expect; /* "GET /photos?comp=acl&restype=container" */
	int status;         /* 0: no answer comes, the call fails */
	const char *code;   /* x-ms-error-code; NULL: none */
	const char *body;
	struct cosi_kv headers[4];
	bool foreign; /* without what all answers of Azure have */
};

enum { SENT_MAX = 16 };
struct sent {
	size_t nheaders;
	struct cosi_kv headers[16];
	const char *body;
};

struct script {
	struct host host; /* first */
	struct azure azure;
	struct azure_config config;
	const struct step *steps;
	size_t nsteps;
	struct sent sent[SENT_MAX]; /* what was asked, in order */
	unsigned ncalls;
};

/* An instance with a key, leases on; the clock stands at 2026-11-20T12:00:00Z. */
void script_init(struct script *script);
void script_done(struct script *script);
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
