/* SPDX-License-Identifier: Apache-2.0
 * dialect.c - the dialects that are served on the one socket. */
#include "rpc/dialect.h"

#include "banned.h"

const struct dialect *const dialect_all[] = { &dialect_v1alpha1, &dialect_v1alpha2, NULL };
