/* SPDX-License-Identifier: Apache-2.0
 * backend.h - backends as the scheduler sees them: a generation of instances, and their handlers.
 *
 * A generation is what one configuration made: a table of backends that does not change.  A call
 * takes a reference on the generation it began with and keeps it to its end.  Generations are
 * opened and closed on the main thread; everything else may be called from any thread.
 */
#ifndef COSID_MODULE_BACKEND_H
#define COSID_MODULE_BACKEND_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/log.h"
#include "base/status.h"
#include "config/config.h"
#include "cosi_module.h"

struct backend {
	const char *name;                    /* borrowed from the configuration */
	const struct config_backend *config; /* borrowed */
	const struct cosi_module *module; /* a copy: fields that an older module lacks are zero */
	const char *public_url; /* public_endpoint or endpoint; the URL for applications */
	const char *left_out;   /* borrowed; why it cannot be used; NULL: it is open */
	void *priv;             /* the instance: module layer only */
	unsigned ncalls; /* the scheduler's, under its mutex: calls confined to this backend */
};

struct generation {
	struct config *config; /* a reference */
	unsigned number;       /* 1, 2, ... */
	size_t nbackends, nleft_out;
	struct backend *backends; /* in the order of the configuration */
	uint32_t protocols;       /* all that the backends serve together, as far as it is known */
	atomic_uint refs;
};

/* What becomes of a generation with a backend that cannot be opened. */
enum generation_mode {
	/* The backend is left out and the others serve, unless none can be opened.  Its name
	 * stays in the table, and every call that needs it is UNAVAILABLE. */
	GENERATION_START = 1,
	/* It does not serve. */
	GENERATION_RELOAD,
	/* As at a start; the backends that are open in the generation before stay as they are. */
	GENERATION_RETRY,
	/* cosid --check: it has the other backends only. */
	GENERATION_CHECK,
};

/* Loads the modules, reads the settings, opens every instance; diag says what failed.  NULL: the
 * mode does not allow that, or no memory; nothing is left open.  A backend that
 * crash_record_count() blames is left out in every mode but --check, with a warning. before: the
 * generation that serves, or NULL: a backend of it that would come out the same (file, settings,
 * secrets, certificates) stays open, as part of both. A child process loads a file that is new to
 * this process, and opens a new instance, first (module/load_check.h): a program that calls this
 * must hand LOAD_CHECK_OPTION to load_check_child() before anything else. */
struct generation *generation_open(struct config *config, const struct generation *before,
				   enum generation_mode mode, struct diag *diag);
struct generation *generation_ref(struct generation *generation);
/* The last one closes the instances and unloads their modules, on the caller's thread, which must
 * not be inside of a handler. */
void generation_unref(struct generation *generation);
struct backend *generation_find(const struct generation *generation, const char *name);
/* Closes one backend that has no users and will have none, as the last unref would. */
void backend_close(struct backend *backend);
/* Whether both are the same instance, kept by a reload.  Neither may have been closed. */
bool backend_is_same(const struct backend *a, const struct backend *b);

/* The failure of a call that needs a backend which is left out; -1. */
static inline int
backend_fail_left_out(const struct backend *backend, struct status *status)
{
	return status_fail(status, COSI_UNAVAILABLE, "backend '%s' is left out: %s", backend->name,
			   backend->left_out);
}

/* One call on one backend: what a handler gets as its struct cosi_call.  Lives on the stack of
 * the caller of a backend_*() function below; set the borrowed members, then module_call_init(). */
struct module_call {
	struct cosi_call pub;            /* first: modules hold a pointer to it */
	struct arena *arena;             /* borrowed */
	struct status *status;           /* borrowed */
	const struct backend *backend;   /* borrowed */
	int64_t deadline_ms;             /* monotonic */
	const atomic_bool *cancelled;    /* borrowed; not NULL */
	const atomic_bool *abandoned;    /* borrowed; may be NULL, see http.h */
	const struct log_fields *fields; /* borrowed; may be NULL */
	int64_t unknown_ms;              /* out, see http.h */
	unsigned nrequests;              /* out */
	const struct backend_list *list; /* module layer only: who gets the list */
};
enum { MODULE_CALL_MEMORY = 64 << 20 }; /* of the arena; cosi_module.h promises it to handlers */
void module_call_init(struct module_call *call);

/* The handlers, with the module's answer checked before anybody else sees it (a module is not
 * trusted): a code without text, a missing, over-long or malformed field become INTERNAL naming the
 * module; a success after cosi_fail() is that failure.  What has a default (a bucket's name,
 * endpoint and style) is filled in.  Every string of an answer is a copy in the call's arena, so
 * that it may outlive the generation.  A bucket that was looked up may serve fewer protocols than
 * requested: the caller compares.  0 or -1 with call->status set. */
const char *backend_map_name(struct module_call *call, uint32_t kind, const char *asked,
			     bool exact);
int backend_create_bucket(struct module_call *call, const struct cosi_bucket_req *req,
			  struct cosi_bucket *out);
int backend_get_bucket(struct module_call *call, const struct cosi_bucket_req *req,
		       struct cosi_bucket *out);
int backend_delete_bucket(struct module_call *call, const struct cosi_bucket_req *req);
int backend_grant(struct module_call *call, const struct cosi_access_req *req,
		  struct cosi_access *out);
int backend_revoke(struct module_call *call, const struct cosi_access_req *req);
int backend_probe(struct module_call *call);

/* Bytes.  128 is COSI's limit for a string of an answer and what an id may measure as a whole; a
 * SAS or an HMAC secret does not fit, so those have their own. */
enum {
	VERIFY_NAME_MAX = 128,
	VERIFY_URL_MAX = 2048,
	VERIFY_SAS_MAX = 2048,
	VERIFY_SECRET_MAX = 4096,
	VERIFY_PATH_MAX = 1024, /* GCS: projects/P/serviceAccounts/S/keys/K */
};

/* Everything in the store that has the owner's tags, each checked and handed to found(), which
 * returns non-zero to stop; what it is given lives until it returns.  0 or -1 with call->status. */
struct backend_list {
	int (*found)(void *arg, const struct cosi_found *found);
	void *arg;
};
int backend_list(struct module_call *call, const char *owner, const struct backend_list *list);

/* What cosictl status shows of a backend.  Texts live as long as the generation. */
enum { BACKEND_OPEN_MAX = 8 };
struct backend_info {
	const char *file;     /* the module's, as it was found; NULL: it could not be loaded */
	const char *endpoint; /* NULL: none */
	char hash[65];        /* SHA-256 of what was loaded, in hex */
	size_t nopen;         /* breakers that are open */
	struct {
		const char *url;
		int64_t since_s; /* wall clock */
		char error[256];
	} open[BACKEND_OPEN_MAX];
};
void backend_info(const struct backend *backend, struct backend_info *out);

/* cosid --describe: the module's schema as text on stdout, one line per key (module/schema.h says
 * how). path has a '/' in it.  0, or -1 with diag. */
int module_describe(const char *path, struct diag *diag);

#endif
