/* SPDX-License-Identifier: Apache-2.0
 * server_rig.h - a server on a socket of its own, over a fake sched, and a client of it. */
#ifndef TESTS_UNIT_RPC_SERVER_RIG_H
#define TESTS_UNIT_RPC_SERVER_RIG_H
#include "rig.h"

#include <sys/socket.h>

#include "rpc/server.h"

#include "fake_sched.c"

#include "client.c"

#define INFO1 "/cosi.v1alpha1.Identity/DriverGetInfo"
#define INFO2 "/sigs.k8s.io.cosi.v1alpha2.Identity/DriverGetInfo"

/* A DriverCreateBucketRequest of either version: name "n". */
#define CREATE_N "\x0a\x01n", 3

struct fixture {
	char dir[64], path[96];
	struct sched sched;
	struct server *server;
	grpc_channel *channel;
	struct cosi_bucket bucket, *buckets[1];
};

static inline int
setup(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);
	struct server_config config = { .socket_mode = 0600, .listen_fd = -1 };
	struct status status = { 0 };

	assert_non_null(f);
	grpc_init();
	(void)snprintf(f->dir, sizeof f->dir, "/tmp/cosid-rpc.XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	(void)snprintf(f->path, sizeof f->path, "%s/cosi.sock", f->dir);
	fake_init(&f->sched);
	f->bucket = (struct cosi_bucket){
		.protocols = COSI_S3,
		.name = "n",
		.endpoint = "http://store",
		.region = "eu",
		.style = COSI_PATH_STYLE,
	};
	f->buckets[0] = &f->bucket;
	f->sched.answer = (struct answer){
		.id = "r.n",
		.protocol = COSI_S3,
		.bucket = f->bucket,
		.access = { .buckets = f->buckets, .key_id = "AK", .key_secret = "SK" },
	};
	config.socket_path = f->path;
	rig_capture();
	f->server = server_start(&config, &f->sched, &status);
	if (f->server == NULL)
		print_error("%s\n", status.text);
	assert_non_null(f->server);
	f->channel = client_connect(f->path);
	*state = f;
	return 0;
}

/* Stops the server, which must end all calls by itself; then rig_log holds what it logged. */
static inline void
stop(struct fixture *f)
{
	assert_int_equal(server_stop(f->server, 60000), 0);
	server_done();
	f->server = NULL;
	rig_captured();
}

static inline int
teardown(void **state)
{
	struct fixture *f = *state;

	grpc_channel_destroy(f->channel);
	if (f->server != NULL)
		stop(f);
	assert_int_equal(rmdir(f->dir), 0); /* the socket is gone, and nothing else was made */
	fake_wait_freed(&f->sched);
	grpc_shutdown_blocking();
	free(f);
	return 0;
}

/* A connection of bare bytes. */
static inline int
raw_connect(const struct fixture *f)
{
	return rig_connect(f->path);
}

/* Ends a call that must have come to this, and whose status text must hold these words. */
static inline void
expect(struct client_call *c, grpc_status_code code, const char *words)
{
	if (c->code == code && strstr(c->text, words) != NULL) {
		client_free(c);
		return;
	}
	rig_captured(); /* so that the complaint is seen */
	print_error("%s",
		    strstr(rig_log, "closing a connection") != NULL ? "it was cut off\n" : "");
	fail_msg("%d '%s', not %d with '%s'", c->code, c->text, code, words);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
