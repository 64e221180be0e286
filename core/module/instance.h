/* SPDX-License-Identifier: Apache-2.0
 * instance.h - one configured backend of a module: its settings, its state, its way to the store.
 */
#ifndef COSID_MODULE_INSTANCE_H
#define COSID_MODULE_INSTANCE_H
#include "config/config.h"
#include "http/http.h"
#include "module/backend.h"
#include "module/image.h"
#include "module/load_check.h"

struct instance {
	atomic_uint refs;                 /* generations that have it */
	unsigned char digest[32];         /* of the loaded file, the settings, the secrets */
	struct image *image;              /* a reference; NULL: left out, there is none to load */
	struct cosi_module unknown;       /* then: its name, and every protocol that there is */
	struct config_settings *settings; /* owned; what config points into */
	void *config;                     /* owned; the module's struct */
	void *handle;                     /* what handlers get: the module's, or config */
	bool opened;                      /* close() is due */
	char *left_out;                   /* owned; NULL: the backend can be used */
	char *endpoint;                   /* owned; where http() goes by default; NULL: nowhere */
	char *public_url;                 /* owned; what applications are told; NULL: nothing */
	struct http_client
		*client; /* owned; NULL before the end of open(), and without COSI_NETWORK */
};

/* What all backends of a generation are opened with; borrowed. */
struct opening {
	const struct generation *before; /* the one that serves; NULL: there is none */
	enum generation_mode mode;
	struct load_check *check;
	struct diag *diag;
};

/* The services that a module reaches through its call (host.c). */
extern const struct cosi_host host_table;

/* Fills backend (its config is set) with an instance of the image, whose reference it takes over:
 * the one of the generation before, if a new one would be the same, else a new one; one that is
 * left out when the module has ended too many processes.  0, or -1 with everything undone and at
 * least one error in diag, or in that of the configuration. */
int instance_open(struct backend *backend, struct image *image, const struct opening *opening);
/* Fills backend with the open instance of the generation before; -1: there is none. */
int instance_keep(struct backend *backend, const struct generation *before);
/* Fills backend with an instance that only says why there is none to use.  image: a reference that
 * is taken over, or NULL.  0, or -1: no memory. */
int instance_leave_out(struct backend *backend, struct image *image, const char *reason);
/* What its module serves; of one that cannot be loaded what is known of it, 0: nothing. */
uint32_t instance_protocols(const struct backend *backend);
/* Gives the backend's reference back.  The last one closes: no call may be running then. */
void instance_close(struct backend *backend);
/* In the child process: open() and close() of an instance with these settings. */
void instance_try_open(const struct cosi_module *module, const struct load_check_request *request,
		       const void *settings);

/* backend.c: 0, or -1 with call->status: the call needs more memory than it may use, which the
 * module may not have noticed. */
int verify_memory(struct module_call *call);

static inline struct instance *
instance_of(const struct backend *backend)
{
	return backend->priv;
}

#endif
