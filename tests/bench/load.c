/* SPDX-License-Identifier: Apache-2.0
 * load.c - a closed loop of COSI v1alpha1 calls on a UNIX socket, as cheap as a client can be.
 *
 *   load --socket PATH --op info|create|lifecycle [--inflight N] [--conns N] [--seconds T]
 *        [--wait T] [--param k=v]...
 *
 * HTTP/2 by libnghttp2, one thread.  lifecycle: create, grant, revoke, delete on names of its own.
 * No new work begins after T seconds; what is in flight is finished.  --wait: for a server to
 * listen; says "waiting" when it begins to.  One JSON line on stdout; exit 0: every call was OK, 1:
 * some were not, 2: usage or no connection.
 */
#include <errno.h>
#include <getopt.h>
#include <jansson.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/parse.h"
#include "cosi_v1alpha1.pb-c.h"
#include "h2.h"

#include "banned.h"

enum { MAX_CONNS = 64, MAX_PARAMS = 8 };
enum op { INFO, CREATE, GRANT, REVOKE, DELETE, NOPS };
static const char *const paths[NOPS] = {
	"/cosi.v1alpha1.Identity/DriverGetInfo",
	"/cosi.v1alpha1.Provisioner/DriverCreateBucket",
	"/cosi.v1alpha1.Provisioner/DriverGrantBucketAccess",
	"/cosi.v1alpha1.Provisioner/DriverRevokeBucketAccess",
	"/cosi.v1alpha1.Provisioner/DriverDeleteBucket",
};
static const char *const names[NOPS] = { "info", "create", "grant", "revoke", "delete" };

struct work {               /* one caller: its call in flight and its place in the lifecycle */
	struct h2_call rpc; /* first: h2_finished holds pointers to it */
	struct h2_conn *conn;
	enum op op;
	char bucket[64], bucket_id[256], account_id[256];
	int64_t began_us;
};
struct samples {
	uint32_t *us;
	size_t n, cap;
	unsigned long failed;
};

static struct {
	const char *socket;
	bool lifecycle, create_only;
	int64_t inflight, conns, seconds, wait;
	size_t nparams;
	char *keys[MAX_PARAMS], *values[MAX_PARAMS];
} opt = { .inflight = 1, .conns = 1, .seconds = 2 };
static struct samples samples[NOPS];
static unsigned long sequence, lifecycles;
static char first_error[256];

static void
sample(enum op op, int64_t us, bool ok)
{
	struct samples *s = &samples[op];

	if (s->n == s->cap) {
		s->cap = s->cap == 0 ? 4096 : s->cap * 2;
		s->us = realloc(s->us, s->cap * sizeof *s->us);
		if (s->us == NULL)
			h2_fail("realloc");
	}
	s->us[s->n++] = (uint32_t)us;
	s->failed += !ok;
}

static size_t
pack_params(Cosi__V1alpha1__DriverCreateBucketRequest__ParametersEntry *entries,
	    Cosi__V1alpha1__DriverCreateBucketRequest__ParametersEntry **list)
{
	for (size_t i = 0; i < opt.nparams; i++) {
		cosi__v1alpha1__driver_create_bucket_request__parameters_entry__init(&entries[i]);
		entries[i].key = opt.keys[i];
		entries[i].value = opt.values[i];
		list[i] = &entries[i];
	}
	return opt.nparams;
}

