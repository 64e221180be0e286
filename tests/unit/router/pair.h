/* SPDX-License-Identifier: Apache-2.0
 * pair.h - a router over two backends, east and west, whose generations are swapped. */
#ifndef TESTS_ROUTER_PAIR_H
#define TESTS_ROUTER_PAIR_H
#include <stdatomic.h>

#include "router/router.h"

/* The endpoint of later generations. */
#define SECOND "http://second.example.org"

/* How often the router has said since pair_start() that it may be reaped. */
extern atomic_uint pair_nidle;

/* 8 workers, 2 calls a backend at a time; new buckets go to east. */
struct router *pair_start(void);
struct router_config pair_limits(void);
void pair_swap(struct router *router, struct generation *generation);

#endif
