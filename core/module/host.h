/* SPDX-License-Identifier: Apache-2.0
 * host.h - the services that a module reaches through its call; cosi_module.h describes them. */
#ifndef COSID_MODULE_HOST_H
#define COSID_MODULE_HOST_H
#include "cosi_module.h"

extern const struct cosi_host host_table;

#endif
