/* SPDX-License-Identifier: Apache-2.0
 * rig.c - a host table of twenty lines' worth of services, and calls of the module's handlers. */

#include "rig.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "faults.h"

#include "banned.h"

enum { MEMORY = 4 << 20 };

/* ---- the host table */

static struct rig *
rig_of(struct cosi_call *call)
{
	return (struct rig *)call;
}

static void __attribute__((format(printf, 3, 4)))
host_log(struct cosi_call *call, uint32_t level, const char *fmt, ...)
{
	(void)call;
	(void)level;
	(void)fmt;
}

static int __attribute__((format(printf, 3, 4)))
host_fail(struct cosi_call *call, uint32_t code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)status_vfail(&rig_of(call)->status, code, fmt, ap);
	va_end(ap);
	return -1;
}

/* The service that is to fail does so as one does that has no memory left. */
static bool
may_serve(struct rig *rig)
{
	assert_false(arena_failed(&rig->arena));
	if (++rig->nservices == rig->failing)
		(void)status_fail(&rig->status, COSI_EXHAUSTED, "no memory");
	return status_ok(&rig->status);
}

static void *
host_alloc(struct cosi_call *call, size_t size)
{
	return may_serve(rig_of(call)) ? arena_alloc(&rig_of(call)->arena, size) : NULL;
}

static char *__attribute__((format(printf, 2, 3)))
host_printf(struct cosi_call *call, const char *fmt, ...)
{
	va_list ap;
	char *text;

	if (!may_serve(rig_of(call)))
		return arena_strdup(&rig_of(call)->arena, "");
	va_start(ap, fmt);
	text = arena_vprintf(&rig_of(call)->arena, fmt, ap);
	va_end(ap);
	return text;
}

static int64_t
host_now(struct cosi_call *call)
{
	(void)call;
	return RIG_NOW;
}

static int64_t
host_time_left(struct cosi_call *call)
{
	return rig_of(call)->time_left--;
}

static const char *
host_public_url(struct cosi_call *call)
{
	return rig_of(call)->public_url;
}

static bool
host_failed(struct cosi_call *call)
{
	return !status_ok(&rig_of(call)->status);
}

static const struct cosi_host host = {
	.minor = COSI_API_MINOR,
	.log = host_log,
	.fail = host_fail,
	.alloc = host_alloc,
	.printf = host_printf,
	.now = host_now,
	.time_left_ms = host_time_left,
	.public_url = host_public_url,
	.failed = host_failed,
};

/* ---- setting up */