static size_t
pack(struct work *w, uint8_t *out)
{
	Cosi__V1alpha1__DriverCreateBucketRequest create =
		COSI__V1ALPHA1__DRIVER_CREATE_BUCKET_REQUEST__INIT;
	Cosi__V1alpha1__DriverGrantBucketAccessRequest grant =
		COSI__V1ALPHA1__DRIVER_GRANT_BUCKET_ACCESS_REQUEST__INIT;
	Cosi__V1alpha1__DriverRevokeBucketAccessRequest revoke =
		COSI__V1ALPHA1__DRIVER_REVOKE_BUCKET_ACCESS_REQUEST__INIT;
	Cosi__V1alpha1__DriverDeleteBucketRequest delete =
		COSI__V1ALPHA1__DRIVER_DELETE_BUCKET_REQUEST__INIT;
	Cosi__V1alpha1__DriverCreateBucketRequest__ParametersEntry entries[MAX_PARAMS],
		*list[MAX_PARAMS];

	switch (w->op) {
	case CREATE:
		create.name = w->bucket;
		create.parameters = list;
		create.n_parameters = pack_params(entries, list);
		return protobuf_c_message_pack(&create.base, out);
	case GRANT:
		grant.bucket_id = w->bucket_id;
		grant.name = w->bucket;
		grant.authentication_type = COSI__V1ALPHA1__AUTHENTICATION_TYPE__Key;
		return protobuf_c_message_pack(&grant.base, out);
	case REVOKE:
		revoke.bucket_id = w->bucket_id;
		revoke.account_id = w->account_id;
		return protobuf_c_message_pack(&revoke.base, out);
	case DELETE:
		delete.bucket_id = w->bucket_id;
		return protobuf_c_message_pack(&delete.base, out);
	default:
		return 0;
	}
}

static void
submit(struct work *w, enum op op)
{
	w->op = op;
	w->began_us = clock_mono_us();
	h2_submit(w->conn, &w->rpc, paths[op], pack(w, w->rpc.out + H2_FRAME));
}

/* Remembers the ids that later calls of the lifecycle need. */
static void
read_answer(struct work *w)
{
	size_t len = w->rpc.in_len > H2_FRAME ? w->rpc.in_len - H2_FRAME : 0;

	if (w->op == CREATE) {
		Cosi__V1alpha1__DriverCreateBucketResponse *r =
			cosi__v1alpha1__driver_create_bucket_response__unpack(NULL, len,
									      w->rpc.in + H2_FRAME);
		if (r != NULL)
			(void)snprintf(w->bucket_id, sizeof w->bucket_id, "%s", r->bucket_id);
		cosi__v1alpha1__driver_create_bucket_response__free_unpacked(r, NULL);
	} else if (w->op == GRANT) {
		Cosi__V1alpha1__DriverGrantBucketAccessResponse *r =
			cosi__v1alpha1__driver_grant_bucket_access_response__unpack(
				NULL, len, w->rpc.in + H2_FRAME);
		if (r != NULL)
			(void)snprintf(w->account_id, sizeof w->account_id, "%s", r->account_id);
		cosi__v1alpha1__driver_grant_bucket_access_response__free_unpacked(r, NULL);
	}
}

static void
begin(struct work *w)
{
	(void)snprintf(w->bucket, sizeof w->bucket, "ba-%x-%lu", (unsigned)getpid(), sequence++);
	submit(w, opt.lifecycle || opt.create_only ? CREATE : INFO);
}

/* After an answer: the next call of the lifecycle, a new one, or the end of this caller (false). */
static bool
advance(struct work *w, bool more)
{
	bool ok = w->rpc.status == 0;

	sample(w->op, clock_mono_us() - w->began_us, ok);
	if (!ok && first_error[0] == '\0')
		(void)snprintf(first_error, sizeof first_error, "%s: %d %.200s", names[w->op],
			       w->rpc.status, w->rpc.message);
	read_answer(w);
	if (opt.lifecycle && ok && w->op != DELETE) {
		submit(w, w->op + 1);
		return true;
	}
	lifecycles += opt.lifecycle && ok;
	if (more)
		begin(w);
	return more;
}

static double
run(struct h2_conn *conns, struct work *works)
{
	int64_t start = clock_mono_us(), stop = start + opt.seconds * 1000000;
	struct pollfd fds[MAX_CONNS];
	int64_t active = opt.inflight;

	for (int64_t i = 0; i < opt.inflight; i++) {
		works[i].conn = &conns[i % opt.conns];
		begin(&works[i]);
	}
	while (active > 0) {
		for (int64_t i = 0; i < opt.conns; i++) {
			h2_flush(&conns[i]);
			fds[i] = (struct pollfd){ .fd = conns[i].fd, .events = POLLIN };
		}
		if (poll(fds, (nfds_t)opt.conns, -1) < 0 && errno != EINTR)
			h2_fail("poll");
		for (int64_t i = 0; i < opt.conns; i++)
			if (fds[i].revents != 0)
				h2_read(&conns[i]);
		for (size_t n = h2_nfinished; n > 0; n--)
			active -=
				!advance((struct work *)h2_finished[n - 1], clock_mono_us() < stop);
		h2_nfinished = 0;
	}
	return (double)(clock_mono_us() - start) / 1e6;
}

