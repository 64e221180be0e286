/* SPDX-License-Identifier: Apache-2.0
 * settings.c - a backend's keys once its module is known. */
#include "config/config.h"

#include <errno.h>
#include <libconfig.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/group.h"
#include "config/keys.h"
#include "config/source.h"

#include "banned.h"

enum { SETTINGS_MEMORY = 4 << 20 };

struct config_settings {
	struct arena arena;
	struct source source;
};

static void
check_ca_file(const struct config_backend *backend, struct diag *diag)
{
	struct stat st;

	if (backend->ca_file == NULL)
		return;
	if (stat(backend->ca_file, &st) != 0 || access(backend->ca_file, R_OK) != 0)
		diag_error(diag, backend->file, backend->line, "cannot read ca_file '%s': %s",
			   backend->ca_file, strerrordesc_np(errno));
	else if (!S_ISREG(st.st_mode))
		diag_error(diag, backend->file, backend->line,
			   "cannot read ca_file '%s': it is not a file", backend->ca_file);
}

/* It may have been given with an error, which was reported then. */
static bool
is_given(const struct config_backend *backend, const char *key)
{
	return config_setting_get_member(backend->setting, key) != NULL;
}

static void
check_network(const struct config_backend *backend, const struct cosi_module *module,
	      struct diag *diag)
{
	const char *endpoint = backend->endpoint != NULL ? backend->endpoint : module->endpoint;

	if (endpoint == NULL && !is_given(backend, "endpoint"))
		diag_error(diag, backend->file, backend->line,
			   "backend '%s': 'endpoint' is required by module '%s'", backend->name,
			   module->name);
	check_ca_file(backend, diag);
	if (!backend->insecure)
		return;
	diag_warning(
		diag, backend->file, backend->line,
		endpoint != NULL && strncmp(endpoint, "https://", 8) == 0
			? "backend '%s': 'insecure' is set: whoever answers in the store's place "
			  "gets its keys"
			: "backend '%s': 'insecure' has no effect without https://, ignoring",
		backend->name);
}

/* A module that does not speak to a network has no use for the keys of those that do. */
static void
check_local(const struct config_backend *backend, const struct cosi_module *module,
	    struct diag *diag)
{
	const config_setting_t *group = backend->setting;

	for (size_t i = 0; i < keys_network.nkeys; i++) {
		const char *name = keys_network.keys[i].name;
		const config_setting_t *setting = config_setting_get_member(group, name);

		if (setting != NULL)
			diag_error(diag, backend->file, group_line(setting),
				   "'%s': module '%s' does not speak to a network", name,
				   module->name);
	}
	if (!is_given(backend, "public_endpoint"))
		diag_error(diag, backend->file, backend->line,
			   "backend '%s': 'public_endpoint' is required by module '%s'",
			   backend->name, module->name);
}

/* The daemon's keys come first, so a module's key of the same name would never be read. */
static void
check_module(const struct config_backend *backend, const struct cosi_module *module,
	     struct diag *diag)
{
	for (size_t i = 0; i < module->config.nkeys; i++)
		if (keys_is_backend(module->config.keys[i].name))
			diag_error(diag, backend->file, backend->line,
				   "module '%s': its key '%s' is one of the daemon's", module->name,
				   module->config.keys[i].name);
}

static void
take_env(const config_setting_t *setting)
{
	int n = config_setting_length(setting);

	source_take_env(config_setting_get_string(setting));
	for (int i = 0; i < n; i++)
		source_take_env(config_setting_get_string_elem(setting, i));
}

/* Which keys are secrets is for their modules to say, which are not loaded yet; but no other key
 * has a use for such a text. */
void
config_take_env(const struct config *config)
{
	for (size_t i = 0; i < config->nbackends; i++) {
		const config_setting_t *group = config->backends[i].setting;
		int n = config_setting_length(group);

		for (int j = 0; j < n; j++)
			take_env(config_setting_get_elem(group, (unsigned)j));
	}
}

int
config_settings(const struct config_backend *backend, const struct cosi_module *module,
		bool checking, void *out, struct config_settings **out_settings, struct diag *diag)
{
	struct config_settings *settings = calloc(1, sizeof *settings);
	struct reader reader = { .diag = diag, .file = backend->file };
	size_t before = diag->nerrors;

	*out_settings = NULL;
	if (settings == NULL) {
		diag_error(diag, backend->file, backend->line, "no memory");
		return -1;
	}
	arena_init(&settings->arena, SETTINGS_MEMORY);
	settings->source.checking = checking;
	reader.arena = &settings->arena;
	reader.source = &settings->source;
	check_module(backend, module, diag);
	if ((module->flags & COSI_NETWORK) != 0)
		check_network(backend, module, diag);
	else
		check_local(backend, module, diag);
	group_read(&reader, backend->setting, &module->config, keys_is_backend, out);
	if (arena_failed(&settings->arena))
		diag_error(diag, backend->file, backend->line,
			   "no memory for the settings of backend '%s'", backend->name);
	if (backend->flawed || diag->nerrors > before) {
		config_settings_free(settings);
		return -1;
	}
	*out_settings = settings;
	return 0;
}

void
config_settings_free(struct config_settings *settings)
{
	if (settings == NULL)
		return;
	source_done(&settings->source);
	arena_done(&settings->arena);
	free(settings);
}
