/* SPDX-License-Identifier: Apache-2.0
 * describe.c - a module's schema as lines of words, for people, for the manual's test and for
 * trials.
 *
 *   config NAME TYPE DEFAULT HELP...       a key of its backends; DEFAULT: -, or "required"
 *   common NAME TYPE DEFAULT HELP...       a bucket parameter that all stores spell alike
 *   bucket NAME TYPE DEFAULT HELP...       one of its own
 *   access NAME TYPE DEFAULT HELP...       a parameter of its grants
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "module/backend.h"
#include "module/handshake.h"
#include "module/schema.h"
#include "module/trial.h"

#include "banned.h"

static void
print_words(const char *label, uint32_t bits, const char *const *words, size_t n)
{
	(void)printf("%s", label);
	for (size_t i = 0; i < n; i++)
		if ((bits & 1u << i) != 0)
			(void)printf(" %s", words[i]);
	(void)printf("%s\n", bits == 0 ? " -" : "");
}

/* "enum(container|service|bare)", or the type's name. */
static void
print_type(const struct cosi_key *key)
{
	(void)printf("%s", schema_type_name(key->type));
	if (key->choices == NULL)
		return;
	(void)putchar('(');
	for (const char *c = key->choices; *c != '\0'; c++)
		(void)putchar(*c == ' ' ? '|' : *c);
	(void)putchar(')');
}

static void
print_keys(const char *label, const struct cosi_schema *schema)
{
	for (size_t i = 0; i < schema->nkeys; i++) {
		const struct cosi_key *key = &schema->keys[i];
		const char *fallback = key->fallback;

		if ((key->flags & COSI_REQUIRED) != 0)
			fallback = "required";
		else if (fallback == NULL)
			fallback = "-";
		(void)printf("%s %s ", label, key->name);
		print_type(key);
		(void)printf(" %s %s\n", fallback, key->help);
	}
}

static void
print_common(uint32_t bits)
{
	size_t n;
	const struct schema_common *common = schema_common(&n);

	for (size_t i = 0; i < n; i++)
		if ((bits & common[i].bit) != 0)
			(void)printf("common %s %s %s %s\n", common[i].name, common[i].type,
				     common[i].fallback != NULL ? common[i].fallback : "-",
				     common[i].help);
}

static void
print_module(const struct cosi_module *module)
{
	static const char *const protocols[] = { "s3", "azure", "gcs" };
	static const char *const auth[] = { "key", "service-account" };
	static const char *const flags[] = { "grant-writes-bucket", "network" };

	(void)printf("name %s\nversion %s\nsummary %s\napi %u.%u\n", module->name, module->version,
		     module->summary, module->major, module->minor);
	print_words("protocols", module->protocols, protocols, 3);
	print_words("auth", module->auth, auth, 2);
	print_words("flags", module->flags, flags, 2);
	(void)printf("endpoint %s\n", module->endpoint != NULL ? module->endpoint : "-");
	print_keys("config", &module->config);
	print_common(module->common_params);
	print_keys("bucket", &module->bucket_params);
	print_keys("access", &module->access_params);
}

int
module_describe(const char *path, struct diag *diag)
{
	struct status status = { 0 };
	struct cosi_module module;
	void *handle;

	if (trial_is_child())
		return trial_run(path);
	handle = handshake_load_file(path, &module, &status);
	if (handle == NULL) {
		diag_error(diag, path, 0, "cannot load module: %s", status.text);
		return -1;
	}
	print_module(&module);
	(void)dlclose(handle);
	if (fflush(stdout) == 0)
		return 0;
	diag_error(diag, path, 0, "cannot write: %s", strerrordesc_np(errno));
	return -1;
}
