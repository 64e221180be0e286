/* SPDX-License-Identifier: Apache-2.0
 * headertest.c - the header alone, in the strictest dialect: it needs nothing before it. */
#include "cosi_module.h"

extern const int headertest;
const int headertest = COSI_API_MAJOR;
