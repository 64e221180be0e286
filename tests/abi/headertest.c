/* SPDX-License-Identifier: Apache-2.0
 * headertest.c - the header compiles alone, as strict C11, without another include before it. */
#include "cosi_module.h"

extern const int headertest;
const int headertest = COSI_API_MAJOR;