static int
by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static int
report(double elapsed)
{
	json_t *all = json_object();
	unsigned long calls = 0, failed = 0;
	struct rusage ru;

	for (int op = 0; op < NOPS; op++) {
		struct samples *s = &samples[op];
		if (s->n == 0)
			continue;
		qsort(s->us, s->n, sizeof *s->us, by_value);
		json_object_set_new(
			all, names[op],
			json_pack("{s:i, s:i, s:i, s:i, s:i}", "calls", (int)s->n, "failed",
				  (int)s->failed, "p50_us", (int)s->us[s->n / 2], "p99_us",
				  (int)s->us[s->n * 99 / 100], "max_us", (int)s->us[s->n - 1]));
		calls += s->n;
		failed += s->failed;
	}
	getrusage(RUSAGE_SELF, &ru);
	json_object_set_new(all, "calls_per_s", json_real((double)calls / elapsed));
	json_object_set_new(all, "lifecycles_per_s", json_real((double)lifecycles / elapsed));
	json_object_set_new(all, "lifecycles", json_integer((json_int_t)lifecycles));
	json_object_set_new(all, "calls", json_integer((json_int_t)calls));
	json_object_set_new(all, "failed", json_integer((json_int_t)failed));
	json_object_set_new(all, "ended_us", json_integer((json_int_t)clock_mono_us()));
	json_object_set_new(all, "first_error", json_string(first_error));
	json_dumpf(all, stdout, JSON_COMPACT);
	(void)putchar('\n');
	json_decref(all);
	return failed == 0 ? 0 : 1;
}

static void
parse_options(int argc, char **argv)
{
	static const struct option longs[] = {
		{ "socket", 1, NULL, 's' },   { "op", 1, NULL, 'o' },
		{ "inflight", 1, NULL, 'i' }, { "conns", 1, NULL, 'c' },
		{ "seconds", 1, NULL, 't' },  { "param", 1, NULL, 'p' },
		{ "wait", 1, NULL, 'w' },     { NULL, 0, NULL, 0 },
	};
	int64_t *numbers[128] = {
		['i'] = &opt.inflight, ['c'] = &opt.conns, ['t'] = &opt.seconds, ['w'] = &opt.wait
	};
	bool bad = false;
	int c;

	while ((c = getopt_long(argc, argv, "", longs, NULL)) != -1) {
		if (c == 's')
			opt.socket = optarg;
		else if (c == 'o') {
			opt.lifecycle = strcmp(optarg, "lifecycle") == 0;
			opt.create_only = strcmp(optarg, "create") == 0;
		} else if (c == 'p' && opt.nparams < MAX_PARAMS && strchr(optarg, '=') != NULL) {
			opt.keys[opt.nparams] = strtok_r(optarg, "=", &opt.values[opt.nparams]);
			opt.nparams++;
		} else
			bad |= c == '?' || numbers[c] == NULL || parse_int(optarg, numbers[c]) != 0;
	}
	if (bad || opt.socket == NULL || opt.inflight < 1 || opt.inflight > H2_MAX_CALLS ||
	    opt.conns < 1 || opt.conns > MAX_CONNS) {
		(void)fprintf(stderr, "usage: load --socket PATH --op info|create|lifecycle "
				      "[--inflight N] [--conns N]"
				      " [--seconds T] [--wait T] [--param k=v]\n");
		exit(2);
	}
}

int
main(int argc, char **argv)
{
	static struct h2_conn conns[MAX_CONNS];
	struct work *works;
	int64_t until_us;

	parse_options(argc, argv);
	if (opt.wait > 0) {
		(void)puts("waiting");
		(void)fflush(stdout);
	}
	until_us = clock_mono_us() + opt.wait * 1000000;
	works = calloc((size_t)opt.inflight, sizeof *works);
	if (works == NULL)
		h2_fail("calloc");
	for (int64_t i = 0; i < opt.conns; i++)
		h2_open(&conns[i], opt.socket, until_us);
	return report(run(conns, works));
}
