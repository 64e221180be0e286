/* SPDX-License-Identifier: Apache-2.0
 * cosi_module.h - the API between cosid and its backend modules.
 *
 * A module turns a handful of neutral requests into calls on one kind of object
 * store.  It has no access to gRPC, protobuf or the configuration file, links only
 * libc, libcrypto, jansson and expat (which the daemon keeps loaded), and reaches
 * the outside world through struct cosi_host.  cosi-module(7) is the introduction;
 * modules/example is the module to copy.
 *
 * Modules are written in C (gnu11 or later, gcc or clang).  C++ programs can include
 * the header to read it, but its macros (COSI_STRING, cosi_http, COSI_MODULE) are C.
 *
 * Rules
 *  - Handlers block.  They run on a pool of worker threads, several of them on one
 *    instance at the same time.  The daemon holds locks on buckets and accounts
 *    (docs/design/scheduling.md): within one process, no two calls change the same
 *    bucket or account at the same time.
 *  - Arguments of a handler are valid until it returns.  Results come from
 *    cosi_alloc() or cosi_printf(), whose memory the daemon wipes and frees after the
 *    call, from the config, which lives as long as the instance, or are constants.
 *    Memory that an instance keeps comes from malloc() in open() and is freed in close().
 *  - A handler returns 0, or the value of cosi_fail().  Errors are sticky: the first
 *    code is kept, later texts are put in front of earlier ones, and all further
 *    services of the call fail.  Check for errors wherever it is convenient.
 *  - Every handler is idempotent and converges.  There is no undo code: a call can be
 *    interrupted between any two of its requests, and its retry continues from there.
 *  - A module starts no threads, installs no signal or atexit handlers, has no
 *    thread-local data with a destructor, changes no process state (cwd, umask, locale,
 *    environment), and never forks or ends the process.
 *  - Texts for cosi_fail() read "cannot VERB THING 'name': reason", in lower case,
 *    without a full stop and without secrets: users read them in Kubernetes events.
 *
 * Changes of this interface
 *  1.0  the first
 *  1.1  cosi_http.id_header
 */
#ifndef COSI_MODULE_H
#define COSI_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The daemon loads a module if the major version equals its own and the minor version is
 * not greater than its own.  Appending fields raises MINOR; any other change raises
 * MAJOR.  A struct marked frozen never changes within a MAJOR, because it is used in
 * arrays or inside other structs.  A struct that a module creates contains its size,
 * which its macro sets; the daemon creates all others and passes them by pointer.
 * Enumerations are passed as uint32_t, so that their width does not depend on the compiler. */
#define COSI_API_MAGIC 0x49534f43u
#define COSI_API_MAJOR 1u
#define COSI_API_MINOR 1u

#define COSI_PRINTF(f, a) __attribute__((format(printf, f, a)))

/* Error codes.  Each version of the COSI API maps them to gRPC codes in its own way
 * (cosi-module(7), ERROR CODES).  INVALID, OUT_OF_RANGE, EXISTS and UNSUPPORTED can be final for
 * the caller: never use them for a condition that can pass by itself. */
