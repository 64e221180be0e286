/* SPDX-License-Identifier: Apache-2.0
 * group.h - a group of a configuration file into a struct, by its schema. */
#ifndef COSID_CONFIG_GROUP_H
#define COSID_CONFIG_GROUP_H
#include <libconfig.h>
#include <stdbool.h>

#include "base/arena.h"
#include "config/diag.h"
#include "config/source.h"
#include "cosi_module.h"

struct reader {
	struct arena *arena;
	struct diag *diag;
	const char *file;
	struct source *source; /* secrets; NULL where a schema has none */
	bool incomplete;       /* a file could not be read: what it may have is not missed */
};

/* Reads the members of group that the schema has into out, in the order of the file; then reports
 * what is required and absent, and sets defaults.  A member that the schema does not have is left
 * alone when known() says so, and is an error otherwise; known may be NULL. */
void group_read(struct reader *reader, const config_setting_t *group,
		const struct cosi_schema *schema, bool (*known)(const char *name), void *out);
/* "a string", "a number", "a group", as messages name what stands in the file. */
const char *group_found(const config_setting_t *setting);
/* Of the file as a whole: 1. */
int group_line(const config_setting_t *setting);

#endif
