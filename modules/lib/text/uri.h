/* SPDX-License-Identifier: Apache-2.0
 * uri.h - what stands in text/text.h now. */
#include "text/text.h"
