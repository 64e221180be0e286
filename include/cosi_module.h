/* SPDX-License-Identifier: Apache-2.0
 * cosi_module.h - everything that a backend module of cosid may know.
 *
 * A module turns a handful of neutral requests into calls on one kind of object
 * store.  It sees neither gRPC nor protobuf nor the configuration file, links with
 * libc, libcrypto, jansson and expat alone (the daemon keeps those loaded), and
 * reaches the rest of the world through struct cosi_host.  cosi-module(7) has the
 * lifecycle drawing and a complete small module; modules/posix is the one to copy.
 *
 * What holds everywhere
 *  - Handlers block.  They run on a pool of worker threads, several at once on one
 *    instance.  The daemon holds the locks of docs/design.md section 5, so two calls
 *    that change the same bucket or account never meet within one process.
 *  - What a handler is given lives until it returns.  What it gives back comes from
 *    cosi_alloc() or cosi_printf(), which the daemon wipes and frees after the call,
 *    from its config, which lives as long as the instance, or is a constant.  What an
 *    instance keeps for itself comes from malloc() in open() and is freed in close().
 *  - A handler returns 0, or the value of cosi_fail().  An error sticks to its call:
 *    the first code stays, later texts are put in front of the earlier ones, and every
 *    further service on that call fails, so check where it suits you.
 *  - Every handler is idempotent and converges: there is no undo code.  A call may be
 *    cut off between any two of its requests; the retry goes on from there.
 *  - A module starts no thread, installs no signal or atexit handler, keeps no
 *    thread-local data with a destructor, changes no process state (cwd, umask, locale,
 *    environment), never forks and never ends the process.
 *  - Texts given to cosi_fail() read "cannot X 'name': reason", in lower case, without a
 *    full stop and without secrets: platform teams read them in Kubernetes events.
 *
 * Changes of this interface
 *  1.0  the first
 */
#ifndef COSI_MODULE_H
#define COSI_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The daemon loads a module whose major equals its own and whose minor is not above
 * its own.  Fields are only appended, and that raises MINOR; anything else raises
 * MAJOR.  A struct marked frozen never changes within a MAJOR, because it stands in
 * arrays or inside other structs.  A struct that a module makes carries its size,
 * which its macro sets; all others are made by the daemon and passed by pointer.
 * Enumerations travel as uint32_t, so that their width is the same for every compiler. */
#define COSI_API_MAGIC 0x49534f43u
#define COSI_API_MAJOR 1u
#define COSI_API_MINOR 0u

#define COSI_PRINTF(f, a) __attribute__((format(printf, f, a)))

/* What went wrong, in the daemon's own words.  Each dialect of COSI has its own table
 * from these to gRPC codes (docs/design.md section 2).  The first four and UNSUPPORTED
 * may be final for the caller: never use them for what passes by itself. */
enum cosi_code {
	COSI_OK = 0,
	COSI_INVALID = 1,         /* the request can never work; it must be changed */
	COSI_OUT_OF_RANGE = 2,    /* a legal word, but a value that this store cannot use */
	COSI_EXISTS = 3,          /* it exists, but not as asked for, or is not ours */
	COSI_NOT_FOUND = 4,
	COSI_PRECONDITION = 5,    /* not now: not empty, not ours, switched off */
	COSI_DENIED = 6,          /* the store refused our rights */
	COSI_UNAUTHENTICATED = 7, /* the store refused our key */
	COSI_BUSY = 8,            /* somebody else is at it; retry */
	COSI_UNAVAILABLE = 9,     /* the store cannot be reached or cannot answer; retry */
	COSI_TIMEOUT = 10,        /* the time was up; retry */
	COSI_EXHAUSTED = 11,      /* a quota or a limit was hit */
	COSI_UNSUPPORTED = 12,    /* this store can never do this */
	COSI_INTERNAL = 13,       /* a bug, here or there */
};

enum cosi_protocol { COSI_S3 = 1u << 0, COSI_AZURE = 1u << 1, COSI_GCS = 1u << 2 };
enum cosi_auth { COSI_AUTH_KEY = 1u << 0, COSI_AUTH_SERVICE_ACCOUNT = 1u << 1 };
enum cosi_mode { COSI_READ_WRITE = 1, COSI_READ_ONLY = 2, COSI_WRITE_ONLY = 3 };
enum cosi_style { COSI_PATH_STYLE = 1, COSI_VIRTUAL_STYLE = 2 };
enum cosi_kind { COSI_BUCKET = 1, COSI_ACCOUNT = 2 };
/* syslog(3)'s numbers. */
enum cosi_level {
	COSI_ERROR = 3, COSI_WARNING = 4, COSI_NOTICE = 5, COSI_INFO = 6, COSI_DEBUG = 7
};

