/* SPDX-License-Identifier: Apache-2.0
 * scan.h - a first look at a file's text, for what libconfig 1.5 would take without a word.
 *
 * It cuts numbers that do not fit, drops "\x00", lets a comment or a file end early, opens other
 * files for @include, and descends as deep as the text says.  All of that is refused here.
 */
#ifndef COSID_CONFIG_SCAN_H
#define COSID_CONFIG_SCAN_H
#include <stddef.h>

#include "config/diag.h"

/* Deeper than anything that the configuration has. */
enum { SCAN_DEPTH_MAX = 16 };

/* text[0..len); every problem becomes an error of diag. */
void scan_text(const char *text, size_t len, const char *file, struct diag *diag);

#endif
