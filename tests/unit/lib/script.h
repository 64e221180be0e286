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

/* A bucket "photos", whose request is "my photos"; an account "cosi-ba-1" of the request "ba-1". */
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

#define OK(request)                                                                                \
	{                                                                                          \
		.expect = (request), .status = 200                                                 \
	}
#define FAILS(request, number, why)                                                                \
	{                                                                                          \
		.expect = (request), .status = (number), .code = (why)                             \
	}
#define SAYS(request, text)                                                                        \
	{                                                                                          \
		.expect = (request), .status = 200, .body = (text)                                 \
	}

/* What stores with an S3 API are asked, and say. */
#define GET_TAGS   "GET /photos?tagging="
#define PUT_TAGS   "PUT /photos?tagging="
#define PUT_BUCKET "PUT /photos?"
#define TAG(k, v)  "<Tag><Key>" k "</Key><Value>" v "</Value></Tag>"
#define TAGS(tags) "<Tagging><TagSet>" tags "</TagSet></Tagging>"

struct script {
	struct host host; /* first */
	const struct cosi_module *module;
	const struct script_kind *kind;
	void *instance; /* of the module under test */
	const struct step *steps;
	size_t nsteps;
	struct sent sent[SENT_MAX]; /* what was asked, in order */
	unsigned ncalls;
};

/* The clock stands at 2026-11-20T12:00:00Z. */
void script_start(struct script *script, const struct cosi_module *module,
		  const struct script_kind *kind, const char *endpoint);
void script_end(struct script *script);
/* The steps of the next call, which starts anew. */
void script_play(struct script *script, const struct step *steps, size_t nsteps);
#define PLAY(script, ...)                                                                          \
	script_play((script), (const struct step[]){ __VA_ARGS__ },                                \
		    sizeof(const struct step[]){ __VA_ARGS__ } / sizeof(struct step))
/* Plays the steps again and again, and each time the answer to step `at` is a lie: a page with 200,
 * of a server on the way or with the store's own header, "{}", an empty one.  The call must fail
 * with a code that passes.  What tells nothing but its status may be empty. */
void script_lie(struct script *script, void (*run)(struct script *), const struct step *steps,
		size_t nsteps, size_t at);
/* Each of them in turn; the steps themselves succeed. */
#define LIE(script, run, ...)                                                                      \
	do {                                                                                       \
		const struct step lie_steps_[] = { __VA_ARGS__ };                                  \
		const size_t lie_n_ = sizeof lie_steps_ / sizeof lie_steps_[0];                    \
		for (size_t lie_i_ = 0; lie_i_ < lie_n_; lie_i_++)                                 \
			script_lie((script), (run), lie_steps_, lie_n_, lie_i_);                   \
		script_play((script), lie_steps_, lie_n_);                                         \
		(run)(script);                                                                     \
		script_ended((script), COSI_OK, "");                                               \
	} while (0)
/* The module has sent all of the requests, and the call has ended with that code and text. */
void script_ended(const struct script *script, uint32_t code, const char *text);
/* A header of the n-th request; "" when it was not sent. */
const char *script_sent(const struct script *script, size_t n, const char *header);

/* ---- the module's handlers: each succeeds exactly when the call has not failed ---- */

/* The bucket belongs to the driver, with PARAMS, exactly when the create succeeds. */
struct cosi_bucket script_create(struct script *script, const struct cosi_bucket_params *params);
struct cosi_bucket script_get(struct script *script);
void script_delete(struct script *script, const struct cosi_bucket_params *params);
/* Read and write for the account on the bucket.  out has credentials exactly when it succeeds. */
void script_grant(struct script *script, const char *params, struct cosi_access *out);
/* bucket: NULL: the whole account. */
void script_revoke(struct script *script, const char *account, const char *bucket);

#endif
