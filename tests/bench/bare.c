/* SPDX-License-Identifier: Apache-2.0
 * bare.c - the least that a gRPC server on the C core can do: what cosid's own work is compared
 * with.
 *
 *   bare SOCKET WORKERS      0: answered on the polling thread; else handed to a pool of that size
 *
 * Serves cosi.v1alpha1 with fixed answers: decodes the request, packs the answer, nothing else.
 * Ends at SIGTERM.
 */
#include <grpc/byte_buffer_reader.h>
#include <grpc/grpc.h>
#include <grpc/grpc_posix.h>
#include <grpc/grpc_security.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/parse.h"
#include "cosi_v1alpha1.pb-c.h"

#include "banned.h"

enum { SLOTS = 512, NMETHODS = 5 };

struct rpc;
struct tag {
	void (*fn)(struct rpc *, bool ok);
	struct rpc *rpc;
};
struct method {
	const char *path;
	const ProtobufCMessageDescriptor *request;
	const ProtobufCMessage *answer;
	void *registered;
};
struct rpc {
	struct tag arrived, closed, done;
	struct method *method;
	grpc_call *call;
	gpr_timespec deadline;
	grpc_metadata_array metadata;
	grpc_byte_buffer *in, *out;
	int cancelled, refs;
	struct rpc *next;
};

static grpc_server *server;
static grpc_completion_queue *queue;
static long workers;
static struct {
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	struct rpc *head, **tail;
} pool = { .mutex = PTHREAD_MUTEX_INITIALIZER,
	   .cond = PTHREAD_COND_INITIALIZER,
	   .tail = &pool.head };

static void
arm(struct rpc *rpc)
{
	rpc->in = rpc->out = NULL;
	grpc_metadata_array_init(&rpc->metadata);
	grpc_server_request_registered_call(server, rpc->method->registered, &rpc->call,
					    &rpc->deadline, &rpc->metadata, &rpc->in, queue, queue,
					    &rpc->arrived);
}

static void
unref(struct rpc *rpc, bool ok)
{
	(void)ok;
	if (__atomic_sub_fetch(&rpc->refs, 1, __ATOMIC_ACQ_REL) > 0)
		return;
	grpc_byte_buffer_destroy(rpc->in);
	grpc_byte_buffer_destroy(rpc->out);
	grpc_metadata_array_destroy(&rpc->metadata);
	grpc_call_unref(rpc->call);
	arm(rpc);
}

static void
answer(struct rpc *rpc)
{
	grpc_byte_buffer_reader reader;
	grpc_slice in, out;
	grpc_op ops[3] = { { .op = GRPC_OP_SEND_INITIAL_METADATA },
			   { .op = GRPC_OP_SEND_MESSAGE },
			   { .op = GRPC_OP_SEND_STATUS_FROM_SERVER } };

	grpc_byte_buffer_reader_init(&reader, rpc->in);
	in = grpc_byte_buffer_reader_readall(&reader);
	grpc_byte_buffer_reader_destroy(&reader);
	protobuf_c_message_free_unpacked(protobuf_c_message_unpack(rpc->method->request, NULL,
								   GRPC_SLICE_LENGTH(in),
								   GRPC_SLICE_START_PTR(in)),
					 NULL);
	grpc_slice_unref(in);
	out = grpc_slice_malloc(protobuf_c_message_get_packed_size(rpc->method->answer));
	protobuf_c_message_pack(rpc->method->answer, GRPC_SLICE_START_PTR(out));
	rpc->out = grpc_raw_byte_buffer_create(&out, 1);
	grpc_slice_unref(out);
	ops[1].data.send_message.send_message = rpc->out;
	grpc_call_start_batch(rpc->call, ops, 3, &rpc->done, NULL);
}

static void *
work(void *arg)
{
	struct rpc *rpc;

	(void)arg;
	for (;;) {
		pthread_mutex_lock(&pool.mutex);
		while (pool.head == NULL)
			pthread_cond_wait(&pool.cond, &pool.mutex);
		rpc = pool.head;
		pool.head = rpc->next;
		if (pool.head == NULL)
			pool.tail = &pool.head;
		pthread_mutex_unlock(&pool.mutex);
		answer(rpc);
	}
	return NULL;
}

static void
arrived(struct rpc *rpc, bool ok)
{
	grpc_op op = { .op = GRPC_OP_RECV_CLOSE_ON_SERVER };

	if (!ok)
		return;
	rpc->refs = 2;
	op.data.recv_close_on_server.cancelled = &rpc->cancelled;
	grpc_call_start_batch(rpc->call, &op, 1, &rpc->closed, NULL);
	if (workers == 0 || rpc->method->answer == NULL) {
		answer(rpc);
		return;
	}
	rpc->next = NULL;
	pthread_mutex_lock(&pool.mutex);
	*pool.tail = rpc;
	pool.tail = &rpc->next;
	pthread_cond_signal(&pool.cond);
	pthread_mutex_unlock(&pool.mutex);
}