struct cosi_kv { const char *key, *value; };         /* frozen */
struct cosi_bytes { const void *data; size_t len; }; /* frozen */

/* ---- requests ------------------------------------------------------------------ */

/* The bucket parameters that all stores spell alike.  A module declares which of them
 * it has; the daemon parses those and refuses the others. */
enum cosi_param {
	COSI_P_REGION = 1u << 0,        /* region */
	COSI_P_VERSIONING = 1u << 1,    /* versioning = true|false */
	COSI_P_OBJECT_LOCK = 1u << 2,   /* objectLock = true|false */
	COSI_P_QUOTA_SIZE = 1u << 3,    /* quotaMaxSize, bytes */
	COSI_P_QUOTA_OBJECTS = 1u << 4, /* quotaMaxObjects */
	COSI_P_ANONYMOUS = 1u << 5,     /* anonymousAccess = private|readOnly|writeOnly|readWrite */
	COSI_P_WHEN_NOT_EMPTY = 1u << 6 /* whenNotEmpty = refuse|purge; counts on delete alone */
};
enum cosi_anonymous {
	COSI_ANON_NONE = 0, COSI_ANON_READ = 1, COSI_ANON_WRITE = 2, COSI_ANON_READ_WRITE = 3
};
struct cosi_bucket_params {
	uint32_t set;       /* enum cosi_param: the ones that were given */
	uint32_t anonymous; /* enum cosi_anonymous */
	const char *region;
	int64_t quota_size; /* bytes, > 0 when set */
	int64_t quota_objects;
	bool versioning, object_lock, purge;
};

/* Who asks for what: what a store keeps beside a bucket or an account, so that the
 * daemon needs no memory of its own (docs/design.md section 3). */
struct cosi_mark { /* frozen */
	const char *owner;  /* cosi-driver: the installation, "cosid.example.org" */
	const char *name;   /* cosi-name: what the request called it; NULL on calls by id */
	const char *params; /* cosi-params: "1:" + 64 hex digits; NULL on calls by id */
};

struct cosi_bucket_req { /* create, get, delete */
	const char *native; /* the store's name, from map_name() or out of the id */
	struct cosi_mark mark;
	uint32_t protocols; /* enum cosi_protocol: all of them must be served; 0: any */
	const struct cosi_bucket_params *common;
	const void *params; /* the struct that cosi_module.bucket_params describes */
};

struct cosi_bucket_ref { /* one bucket of an access; reached by pointer */
	const char *native;
	uint32_t mode; /* enum cosi_mode; 0 on revoke */
};

struct cosi_access_req { /* grant, revoke */
	const char *native; /* the account's name in the store */
	struct cosi_mark mark;
	uint32_t protocol; /* one of enum cosi_protocol; 0 on a revoke that names none */
	uint32_t auth;     /* one of enum cosi_auth; 0 likewise */
	const char *service_account;
	const void *params; /* the struct that cosi_module.access_params describes */
	size_t nbuckets;    /* sorted by name, no duplicates; revoke: 0 means all of them */
	const struct cosi_bucket_ref *const *buckets;
};

/* ---- answers: made zeroed by the daemon, filled by the handler ------------------- */

struct cosi_bucket {               /* what a workload needs to find the bucket */
	bool ours;                 /* bears our owner's mark, and the request's name if given */
	bool unfinished;           /* ours, but its marks hold no parameters yet */
	uint32_t protocols;        /* enum cosi_protocol: what it can be spoken to with */
	const char *name;          /* as the store and its clients call it; NULL: native */
	const char *endpoint;      /* URL for applications; NULL: public_url() */
	const char *region;        /* required for S3 */
	uint32_t style;            /* enum cosi_style; 0: path */
	const char *azure_account; /* required for Azure */
	const char *gcs_project;   /* required for GCS */
	const char *params;        /* the cosi-params mark that it bears; NULL: none */
};

struct cosi_access { /* every field but buckets is secret: never logged, wiped after the call */
	struct cosi_bucket *const *buckets; /* in the order of the request */
	const char *key_id, *key_secret;    /* S3 key pair, GCS HMAC key */
	const char *token;                  /* Azure: URL with its SAS */
	int64_t token_expires;              /* seconds since the epoch; 0: never */
	const char *key_name, *service_account; /* GCS service-account access */
};

