/* SPDX-License-Identifier: Apache-2.0
 * core.h - the gRPC C core, set up as it is needed here. */
#ifndef COSID_RPC_CORE_H
#define COSID_RPC_CORE_H
#include <grpc/grpc.h>

/* grpc_init(), with its log led into ours. */
void core_init(void);
/* The caller's. */
grpc_server *core_server_new(void);

#endif