enum cosi_code {
	COSI_OK = 0,
	COSI_INVALID = 1,         /* the request can never succeed */
	COSI_OUT_OF_RANGE = 2,    /* a valid parameter, a value that the store cannot use */
	COSI_EXISTS = 3,          /* exists with other parameters or another owner */
	COSI_NOT_FOUND = 4,
	COSI_PRECONDITION = 5,    /* not in this state: not empty, another owner, disabled */
	COSI_DENIED = 6,          /* the daemon's key lacks a permission in the store */
	COSI_UNAUTHENTICATED = 7, /* the store rejected the daemon's key */
	COSI_BUSY = 8,            /* another call is working on it; retry */
	COSI_UNAVAILABLE = 9,     /* the store cannot be reached or does not answer; retry */
	COSI_TIMEOUT = 10,        /* the deadline passed; retry */
	COSI_EXHAUSTED = 11,      /* a quota or limit was reached */
	COSI_UNSUPPORTED = 12,    /* this kind of store does not support it */
	COSI_INTERNAL = 13,       /* a bug in the daemon or the module */
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

/* The common bucket parameters.  A module declares the ones that its store supports; the
 * daemon parses those and refuses the others. */
enum cosi_param {
	COSI_P_REGION = 1u << 0,        /* region */
	COSI_P_VERSIONING = 1u << 1,    /* versioning = true|false */
	COSI_P_OBJECT_LOCK = 1u << 2,   /* objectLock = true|false */
	COSI_P_QUOTA_SIZE = 1u << 3,    /* quotaMaxSize, bytes */
	COSI_P_QUOTA_OBJECTS = 1u << 4, /* quotaMaxObjects */
	COSI_P_ANONYMOUS = 1u << 5,     /* anonymousAccess = private|readOnly|writeOnly|readWrite */
	COSI_P_WHEN_NOT_EMPTY = 1u << 6 /* whenNotEmpty = refuse|purge; counts on delete only */
};
enum cosi_anonymous {
	COSI_ANON_NONE = 0, COSI_ANON_READ = 1, COSI_ANON_WRITE = 2, COSI_ANON_READ_WRITE = 3
};
struct cosi_bucket_params {
	uint32_t set;       /* enum cosi_param: the ones in the request */
	uint32_t anonymous; /* enum cosi_anonymous */
	const char *region;
	int64_t quota_size; /* bytes, > 0 when set */
	int64_t quota_objects;
	bool versioning, object_lock, purge;
};

/* Ownership tags: what the store keeps with a bucket or an account, because the daemon
 * keeps no state (docs/design/ownership.md). */
struct cosi_mark { /* frozen */
	const char *owner;  /* cosi-driver: the configured owner, "cosid.example.org" */
	const char *name;   /* cosi-name: the name in the request; NULL on calls by id */
	const char *params; /* cosi-params: "1:" + 64 hex digits; NULL on calls by id */
};

struct cosi_bucket_req { /* create, get, delete */
	const char *native; /* the store's name, from map_name() or from the id */
	struct cosi_mark mark;
	uint32_t protocols; /* enum cosi_protocol: the bucket must serve all of them; 0: any */
	const struct cosi_bucket_params *common;
	const void *params; /* the struct described by cosi_module.bucket_params */
};

struct cosi_bucket_ref { /* one bucket of an access; reached by pointer */
	const char *native;
	uint32_t mode; /* enum cosi_mode; 0 on revoke */
};

struct cosi_access_req { /* grant, revoke */
	const char *native; /* the account's name in the store */
	struct cosi_mark mark;
	uint32_t protocol; /* one of enum cosi_protocol; 0 on a revoke without one */
	uint32_t auth;     /* one of enum cosi_auth; 0 likewise */
	const char *service_account;
	const void *params; /* the struct described by cosi_module.access_params */
	size_t nbuckets;    /* sorted by name, no duplicates; revoke: 0 means all */
	const struct cosi_bucket_ref *const *buckets;
};

/* ---- answers: created zeroed by the daemon, filled in by the handler ------------- */

struct cosi_bucket {               /* what an application needs to reach the bucket */
	bool ours;                 /* has the owner's tags, and the request's name if given */
	bool unfinished;           /* ours, but its tags contain no parameters yet; for the
				    * module's own use: the daemon does not read it */
	uint32_t protocols;        /* enum cosi_protocol: the ones that it serves */
	const char *name;          /* the name for clients of the store; NULL: native */
	const char *endpoint;      /* the URL for applications; NULL: public_url() */
	const char *region;        /* required for S3 */
	uint32_t style;            /* enum cosi_style; 0: path */
	const char *azure_account; /* required for Azure */
	const char *gcs_project;   /* required for GCS */
	const char *params;        /* its cosi-params tag; NULL: none */
};

struct cosi_access { /* all fields except buckets are secret: never logged, wiped after the call */
	struct cosi_bucket *const *buckets; /* in the order of the request */
	const char *key_id, *key_secret;    /* S3 key pair, GCS HMAC key */
	const char *token;                  /* Azure: URL with its SAS */
	int64_t token_expires;              /* seconds since the epoch; 0: never */
	const char *key_name, *service_account; /* GCS service-account access */
};

struct cosi_found { /* one entry of a list; copied before found() returns */
	size_t size;
	uint32_t kind;  /* enum cosi_kind */
	const char *native;
	struct cosi_mark mark;
	int64_t created; /* seconds since the epoch; 0: unknown */
};
#define COSI_FOUND(...) (&(struct cosi_found){ .size = sizeof(struct cosi_found), __VA_ARGS__ })

/* ---- the daemon's services -------------------------------------------------------- */

enum cosi_http_flag {
	COSI_HTTP_SAFE = 1u << 0,   /* can be sent twice (as GET, HEAD and DELETE always can): after
				     * 429, 500 and 503 */
	COSI_HTTP_FINAL = 1u << 1,  /* must never be sent twice, regardless of its method */
	COSI_HTTP_SECRET = 1u << 2, /* the path contains a secret and is not traced */
};
struct cosi_http {
	size_t size;
	const char *method;
	const char *path;       /* starts with '/'; already encoded */
	const char *query;      /* without '?'; already encoded; NULL: none */
	const char *base;       /* the value of a COSI_URL key; NULL: the backend's endpoint */
	const char *host_label; /* "bucket" puts "bucket." in front of the host: virtual style */
	uint32_t flags;         /* enum cosi_http_flag */
	int64_t timeout_ms;     /* 0: the backend's request_timeout */
	size_t nheaders;
	const struct cosi_kv *headers;
	struct cosi_bytes body;
	size_t max_reply;       /* the largest accepted body in bytes; 0: 1 MiB */
	/* 1.1: the name, in lower case, of a header that every reply of the store has; a reply
	 * without it is another server's.  NULL: there is none. */
	const char *id_header;
};
#define COSI_HTTP(...) (&(struct cosi_http){ .size = sizeof(struct cosi_http), __VA_ARGS__ })

struct cosi_http_reply {
	int status;             /* 200..599 */
	struct cosi_bytes body; /* followed by a NUL */
	size_t nheaders;
	const struct cosi_kv *headers; /* names in lower case */
};
/* A URL as it is sent, for signatures.  host includes the port if it is sent. */
struct cosi_url { const char *scheme, *host, *path; };

struct cosi_call;
struct cosi_token {
	const char *value; /* reserved, as host->token() is */
	int64_t expires;   /* seconds since the epoch; 0: until dropped */
};
typedef int cosi_token_fn(void *instance, struct cosi_call *call, struct cosi_token *out);

/* Append only; a module that needs a later service raises its minor. */
struct cosi_host {
	uint32_t minor;
	/* Logs one line; the daemon adds the call's method, backend and names. */
	void (*log)(struct cosi_call *, uint32_t level, const char *fmt, ...) COSI_PRINTF(3, 4);
	/* Records an error and returns a negative value.  Code 0 only adds context: the existing
	 * code stays, or becomes COSI_INTERNAL if there is none. */
	int (*fail)(struct cosi_call *, uint32_t code, const char *fmt, ...) COSI_PRINTF(3, 4);
	/* Zeroed memory of the call, at most 64 MiB in total.  NULL only if the call has failed. */
	void *(*alloc)(struct cosi_call *, size_t);
	/* Never NULL; the empty string if the call has failed. */
	char *(*printf)(struct cosi_call *, const char *fmt, ...) COSI_PRINTF(2, 3);
	/* Seconds since the epoch. */
	int64_t (*now)(struct cosi_call *);
	/* <= 0: the caller has cancelled, or the deadline has passed. */
	int64_t (*time_left_ms)(struct cosi_call *);
	/* Random bytes for keys and names.  0; negative if the call has failed. */
	int (*random)(struct cosi_call *, void *out, size_t len);
	/* Sends a request to the store and returns the reply.  The daemon handles connections, TLS,
	 * the deadline, retries and the circuit breaker.  Every HTTP status is a reply; redirects
	 * are not followed.  NULL: there was no reply, or it was another server's (id_header), or
	 * the call had failed before, or the store may still carry the request out (408, 502 and
	 * 504 to a change); the call has failed. */
	const struct cosi_http_reply *(*http)(struct cosi_call *, const struct cosi_http *);
	/* The URL that http() would use for this base and label; never NULL. */
	const struct cosi_url *(*url)(struct cosi_call *, const char *base, const char *host_label);
	/* The URL for applications (the key public_endpoint, or endpoint), without a trailing
	 * slash; empty if there is neither. */
	const char *(*public_url)(struct cosi_call *);
	/* Reserved; NULL in this version. */
	const char *(*token)(struct cosi_call *, const char *name, cosi_token_fn *fetch);
	/* Reserved; NULL in this version. */
	void (*token_drop)(struct cosi_call *, const char *name);
	/* Whether the call has already failed; for loops that should stop then. */
	bool (*failed)(struct cosi_call *);
	/* Waits, for instance until the store has applied a change.  0; negative if the caller
	 * cancels or the deadline would pass during the wait: the call has failed. */
	int (*wait)(struct cosi_call *, int64_t ms);
};

struct cosi_call { const struct cosi_host *host; /* the rest belongs to the daemon */ };

/* In parentheses: <cmocka.h> has a macro fail(), others one for printf(). */
#define cosi_log(call, level, ...) ((call)->host->log)((call), (level), __VA_ARGS__)
#define cosi_fail(call, code, ...) ((call)->host->fail)((call), (code), __VA_ARGS__)
#define cosi_alloc(call, size)     ((call)->host->alloc)((call), (size))
#define cosi_printf(call, ...)     ((call)->host->printf)((call), __VA_ARGS__)
#define cosi_failed(call)          ((call)->host->failed)(call)
#define cosi_http(call, ...)       ((call)->host->http)((call), COSI_HTTP(__VA_ARGS__))

/* ---- schemas: settings and parameters of a module ---------------------------------- */

/* The daemon parses and checks the values, applies defaults, masks secrets, and prints the
 * keys in cosid --describe; the module reads a struct. */
enum cosi_type {
	COSI_T_STRING = 1,      /* const char * */
	COSI_T_SECRET = 2,      /* const char *; file:, credential:, env: or plain: in the file */
	COSI_T_SECRET_LIST = 3, /* const char *const *, ends with NULL */
	COSI_T_BOOL = 4,        /* bool */
	COSI_T_INT = 5,         /* int64_t */
	COSI_T_SIZE = 6,        /* int64_t bytes: "10Gi", "5M", 1024 */
	COSI_T_MSEC = 7,        /* int64_t milliseconds: "10s", "250ms", "24h" */
	COSI_T_URL = 8,         /* const char *; http:// or https://, no trailing slash */
	COSI_T_ENUM = 9,        /* const char *, one of the words in choices */
	COSI_T_PATH = 10,       /* const char *, absolute */
};
enum cosi_key_flag { COSI_REQUIRED = 1u << 0 };
struct cosi_key { /* frozen */
	const char *name;
	uint32_t type, flags;
	size_t offset;
	const char *fallback; /* the default, as it would be written in the file; never empty;
			       * NULL: zero */
	const char *choices;  /* COSI_T_ENUM: words separated by spaces */
	const char *help;     /* one line for the manual */
};
struct cosi_schema { size_t size, nkeys; const struct cosi_key *keys; }; /* frozen */

/* COSI_STRING(struct config, region, 0, "default", "...") describes the member `region` and
 * does not compile if that member has another type. */
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
	COSI_GRANT_WRITES_BUCKET = 1u << 0, /* a grant changes the bucket itself: one at a time */
	COSI_NETWORK = 1u << 1, /* uses http(): its backends have the keys endpoint, ca_file, ... */
};

