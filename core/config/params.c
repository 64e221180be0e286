/* SPDX-License-Identifier: Apache-2.0
 * params.c - request parameters by a module's schema. */
#include "config/config.h"

#include <string.h>

#include "config/group.h"
#include "config/value.h"

#include "banned.h"

static const struct cosi_kv *
find(const struct cosi_kv *params, size_t nparams, const char *key)
{
	for (size_t i = 0; i < nparams; i++)
		if (strcmp(params[i].key, key) == 0)
			return &params[i];
	return NULL;
}

static int
read_one(const struct cosi_schema *schema, const struct cosi_kv *param, void *out,
	 struct arena *arena, const char **canonical, const char **out_error)
{
	const struct cosi_key *key = group_key(schema, param->key);
	const char *reason;

	if (key == NULL) {
		*out_error = arena_printf(arena, "unknown parameter '%s'", param->key);
		return -1;
	}
	reason = value_parse(arena, key, param->value, out);
	if (reason != NULL) {
		*out_error = arena_printf(arena, "parameter '%s': %s", param->key, reason);
		return -1;
	}
	if (canonical != NULL)
		*canonical = value_canonical(arena, key, out);
	return 0;
}

static int
complete(const struct cosi_key *key, bool demand, void *out, struct arena *arena,
	 const char **out_error)
{
	const char *reason = NULL;

	if (demand && (key->flags & COSI_REQUIRED) != 0) {
		*out_error = arena_printf(arena, "parameter '%s' is required", key->name);
		return -1;
	}
	if (key->fallback != NULL)
		reason = value_parse(arena, key, key->fallback, out);
	if (reason == NULL)
		return 0;
	*out_error = arena_printf(arena, "the default of parameter '%s': %s", key->name, reason);
	return -1;
}

int
config_params(const struct cosi_schema *schema, const struct cosi_kv *params, size_t nparams,
	      bool demand, void *out, struct arena *arena, const char **canonical,
	      const char **out_error)
{
	for (size_t i = 0; i < nparams; i++)
		if (read_one(schema, &params[i], out, arena,
			     canonical != NULL ? &canonical[i] : NULL, out_error) != 0)
			return -1;
	for (size_t i = 0; i < schema->nkeys; i++)
		if (find(params, nparams, schema->keys[i].name) == NULL &&
		    complete(&schema->keys[i], demand, out, arena, out_error) != 0)
			return -1;
	if (!arena_failed(arena))
		return 0;
	*out_error = "no memory for the parameters";
	return -1;
}
