/* SPDX-License-Identifier: Apache-2.0
 * instance.h - one configured backend of a module: its settings, its state, its way to the store.
 */
#ifndef COSID_MODULE_INSTANCE_H
#define COSID_MODULE_INSTANCE_H
#include "config/config.h"
#include "http/http.h"
#include "module/backend.h"
#include "module/image.h"

struct instance {
	atomic_uint refs;                 /* generations that have it */
	unsigned char likeness[32];       /* see likeness.h */
	struct image *image;              /* a reference */
	struct config_settings *settings; /* owned; what config points into */
	void *config;                     /* owned; the module's struct */
	void *handle;                     /* what handlers get: the module's, or config */
	bool opened;                      /* close() is due */
	bool unfit;       /* cosid --check could not read a secret: not to be used */
	char *endpoint;   /* owned; where http() goes by default; NULL: nowhere */
	char *public_url; /* owned; what applications are told; NULL: nothing */
	struct http_client
		*client; /* owned; NULL before the end of open(), and without COSI_NETWORK */
};

/* Fills backend (its config is set) with an instance of the image, taking over the reference: that
 * of `before` (NULL: there is none), when the new one would be the same, or a new one.  0, or -1
 * with everything undone and at least one error in diag. */
int instance_open(struct backend *backend, struct image *image, const struct backend *before,
		  bool checking, struct diag *diag);
/* Gives the backend's reference back.  The last one closes: no call may be running then. */
void instance_close(struct backend *backend);

static inline struct instance *
instance_of(const struct backend *backend)
{
	return backend->priv;
}

#endif
