/* SPDX-License-Identifier: Apache-2.0
 * check.c - probes the backends and describes keys, for people and for the manual's test. */
#include "check.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

#include "banned.h"

void
check_print(const struct diag *diag)
{
	for (size_t i = 0; i < diag->nlines; i++)
		(void)fprintf(stderr, "%s\n", diag->lines[i]);
	if (diag->nerrors + diag->nwarnings > diag->nlines)
		(void)fprintf(stderr, "... and %zu more\n",
			      diag->nerrors + diag->nwarnings - diag->nlines);
}

int
check_describe_daemon(void)
{
	size_t n;
	const struct config_key *keys = config_keys(&n);

	for (size_t i = 0; i < n; i++)
		(void)printf("daemon %s %s %s %s %s\n",
			     *keys[i].section != '\0' ? keys[i].section : "-", keys[i].name,
			     keys[i].type, keys[i].fallback != NULL ? keys[i].fallback : "-",
			     keys[i].help);
	return EXIT_SUCCESS;
}

int
check_describe_module(const char *module)
{
	struct diag diag = { 0 };
	char path[PATH_MAX];
	int len = snprintf(path, sizeof path, strchr(module, '/') != NULL ? "%s" : "%s/%s.so",
			   strchr(module, '/') != NULL ? module : config_default_module_dir(),
			   module);
	int rc = -1;

	if (len > 0 && (size_t)len < sizeof path)
		rc = module_describe(path, &diag);
	else
		diag_error(&diag, module, 0, "the path is too long");
	check_print(&diag);
	diag_done(&diag);
	return rc == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

static int
check_probe(struct backend *backend, const struct config *config)
{
	static const atomic_bool never;
	struct arena arena;
	struct status status = { 0 };
	struct diag diag = { 0 };
	struct module_call call = {
		.arena = &arena,
		.status = &status,
		.backend = backend,
		.deadline_ms = clock_mono_ms() + config->call_timeout_ms,
		.cancelled = &never,
	};
	int rc;

	arena_init(&arena, MODULE_CALL_MEMORY);
	module_call_init(&call);
	rc = backend_probe(&call);
	arena_done(&arena);
	if (rc == 0 && backend->module->probe == NULL)
		(void)printf("backend '%s': skipped: module '%s' has no probe\n", backend->name,
			     backend->module->name);
	else if (rc == 0)
		(void)printf("backend '%s': reachable\n", backend->name);
	if (rc == 0)
		return 0;
	diag_error(&diag, backend->config->file, backend->config->line, "backend '%s': %s",
		   backend->name, status.text);
	check_print(&diag);
	diag_done(&diag);
	return rc;
}

int
check_backends(struct generation *generation, const struct config *config,
	       const struct options *options, bool sound)
{
	/* An invalid call_timeout, which was reported, leaves no time for a probe. */
	bool probes = options->probe && config->call_timeout_ms > 0;
	int rc = sound ? EXIT_SUCCESS : EXIT_FAILURE;

	for (size_t i = 0; probes && i < generation->nbackends; i++)
		if (check_probe(&generation->backends[i], config) < 0)
			rc = EXIT_FAILURE;
	if (rc == EXIT_SUCCESS)
		(void)printf("%s: ok, %zu backend%s\n", options->config_path, generation->nbackends,
			     generation->nbackends == 1 ? "" : "s");
	return rc;
}
