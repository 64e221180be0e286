/* SPDX-License-Identifier: Apache-2.0
 * scope.h - the names that text/cleanup.h had before. */
#ifndef LIB_TEXT_SCOPE_H
#define LIB_TEXT_SCOPE_H
#include "text/cleanup.h"

#define SCOPE(fn)  CLEANUP(fn)
#define SCOPE_FREE CLEANUP_FREE

#endif