struct cosi_module {
	uint32_t magic, major, minor, flags;
	size_t size;      /* of this struct, when the module was compiled */
	const char *name; /* [a-z0-9-], the file name without .so */
	const char *version, *summary;
	uint32_t protocols, auth; /* all that the module can serve */
	uint32_t common_params;   /* enum cosi_param: the ones that the store supports */
	struct cosi_schema config, bucket_params, access_params;
	const char *endpoint;     /* COSI_NETWORK: the default of the key; NULL: required */

	/* One instance per configured backend.  open() checks what the schema cannot, and can keep
	 * `config`, which lives as long as the instance; memory of its call ends with it.  It does
	 * no network I/O (http() fails with COSI_INTERNAL), so that an unreachable store cannot
	 * block a reload, and nothing that cannot be repeated: a child process calls it first.
	 * Both are optional: without open() the handlers get `config` as their instance. */
	int (*open)(struct cosi_call *, const void *config, void **out_instance);
	void (*close)(void *instance);
	/* Optional: checks that the store answers and accepts the configured keys, for
	 * cosid --check --probe. */
	int (*probe)(void *instance, struct cosi_call *);

	/* Optional: the store's name for a requested name; kind is of enum cosi_kind.  Pure, no
	 * I/O, the same for ever, and for any result f(f(x)) = f(x).  The result consists of
	 * [A-Za-z0-9.-] and is short enough for an id (128 bytes with "BACKEND." in front).
	 * exact: the result must be the argument itself, else COSI_INVALID (applications of
	 * v1alpha1 know only that name).  NULL: the call has failed. */
	const char *(*map_name)(void *instance, struct cosi_call *, uint32_t kind,
				const char *asked, bool exact);

