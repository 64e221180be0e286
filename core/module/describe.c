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

#include "config/value.h"
#include "module/abi.h"
#include "module/backend.h"
#include "module/schema.h"

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

static void
print_key(const char *label, const struct cosi_key *key)
{
	const char *fallback = key->fallback != NULL ? key->fallback : "-";
	char type[SCHEMA_TEXT_MAX + 8];

	if ((key->flags & COSI_REQUIRED) != 0)
		fallback = "required";
	value_describe_type(key, type, sizeof type);
	(void)printf("%s %s %s %s %s\n", label, key->name, type, fallback, key->help);
}

/* bits: which of the keys; all ones: all of them. */
static void
print_keys(const char *label, const struct cosi_schema *schema, uint64_t bits)
{
	for (size_t i = 0; i < schema->nkeys; i++)
		if (bits == UINT64_MAX || (bits & UINT64_C(1) << i) != 0)
			print_key(label, &schema->keys[i]);
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
	print_keys("config", &module->config, UINT64_MAX);
	print_keys("common", &schema_bucket, module->common_params);
	print_keys("bucket", &module->bucket_params, UINT64_MAX);
	print_keys("access", &module->access_params, UINT64_MAX);
}

int
module_describe(const char *path, struct diag *diag)
{
	struct status status = { 0 };
	struct abi_module loaded;
	struct module_file file;
	int rc = -1;

	if (module_file_open_path(&file, path, &status) == 0) {
		rc = abi_load(&loaded, &file, &status);
		if (rc == 0) {
			print_module(&loaded.module);
			abi_unload(&loaded, &file);
		} else {
			status_fail(&status, 0, "cannot load module '%s' from '%s'", file.name,
				    file.source);
		}
		module_file_close(&file);
	}
	if (rc != 0)
		diag_error(diag, NULL, 0, "%s", status.text);
	else if (fflush(stdout) != 0)
		diag_error(diag, path, 0, "cannot write: %s", strerrordesc_np(errno));
	else
		return 0;
	return -1;
}