struct cosi_found { /* one line of a list answer; copied before found() returns */
	size_t size;
	uint32_t kind;  /* enum cosi_kind */
	const char *native;
	struct cosi_mark mark;
	int64_t created; /* seconds since the epoch; 0: unknown */
};
#define COSI_FOUND(...) (&(struct cosi_found){ .size = sizeof(struct cosi_found), __VA_ARGS__ })

/* ---- the daemon's services -------------------------------------------------------- */

enum cosi_http_flag {
	COSI_HTTP_SAFE = 1u << 0,   /* may be sent twice (GET, HEAD and DELETE may anyway) */
	COSI_HTTP_FINAL = 1u << 1,  /* must never be sent twice, whatever its method */
	COSI_HTTP_SECRET = 1u << 2, /* the path holds a secret: it is not traced either */
};
struct cosi_http {
	size_t size;
	const char *method;
	const char *path;       /* begins with '/'; already encoded */
	const char *query;      /* the same, without its '?'; NULL: none */
	const char *base;       /* value of a COSI_URL key; NULL: the backend's endpoint */
	const char *host_label; /* "bucket" puts "bucket." before the host: virtual style */
	uint32_t flags;         /* enum cosi_http_flag */
	int64_t timeout_ms;     /* 0: the backend's request_timeout */
	size_t nheaders;
	const struct cosi_kv *headers;
	struct cosi_bytes body;
	size_t max_reply;       /* bytes of body taken before the exchange fails; 0: 1 MiB */
};
#define COSI_HTTP(...) (&(struct cosi_http){ .size = sizeof(struct cosi_http), __VA_ARGS__ })

struct cosi_http_reply {
	int status;             /* 100..599 */
	struct cosi_bytes body; /* a NUL stands after its len bytes */
	size_t nheaders;
	const struct cosi_kv *headers; /* names in lower case */
};
/* How a URL goes over the wire, for signatures.  host carries the port when it is sent. */
struct cosi_url { const char *scheme, *host, *path; };

struct cosi_call;
struct cosi_token {
	const char *value; /* from cosi_printf(); the daemon keeps a copy */
	int64_t expires;   /* seconds since the epoch; 0: until dropped */
};
typedef int cosi_token_fn(void *instance, struct cosi_call *call, struct cosi_token *out);

/* Append only; a module that needs a later service raises its minor. */
struct cosi_host {
	uint32_t minor;
	/* One line for the operator; it carries the call's method, backend and names by itself. */
	void (*log)(struct cosi_call *, uint32_t level, const char *fmt, ...) COSI_PRINTF(3, 4);
	/* Records an error and returns a negative value.  code 0 adds context only: it keeps the
	 * code there is, or becomes COSI_INTERNAL. */
	int (*fail)(struct cosi_call *, uint32_t code, const char *fmt, ...) COSI_PRINTF(3, 4);
	/* Zeroed memory of the call.  NULL only when the call has failed (64 MiB is the limit). */
	void *(*alloc)(struct cosi_call *, size_t);
	/* Never NULL; the empty string when the call has failed. */
	char *(*printf)(struct cosi_call *, const char *fmt, ...) COSI_PRINTF(2, 3);
	/* Seconds since the epoch. */
	int64_t (*now)(struct cosi_call *);
	/* <= 0: the caller is gone, or the time is up. */
	int64_t (*time_left_ms)(struct cosi_call *);
	/* Bytes for keys and names.  0, or negative: the call has failed. */
	int (*random)(struct cosi_call *, void *out, size_t len);
	/* One exchange with the store; connections, TLS, deadline, retries and the breaker are the
	 * daemon's business.  NULL: no answer came, or the call had failed before, and the call has
	 * failed.  Any HTTP status is an answer.  Redirects are not followed. */
	const struct cosi_http_reply *(*http)(struct cosi_call *, const struct cosi_http *);
	/* The URL that http() would use for that base and label; never NULL. */
	const struct cosi_url *(*url)(struct cosi_call *, const char *base, const char *host_label);
	/* The URL that applications are told (the key public_endpoint, or endpoint), without a
	 * slash at its end; empty when there is neither. */
	const char *(*public_url)(struct cosi_call *);
	/* The instance's token of that name (8 names at most): cached, fetched once for all callers
	 * that wait, renewed 5 minutes or a tenth of its life before it expires, whichever is
	 * shorter.  NULL: the call has failed. */
	const char *(*token)(struct cosi_call *, const char *name, cosi_token_fn *fetch);
	/* The store refused the token that this call was given: the next one is fetched anew. */
	void (*token_drop)(struct cosi_call *, const char *name);
	/* Has the call failed already?  For loops that would go on for nothing. */
	bool (*failed)(struct cosi_call *);
	/* Waits for what the store makes true a moment later.  0, or negative: the caller is gone, or
	 * its time would be up by then, and the call has failed. */
	int (*wait)(struct cosi_call *, int64_t ms);
};

