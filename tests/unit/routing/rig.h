/* SPDX-License-Identifier: Apache-2.0
 * rig.h - what every test of this layer includes. */
#ifndef TESTS_UNIT_ROUTING_RIG_H
#define TESTS_UNIT_ROUTING_RIG_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif
