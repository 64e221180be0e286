/* SPDX-License-Identifier: Apache-2.0
 * unit.h - what every test program here includes. */
#ifndef TEST_LIB_UNIT_H
#define TEST_LIB_UNIT_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "host.h"

static inline struct cosi_bytes
bytes(const char *text)
{
	return (struct cosi_bytes){ text, strlen(text) };
}

#endif