static void
make_temporary(char *path, size_t size)
{
	/* Some thousand roots are made and removed: in memory that takes a tenth of the time. */
	(void)snprintf(path, size, "%s/posix.XXXXXX",
		       access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	assert_non_null(mkdtemp(path));
}

void
rig_init(struct rig *rig)
{
	memset(rig, 0, sizeof *rig);
	make_temporary(rig->root, sizeof rig->root);
	make_temporary(rig->outside, sizeof rig->outside);
	rig->config = (struct rig_config){ rig->root, RIG_KEY };
	rig->public_url = "http://files.example.org";
	arena_init(&rig->arena, MEMORY);
	assert_int_equal(rig_open(rig), 0);
}

int
rig_open(struct rig *rig)
{
	rig->call.host = &host;
	rig_reset(rig);
	return cosi_module.open(&rig->call, &rig->config, &rig->instance);
}

void
rig_close(struct rig *rig)
{
	cosi_module.close(rig->instance);
	rig->instance = NULL;
}

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

void
rig_remove_all(const char *path)
{
	assert_int_equal(nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

void
rig_done(struct rig *rig)
{
	rig_close(rig);
	rig_remove_all(rig->root);
	rig_remove_all(rig->outside);
	arena_done(&rig->arena);
}

int
rig_setup(void **state)
{
	static struct rig rig;

	rig_init(&rig);
	*state = &rig;
	return 0;
}

int
rig_teardown(void **state)
{
	(void)fault_disarm();
	(void)fault_traced();
	rig_done(*state);
	return 0;
}

void
rig_reset(struct rig *rig)
{
	memset(&rig->status, 0, sizeof rig->status);
	rig->nservices = 0;
	rig->time_left = INT64_MAX;
}

/* ---- calls */

/* As the daemon sees it: a call that has failed has failed, whatever the handler returns; but one
 * that returns an error must have said why. */
static uint32_t
outcome(const struct rig *rig, int result)
{
	assert_true(result == 0 || !status_ok(&rig->status));
	return rig->status.code;
}

static struct cosi_mark
mark_or_default(const char *name, const struct cosi_mark *mark)
{
	return mark != NULL ? *mark : (struct cosi_mark){ RIG_OWNER, name, PARAMS_A };
}

uint32_t
rig_create(struct rig *rig, const char *name, const struct cosi_mark *mark, struct cosi_bucket *out)
{
	const struct cosi_bucket_params common = { 0 };
	const struct cosi_bucket_req req = { .native = name,
					     .mark = mark_or_default(name, mark),
					     .protocols = COSI_S3,
					     .common = &common };
	struct cosi_bucket unwanted = { 0 };

	rig_reset(rig);
	return outcome(rig, cosi_module.create_bucket(rig->instance, &rig->call, &req,
						      out != NULL ? out : &unwanted));
}

uint32_t
rig_get(struct rig *rig, const char *name, const struct cosi_mark *mark, struct cosi_bucket *out)
{
	const struct cosi_bucket_params common = { 0 };
	const struct cosi_bucket_req req = { .native = name,
					     .mark = mark_or_default(name, mark),
					     .common = &common };

	rig_reset(rig);
	*out = (struct cosi_bucket){ 0 };
	return outcome(rig, cosi_module.get_bucket(rig->instance, &rig->call, &req, out));
}

static uint32_t
delete_bucket(struct rig *rig, const char *name, const char *owner, bool purge)
{
	const struct cosi_bucket_params common = { .purge = purge };
	const struct cosi_bucket_req req = { .native = name,
					     .mark = { .owner = owner },
					     .common = &common };

	/* Not rig_reset(): a test may have set the time that is left. */
	memset(&rig->status, 0, sizeof rig->status);
	rig->nservices = 0;
	return outcome(rig, cosi_module.delete_bucket(rig->instance, &rig->call, &req));
}

uint32_t
rig_delete(struct rig *rig, const char *name, bool purge)
{
	return delete_bucket(rig, name, RIG_OWNER, purge);
}

uint32_t
rig_delete_of(struct rig *rig, const char *name, const char *owner)
{
	return delete_bucket(rig, name, owner, false);
}

/* "photos:1 films" into references; a revoke has no modes.  Cuts the text up. */
static size_t
parse_buckets(char *text, struct cosi_bucket_ref *refs, const struct cosi_bucket_ref **list)
{
	char *rest = NULL;
	size_t n = 0;

	for (char *word = strtok_r(text, " ", &rest); word != NULL;
	     word = strtok_r(NULL, " ", &rest)) {
		char *colon = strchr(word, ':');

		assert_true(n < RIG_BUCKETS_MAX);
		refs[n] =
			(struct cosi_bucket_ref){ word,
						  colon == NULL ? 0 : (uint32_t)(colon[1] - '0') };
		if (colon != NULL)
			*colon = '\0';
		list[n] = &refs[n];
		n++;
	}
	return n;
}

uint32_t
rig_grant(struct rig *rig, const char *name, const char *buckets, const struct cosi_mark *mark,
	  struct rig_access *out)
{
	static struct rig_access unwanted;
	static struct cosi_bucket_ref refs[RIG_BUCKETS_MAX];
	static const struct cosi_bucket_ref *list[RIG_BUCKETS_MAX];
	struct rig_access *to = out != NULL ? out : &unwanted;
	struct cosi_access_req req = {
		.native = name,
		.mark = mark_or_default(name, mark),
		.protocol = COSI_S3,
		.auth = COSI_AUTH_KEY,
		.buckets = list,
	};

	rig_reset(rig);
	req.nbuckets = parse_buckets(arena_strdup(&rig->arena, buckets), refs, list);
	memset(to, 0, sizeof *to);
	for (size_t i = 0; i < RIG_BUCKETS_MAX; i++)
		to->list[i] = &to->buckets[i];
	to->answer.buckets = to->list;
	return outcome(rig, cosi_module.grant(rig->instance, &rig->call, &req, &to->answer));
}

static uint32_t
revoke_access(struct rig *rig, const char *name, const char *owner, const char *buckets)
{
	static struct cosi_bucket_ref refs[RIG_BUCKETS_MAX];
	static const struct cosi_bucket_ref *list[RIG_BUCKETS_MAX];
	struct cosi_access_req req = { .native = name,
				       .mark = { .owner = owner },
				       .buckets = list };

	rig_reset(rig);
	req.nbuckets = parse_buckets(arena_strdup(&rig->arena, buckets), refs, list);
	return outcome(rig, cosi_module.revoke(rig->instance, &rig->call, &req));
}

uint32_t
rig_revoke(struct rig *rig, const char *name, const char *buckets)
{
	return revoke_access(rig, name, RIG_OWNER, buckets);
}

uint32_t
rig_revoke_of(struct rig *rig, const char *name, const char *owner)
{
	return revoke_access(rig, name, owner, "");
}

const char *
rig_map(struct rig *rig, uint32_t kind, const char *asked, bool exact)
{
	rig_reset(rig);
	return cosi_module.map_name(rig->instance, &rig->call, kind, asked, exact);
}