struct cosi_call { const struct cosi_host *host; /* the rest is the daemon's */ };

/* In parentheses: <cmocka.h> has a macro fail(), others one for printf(). */
#define cosi_log(call, level, ...) ((call)->host->log)((call), (level), __VA_ARGS__)
#define cosi_fail(call, code, ...) ((call)->host->fail)((call), (code), __VA_ARGS__)
#define cosi_alloc(call, size)     ((call)->host->alloc)((call), (size))
#define cosi_printf(call, ...)     ((call)->host->printf)((call), __VA_ARGS__)
#define cosi_failed(call)          ((call)->host->failed)(call)
#define cosi_http(call, ...)       ((call)->host->http)((call), COSI_HTTP(__VA_ARGS__))

/* ---- schemas: how a module states its settings and parameters ---------------------- */

/* The daemon parses, checks, defaults, documents (cosid --describe, the manual's test) and
 * masks; the module reads a struct. */
enum cosi_type {
	COSI_T_STRING = 1,      /* const char * */
	COSI_T_SECRET = 2,      /* const char *; file:, credential:, env: or plain: in the file */
	COSI_T_SECRET_LIST = 3, /* const char *const *, ends with NULL */
	COSI_T_BOOL = 4,        /* bool */
	COSI_T_INT = 5,         /* int64_t */
	COSI_T_SIZE = 6,        /* int64_t bytes: "10Gi", "5M", 1024 */
	COSI_T_MSEC = 7,        /* int64_t milliseconds: "10s", "250ms", "24h" */
	COSI_T_URL = 8,         /* const char *; http:// or https://, no slash at its end */
	COSI_T_ENUM = 9,        /* const char *, one of the words in choices */
	COSI_T_PATH = 10,       /* const char *, absolute */
};
enum cosi_key_flag { COSI_REQUIRED = 1u << 0 };
struct cosi_key { /* frozen */
	const char *name;
	uint32_t type, flags;
	size_t offset;
	const char *fallback; /* what an absent key means, as it would stand in the file; never
			       * empty; NULL: zero */
	const char *choices;  /* COSI_T_ENUM: words with a space between */
	const char *help;     /* one line for the manual */
};
struct cosi_schema { size_t size, nkeys; const struct cosi_key *keys; }; /* frozen */

/* COSI_STRING(struct config, region, 0, "default", "...") describes the member `region` and
 * does not compile when that member has another type. */
#define COSI_KEY_(T, m, ctype, t, f, fb, ch, h)                                                    \
	{ #m, (t), (f),                                                                            \
	  offsetof(T, m) + 0 * sizeof(char[__builtin_types_compatible_p(                           \
			__typeof__(((T *)0)->m), ctype) ? 1 : -1]), (fb), (ch), (h) }
#define COSI_STRING(T, m, f, fb, h) COSI_KEY_(T, m, const char *, COSI_T_STRING, f, fb, NULL, h)
#define COSI_PATH(T, m, f, fb, h)   COSI_KEY_(T, m, const char *, COSI_T_PATH, f, fb, NULL, h)
#define COSI_URL(T, m, f, fb, h)    COSI_KEY_(T, m, const char *, COSI_T_URL, f, fb, NULL, h)
#define COSI_ENUM(T, m, fb, ch, h)  COSI_KEY_(T, m, const char *, COSI_T_ENUM, 0, fb, ch, h)
#define COSI_SECRET(T, m, f, h)     COSI_KEY_(T, m, const char *, COSI_T_SECRET, f, NULL, NULL, h)
#define COSI_SECRET_LIST(T, m, h)                                                                  \
	COSI_KEY_(T, m, const char *const *, COSI_T_SECRET_LIST, 0, NULL, NULL, h)
#define COSI_BOOL(T, m, fb, h)      COSI_KEY_(T, m, bool, COSI_T_BOOL, 0, fb, NULL, h)
#define COSI_INT(T, m, f, fb, h)    COSI_KEY_(T, m, int64_t, COSI_T_INT, f, fb, NULL, h)
#define COSI_SIZE(T, m, f, fb, h)   COSI_KEY_(T, m, int64_t, COSI_T_SIZE, f, fb, NULL, h)
#define COSI_MSEC(T, m, f, fb, h)   COSI_KEY_(T, m, int64_t, COSI_T_MSEC, f, fb, NULL, h)
#define COSI_SCHEMA(T, k)           { sizeof(T), sizeof(k) / sizeof((k)[0]), (k) }

