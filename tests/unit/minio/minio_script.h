/* SPDX-License-Identifier: Apache-2.0
 * minio_script.h - the scripted store (lib/script.h) as a MinIO server, and an instance. */
#ifndef TEST_MINIO_SCRIPT_H
#define TEST_MINIO_SCRIPT_H
#include "minio.h"
#include "script.h"

extern const struct cosi_module cosi_module;

#define ADMIN    "/minio/admin/v3/"
#define LOCATION "GET /photos?location="
#define LOCATED  "<LocationConstraint>us-east-1</LocationConstraint>"

/* An instance with two previous credential keys. */
void script_init(struct script *script);
void script_done(struct script *script);

#endif
