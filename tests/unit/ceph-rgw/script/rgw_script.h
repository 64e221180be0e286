/* SPDX-License-Identifier: Apache-2.0
 * rgw_script.h - the scripted store (lib/script.h) as a RADOS Gateway, and an instance. */
#ifndef TEST_RGW_SCRIPT_H
#define TEST_RGW_SCRIPT_H
#include "rgw.h"
#include "script.h"

extern const struct cosi_module cosi_module;

/* credential_key: NULL for keys that the gateway makes. */
void script_init(struct script *script, const char *credential_key);
void script_done(struct script *script);

#endif
