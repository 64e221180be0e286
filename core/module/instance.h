/* SPDX-License-Identifier: Apache-2.0
 * instance.h - one configured backend of a module: its settings, its state, its way to the store.
 */
#ifndef COSID_MODULE_INSTANCE_H
#define COSID_MODULE_INSTANCE_H
#include "config/config.h"
#include "http/http.h"
#include "module/backend.h"
#include "module/image.h"
#include "module/token.h"

struct instance {
	struct image *image;              /* a reference */
	struct config_settings *settings; /* owned; what config points into */
	void *config;                     /* owned; the module's struct */
	void *handle;                     /* what handlers get: the module's, or config */
	bool opened;                      /* close() is due */
	bool shut;        /* cosid --check could not read a secret: not to be used */
	char *endpoint;   /* owned; where http() goes by default; NULL: nowhere */
	char *public_url; /* owned; what applications are told; NULL: nothing */
	struct http_client
		*client; /* owned; NULL before the end of open(), and without COSI_NETWORK */
	struct tokens tokens;
};

/* Fills backend (its config is set) with a new instance of the image, taking over the reference.
 * 0, or -1 with everything undone and at least one error in diag. */
int instance_open(struct backend *backend, struct image *image, bool checking, struct diag *diag);
/* No call may be running. */
void instance_close(struct backend *backend);

static inline struct instance *
instance_of(const struct backend *backend)
{
	return backend->priv;
}

#endif