static void *
poll_loop(void *arg)
{
	(void)arg;
	for (;;) {
		grpc_event event =
			grpc_completion_queue_next(queue, gpr_inf_future(GPR_CLOCK_REALTIME), NULL);
		struct tag *tag = event.tag;
		if (event.type == GRPC_OP_COMPLETE)
			tag->fn(tag->rpc, event.success != 0);
	}
	return NULL;
}

static int
listen_on(const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)snprintf(addr.sun_path, sizeof addr.sun_path, "%s", path);
	(void)unlink(path);
	if (fd < 0 || bind(fd, (struct sockaddr *)&addr, sizeof addr) != 0 || listen(fd, 64) != 0) {
		perror(path);
		exit(1);
	}
	return fd;
}

static void
fill_answers(struct method *methods)
{
	static Cosi__V1alpha1__DriverGetInfoResponse info =
		COSI__V1ALPHA1__DRIVER_GET_INFO_RESPONSE__INIT;
	static Cosi__V1alpha1__DriverCreateBucketResponse create =
		COSI__V1ALPHA1__DRIVER_CREATE_BUCKET_RESPONSE__INIT;
	static Cosi__V1alpha1__Protocol protocol = COSI__V1ALPHA1__PROTOCOL__INIT;
	static Cosi__V1alpha1__S3 s3 = COSI__V1ALPHA1__S3__INIT;
	static Cosi__V1alpha1__DriverGrantBucketAccessResponse grant =
		COSI__V1ALPHA1__DRIVER_GRANT_BUCKET_ACCESS_RESPONSE__INIT;
	static Cosi__V1alpha1__DriverRevokeBucketAccessResponse revoke =
		COSI__V1ALPHA1__DRIVER_REVOKE_BUCKET_ACCESS_RESPONSE__INIT;
	static Cosi__V1alpha1__DriverDeleteBucketResponse delete =
		COSI__V1ALPHA1__DRIVER_DELETE_BUCKET_RESPONSE__INIT;
	static char name[] = "bench.example.org", id[] = "null.ba-1234567-1234567",
		    region[] = "default";

	info.name = name;
	s3.region = region;
	s3.signature_version = COSI__V1ALPHA1__S3_SIGNATURE_VERSION__S3V4;
	protocol.type_case = COSI__V1ALPHA1__PROTOCOL__TYPE_S3;
	protocol.s3 = &s3;
	create.bucket_id = grant.account_id = id;
	create.bucket_info = &protocol;
	methods[0].answer = &info.base;
	methods[1].answer = &create.base;
	methods[2].answer = &grant.base;
	methods[3].answer = &revoke.base;
	methods[4].answer = &delete.base;
}

int
main(int argc, char **argv)
{
	static struct method methods[NMETHODS] = {
		{ .path = "/cosi.v1alpha1.Identity/DriverGetInfo",
		  .request = &cosi__v1alpha1__driver_get_info_request__descriptor },
		{ .path = "/cosi.v1alpha1.Provisioner/DriverCreateBucket",
		  .request = &cosi__v1alpha1__driver_create_bucket_request__descriptor },
		{ .path = "/cosi.v1alpha1.Provisioner/DriverGrantBucketAccess",
		  .request = &cosi__v1alpha1__driver_grant_bucket_access_request__descriptor },
		{ .path = "/cosi.v1alpha1.Provisioner/DriverRevokeBucketAccess",
		  .request = &cosi__v1alpha1__driver_revoke_bucket_access_request__descriptor },
		{ .path = "/cosi.v1alpha1.Provisioner/DriverDeleteBucket",
		  .request = &cosi__v1alpha1__driver_delete_bucket_request__descriptor },
	};
	grpc_server_credentials *creds;
	pthread_t thread;
	int64_t n = 0;
	int fd;

	if (argc != 3 || parse_int(argv[2], &n) != 0)
		return 2;
	workers = (long)n;
	fd = listen_on(argv[1]);
	fill_answers(methods);
	grpc_init();
	server = grpc_server_create(NULL, NULL);
	queue = grpc_completion_queue_create_for_next(NULL);
	grpc_server_register_completion_queue(server, queue, NULL);
	for (int i = 0; i < NMETHODS; i++)
		methods[i].registered =
			grpc_server_register_method(server, methods[i].path, NULL,
						    GRPC_SRM_PAYLOAD_READ_INITIAL_BYTE_BUFFER, 0);
	creds = grpc_insecure_server_credentials_create();
	grpc_server_start(server);
	for (int i = 0; i < NMETHODS * SLOTS; i++) {
		struct rpc *rpc = calloc(1, sizeof *rpc);
		if (rpc == NULL)
			return 1;
		rpc->method = &methods[i % NMETHODS];
		rpc->arrived = (struct tag){ arrived, rpc };
		rpc->closed = rpc->done = (struct tag){ unref, rpc };
		arm(rpc);
	}
	pthread_create(&thread, NULL, poll_loop, NULL);
	for (long i = 0; i < workers; i++)
		pthread_create(&thread, NULL, work, NULL);
	for (;;) {
		int peer = accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
		if (peer >= 0)
			grpc_server_add_channel_from_fd(server, peer, creds);
	}
}
