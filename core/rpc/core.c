/* SPDX-License-Identifier: Apache-2.0
 * core.c - the settings of the gRPC C core, and its log. */
#include "rpc/core.h"

#include <grpc/support/log.h>
#include <string.h>

#include "base/log.h"
#include "rpc/limits.h"

#include "banned.h"

/* It logs why it cannot continue, and then ends the process: that must be logged regardless of the
 * level. */
static void
log_core(gpr_log_func_args *args)
{
	static const char last_words[] = "assertion failed";

	if (strncmp(args->message, last_words, sizeof last_words - 1) == 0)
		log_error("gRPC cannot go on: %s at %s:%d", args->message, args->file, args->line);
	else
		log_debug("grpc: %s", args->message);
}

void
core_init(void)
{
	gpr_set_log_function(log_core);
	grpc_init();
}

/* What each of these costs or prevents was measured with 1.51: without the limit on streams the
 * core queues calls without end; pings tell dead peers from quiet ones, which live for ever;
 * a peer's pings are not counted, since a refusal of each is kept (130 MiB for 420 KB of them), and
 * those that read no answers are read no further; compressed requests are refused by the core,
 * since it would unpack any size of them. */
grpc_server *
core_server_new(void)
{
	static const struct {
		const char *key;
		int value;
	} settings[] = {
		{ GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH, LIMIT_MESSAGE },
		{ GRPC_ARG_MAX_CONCURRENT_STREAMS, LIMIT_STREAMS },
		{ GRPC_ARG_KEEPALIVE_TIME_MS, LIMIT_KEEPALIVE_MS },
		{ GRPC_ARG_KEEPALIVE_TIMEOUT_MS, LIMIT_KEEPALIVE_TIMEOUT_MS },
		{ GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1 },
		{ GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0 },
		{ GRPC_ARG_HTTP2_MAX_PING_STRIKES, 0 },
		{ GRPC_COMPRESSION_CHANNEL_ENABLED_ALGORITHMS_BITSET, 1 << GRPC_COMPRESS_NONE },
		{ GRPC_ARG_ENABLE_CHANNELZ, 0 },
	};
	enum { N = sizeof settings / sizeof settings[0] };
	grpc_arg list[N + 1];
	grpc_channel_args args = { N + 1, list };
	grpc_resource_quota *quota = grpc_resource_quota_create("cosid");
	grpc_server *server;

	grpc_resource_quota_resize(quota, LIMIT_MEMORY);
	list[N].type = GRPC_ARG_POINTER;
	list[N].key = (char *)(uintptr_t)GRPC_ARG_RESOURCE_QUOTA;
	list[N].value.pointer.p = quota;
	list[N].value.pointer.vtable = grpc_resource_quota_arg_vtable();

	for (size_t i = 0; i < N; i++) {
		list[i].type = GRPC_ARG_INTEGER;
		list[i].key = (char *)(uintptr_t)settings[i].key;
		list[i].value.integer = settings[i].value;
	}
	server = grpc_server_create(&args, NULL);
	grpc_resource_quota_unref(quota);
	return server;
}