/* ---- the module ------------------------------------------------------------------ */

enum cosi_module_flag {
	COSI_GRANT_WRITES_BUCKET = 1u << 0, /* a grant edits the bucket itself: one at a time */
	COSI_NETWORK = 1u << 1, /* uses http(): the daemon's keys endpoint, ca_file, ... apply */
};

struct cosi_module {
	uint32_t magic, major, minor, flags;
	size_t size;      /* of this struct, as the module knew it */
	const char *name; /* [a-z0-9-], the same as the file's name without .so */
	const char *version, *summary;
	uint32_t protocols, auth; /* all that it could ever serve */
	uint32_t common_params;   /* enum cosi_param: the ones that it has */
	struct cosi_schema config, bucket_params, access_params;
	const char *endpoint;     /* COSI_NETWORK: default of the key; NULL: the key is required */

	/* One instance per configured backend.  open() checks what the schema cannot and may keep
	 * `config`, which lives as long as the instance.  It does no I/O on a network, so that a
	 * store that is down cannot stop a reload.  Both are optional: without open() the handlers
	 * get `config` itself as their instance. */
	int (*open)(struct cosi_call *, const void *config, void **out_instance);
	void (*close)(void *instance);
	/* Optional: is the store there, are our keys good?  For cosid --check --probe. */
	int (*probe)(void *instance, struct cosi_call *);

	/* The store's name for what was asked for, of enum cosi_kind: pure, no I/O, the same for
	 * ever, and for any result f(f(x)) = f(x).  [A-Za-z0-9.-], and short enough for an id
	 * (128 bytes with "BACKEND." before it).  exact: it must be the very word, else
	 * COSI_INVALID (v1alpha1 tells applications that word).  NULL: the call has failed.
	 * Optional: the word itself. */
	const char *(*map_name)(void *instance, struct cosi_call *, uint32_t kind,
				const char *asked, bool exact);

	/* A handler that is NULL is answered COSI_UNSUPPORTED.
	 * create: ours with the same parameters already: 0, finishing what is unfinished.  Ours
	 * with other parameters, or not ours: COSI_EXISTS. */
	int (*create_bucket)(void *instance, struct cosi_call *, const struct cosi_bucket_req *,
			     struct cosi_bucket *);
	/* get: any bucket of that name, ours or not; absent: COSI_NOT_FOUND. */
	int (*get_bucket)(void *instance, struct cosi_call *, const struct cosi_bucket_req *,
			  struct cosi_bucket *);
	/* delete: gone already: 0.  Not empty (without purge), or not ours: COSI_PRECONDITION, and
	 * nothing is lost. */
	int (*delete_bucket)(void *instance, struct cosi_call *, const struct cosi_bucket_req *);
	/* grant: the same account, buckets, modes and parameters already: 0, with the same working
	 * credentials.  Otherwise there: COSI_EXISTS.  Not ours: COSI_PRECONDITION.  A bucket is
	 * absent: COSI_NOT_FOUND, and no account is left. */
	int (*grant)(void *instance, struct cosi_call *, const struct cosi_access_req *,
		     struct cosi_access *);
	/* revoke: gone already: 0, and only when the store said so for certain.  Not ours:
	 * COSI_PRECONDITION.  With buckets: takes those out, and the account when none is left. */
	int (*revoke)(void *instance, struct cosi_call *, const struct cosi_access_req *);
	/* Optional: everything in the store that bears this owner's mark, page by page, each handed
	 * to found(call, COSI_FOUND(...)), which returns non-zero to stop. */
	int (*list)(void *instance, struct cosi_call *, const char *owner,
		    int (*found)(struct cosi_call *, const struct cosi_found *));
};

/* COSI_MODULE = { COSI_MODULE_HEAD, .name = "minio", ... };
 * Without the head the magic is missing, and the daemon refuses the file. */
#define COSI_MODULE_HEAD                                                                           \
	.magic = COSI_API_MAGIC, .major = COSI_API_MAJOR, .minor = COSI_API_MINOR,                 \
	.size = sizeof(struct cosi_module)
#define COSI_MODULE                                                                                \
	__attribute__((visibility("default"))) extern const struct cosi_module cosi_module;        \
	const struct cosi_module cosi_module

#ifdef __cplusplus
}
#endif
#endif