	/* The daemon answers COSI_UNSUPPORTED for a handler that is NULL.
	 * create: 0 if the bucket exists with the owner's tags and the same parameters; an
	 * unfinished one is finished.  COSI_EXISTS if it has other parameters or another owner. */
	int (*create_bucket)(void *instance, struct cosi_call *, const struct cosi_bucket_req *,
			     struct cosi_bucket *);
	/* get: finds any bucket of that name, with or without tags; COSI_NOT_FOUND if absent. */
	int (*get_bucket)(void *instance, struct cosi_call *, const struct cosi_bucket_req *,
			  struct cosi_bucket *);
	/* delete: 0 if the bucket no longer exists.  COSI_PRECONDITION, and nothing is deleted, if
	 * it is not empty (without purge) or lacks the owner's tags. */
	int (*delete_bucket)(void *instance, struct cosi_call *, const struct cosi_bucket_req *);
	/* grant: 0, with the same working credentials, if the account exists with the same buckets,
	 * modes and parameters.  COSI_EXISTS if they differ, COSI_PRECONDITION if the account has
	 * another owner, COSI_NOT_FOUND if a bucket does not exist; no account is left then. */
	int (*grant)(void *instance, struct cosi_call *, const struct cosi_access_req *,
		     struct cosi_access *);
	/* revoke: 0 if the account no longer exists, but only if the store said so for certain.
	 * COSI_PRECONDITION if it has another owner.  With buckets: removes the account's access to
	 * them, and the account if no bucket is left. */
	int (*revoke)(void *instance, struct cosi_call *, const struct cosi_access_req *);
	/* Optional: reports everything in the store that has this owner's tags, page by page, each
	 * entry with found(call, COSI_FOUND(...)), which returns non-zero to stop. */
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
