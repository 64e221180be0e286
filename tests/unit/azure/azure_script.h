/* SPDX-License-Identifier: Apache-2.0
 * azure_script.h - the scripted store (lib/script.h) as Azure Blob Storage, and an instance. */
#ifndef TEST_AZURE_SCRIPT_H
#define TEST_AZURE_SCRIPT_H
#include "azure.h"
#include "script.h"

extern const struct cosi_module cosi_module;

#define ACL_GET "GET /photos?comp=acl&restype=container"
#define ACL_PUT "PUT /photos?comp=acl&restype=container"
#define LEASE   "PUT /photos?comp=lease&restype=container"
#define HEAD    "HEAD /photos?restype=container"
#define PUT     "PUT /photos?restype=container"
#define DELETE  "DELETE /photos?restype=container"
#define BLOBS   "GET /photos?comp=list&maxresults=1&restype=container"

/* Of a container that HEAD finds. */
#define MODIFIED                                                                                   \
	{                                                                                          \
		"last-modified", "Fri, 20 Nov 2026 11:00:00 GMT"                                   \
	}
#define NO_POLICIES "<SignedIdentifiers />"

/* An instance with a key, leases on. */
void script_init(struct script *script);
void script_done(struct script *script);
/* Its settings, for a test to change. */
struct azure_config *config_of(const struct script *script);

#endif
