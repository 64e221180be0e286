/* SPDX-License-Identifier: Apache-2.0
 * marks.h - metadata of a container that says whose it is.
 *
 * The names have letters alone, because servers disagree about the order of any other ones, and
 * headers are signed in order.  The values are percent-encoded.
 */
#ifndef AZURE_MARKS_H
#define AZURE_MARKS_H
#include "cosi_module.h"

#define MARK_DRIVER "cosidriver"
#define MARK_NAME   "cosiname"
#define MARK_PARAMS "cosiparams"
#define MARK_HEADER "x-ms-meta-"

#endif
