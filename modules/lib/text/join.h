/* SPDX-License-Identifier: Apache-2.0
 * join.h - what stands in text/text.h now. */
#include "text/text.h"
