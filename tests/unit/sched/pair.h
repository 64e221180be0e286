/* SPDX-License-Identifier: Apache-2.0
 * pair.h - a scheduler over two backends, east and west, whose generations are swapped. */
#ifndef TESTS_SCHED_PAIR_H
#define TESTS_SCHED_PAIR_H
#include <stdatomic.h>

#include "sched/sched.h"

/* The endpoint of later generations. */
#define SECOND "http://second.example.org"

/* How often the scheduler has said since pair_start() that it may be reaped. */
extern atomic_uint pair_nidle;

/* 8 workers, 2 calls a backend at a time; new buckets go to east. */
struct sched *pair_start(void);
struct sched_config pair_limits(void);
void pair_swap(struct sched *sched, struct generation *generation);

#endif
