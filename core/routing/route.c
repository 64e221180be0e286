/* SPDX-License-Identifier: Apache-2.0
 * route.c - decides which backend a new bucket goes to: route_new_bucket() is the rule.
 * plan_create() in plan.c calls it; a look-up then asks whether a store has the bucket already.
 */
#include "routing/route.h"

#include <stdio.h>
#include <string.h>

#include "base/parse.h"
#include "base/secret.h"
#include "routing/params.h"

#include "banned.h"

enum { CHOICES_MAX = 512 };

bool
route_serves(const struct backend *backend, uint32_t protocols)
{
	return (backend->module->protocols & protocols) == protocols;
}

static bool
route_can_take(const struct backend *backend, uint32_t protocols)
{
	return backend != NULL && backend->config->accept_new && route_serves(backend, protocols);
}

bool
route_permits(const struct backend *backend, const char *native)
{
	for (const char *const *glob = backend->config->existing_buckets; *glob != NULL; glob++) {
		if (parse_glob_match(*glob, native))
			return true;
	}
	return false;
}

const char *
route_protocol_names(uint32_t protocols)
{
	static const char *const names[] = {
		"no protocol", "s3",      "azure",      "s3, azure",
		"gcs",         "s3, gcs", "azure, gcs", "s3, azure, gcs",
	};

	return names[protocols & (COSI_S3 | COSI_AZURE | COSI_GCS)];
}

/* The names of the backends that a new bucket of these protocols could go to, for texts. */
static const char *
route_choices(const struct generation *generation, uint32_t protocols, char out[CHOICES_MAX])
{
	size_t len = 0;

	out[0] = '\0';
	for (size_t i = 0; i < generation->nbackends && len < CHOICES_MAX; i++) {
		const struct backend *backend = &generation->backends[i];

		if (route_can_take(backend, protocols))
			len += (size_t)snprintf(out + len, CHOICES_MAX - len, "%s'%s'",
						len > 0 ? ", " : "", backend->name);
	}
	return out[0] != '\0' ? out : "none";
}

/* What the class asks for by its parameter `backend`. */
static struct backend *
route_explicit(const struct generation *generation, const char *name, uint32_t protocols,
	       struct status *status)
{
	struct backend *backend = generation_find(generation, name);
	char list[CHOICES_MAX];

	if (backend == NULL) {
		status_fail(status, COSI_INVALID,
			    "parameter 'backend': no backend is named '%s'; choices: %s",
			    secret_shown(name).text, route_choices(generation, protocols, list));
		return NULL;
	}
	if (backend->left_out != NULL) {
		backend_fail_left_out(backend, status);
		return NULL;
	}
	if (!route_serves(backend, protocols)) {
		status_fail(status, COSI_INVALID,
			    "parameter 'backend': '%s' supports %s, requested: %s", name,
			    route_protocol_names(backend->module->protocols),
			    route_protocol_names(protocols));
		return NULL;
	}
	if (!backend->config->accept_new) {
		status_fail(status, COSI_PRECONDITION,
			    "backend '%s' takes no new buckets (accept_new = false)", name);
		return NULL;
	}
	return backend;
}

static struct backend *
route_none(const struct generation *generation, const struct request *req, struct status *status)
{
	const char *protocols = route_protocol_names(req->protocols);
	bool served = false, open = false;
	char list[CHOICES_MAX];

	for (size_t i = 0; i < generation->nbackends; i++) {
		const struct backend *backend = &generation->backends[i];

		/* The choice may be another one when it is open: what it serves may not be known.
		 */
		if (backend->left_out != NULL && route_serves(backend, req->protocols)) {
			backend_fail_left_out(backend, status);
			return NULL;
		}
		served = served || route_serves(&generation->backends[i], req->protocols);
		open = open || route_can_take(&generation->backends[i], req->protocols);
	}
	if (!served)
		status_fail(status, COSI_INVALID, "no backend supports %s", protocols);
	else if (!open)
		status_fail(status, COSI_PRECONDITION,
			    "no backend that supports %s takes new buckets (accept_new = false)",
			    protocols);
	else
		status_fail(status, COSI_INVALID,
			    "no backend selected for bucket '%s': no matching route, no "
			    "default_backend, no parameter 'backend'; choices: %s",
			    secret_shown(req->name).text,
			    route_choices(generation, req->protocols, list));
	return NULL;
}

struct backend *
route_new_bucket(const struct generation *generation, const struct request *req,
		 struct status *status)
{
	const struct config *config = generation->config;
	const char *explicit = params_value(req, "backend");
	struct backend *backend, *only = NULL;
	size_t ntakers = 0;

	/* 1. the class says it */
	if (explicit != NULL)
		return route_explicit(generation, explicit, req->protocols, status);
	/* 2. the first route that matches the name and can take it */
	for (size_t i = 0; i < config->nroutes; i++) {
		backend = generation_find(generation, config->routes[i].backend);
		if (parse_glob_match(config->routes[i].match, req->name) &&
		    route_can_take(backend, req->protocols))
			return backend;
	}
	/* 3. default_backend */
	if (config->default_backend != NULL) {
		backend = generation_find(generation, config->default_backend);
		if (route_can_take(backend, req->protocols))
			return backend;
	}
	/* 4. there is only one that can take it */
	for (size_t i = 0; i < generation->nbackends; i++) {
		if (!route_can_take(&generation->backends[i], req->protocols))
			continue;
		only = &generation->backends[i];
		ntakers++;
	}
	/* 5. there is none, or a choice */
	return ntakers == 1 ? only : route_none(generation, req, status);
}

void
route_warn(const struct generation *generation, struct diag *diag)
{
	const struct config *config = generation->config;
	const struct config_backend *last = NULL;
	uint32_t served = 0, shared = 0;
	char list[CHOICES_MAX];
	size_t ntakers = 0;

	for (size_t i = 0; i < config->nroutes; i++)
		if (strcmp(config->routes[i].match, "*") == 0)
			return;
	for (size_t i = 0; i < generation->nbackends; i++) {
		const struct backend *backend = &generation->backends[i];

		if (!route_can_take(backend, 0))
			continue;
		shared |= served & backend->module->protocols;
		served |= backend->module->protocols;
		last = backend->config;
		ntakers++;
	}
	if (config->default_backend == NULL && ntakers > 1)
		diag_warning(diag, last->file, last->line,
			     "there is no 'default_backend' to choose between %s: bucket classes "
			     "%swithout the parameter 'backend' are refused",
			     route_choices(generation, 0, list),
			     shared != 0 ? "" : "of v1alpha1, which names no protocol, ");
}

struct backend *
route_native_bucket(const struct generation *generation, const char *native)
{
	const struct config *config = generation->config;

	for (size_t i = 0; i < config->nroutes; i++) {
		struct backend *backend = generation_find(generation, config->routes[i].backend);

		if (backend != NULL && parse_glob_match(config->routes[i].match, native) &&
		    route_permits(backend, native))
			return backend;
	}
	return NULL;
}
