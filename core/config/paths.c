/* SPDX-License-Identifier: Apache-2.0
 * paths.c - the defaults follow the program, so that an installation can be moved as a whole.
 *
 *   program                        modules                      configuration
 *   PREFIX/SBINDIR/cosid           PREFIX/LIBDIR/cosid/modules  PREFIX/etc/cosid/cosid.conf
 *   the same, with PREFIX /usr     the same                     /etc/cosid/cosid.conf
 *   TREE/bin/cosid, TREE/modules   TREE/modules                 the build's
 *   anywhere else                  the build's                  the build's
 *
 * The directories below PREFIX are those of the build (GNUInstallDirs).  One that was configured as
 * an absolute path stays that path.
 */
#include "config/paths.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/config.h"

#include "banned.h"

/* Is program DIR/bin/NAME?  Then out is DIR. */
static bool
lies_in(const char *program, const char *bin, char out[PATH_MAX])
{
	const char *name = strrchr(program, '/');
	size_t len = name != NULL ? (size_t)(name - program) : 0, n = strlen(bin);

	if (len <= n || len - n > PATH_MAX || memcmp(program + len - n, bin, n) != 0 ||
	    program[len - n - 1] != '/')
		return false;
	memcpy(out, program, len - n - 1);
	out[len - n - 1] = '\0';
	return true;
}

/* false: no program lies as deep as that, and out stays as it is. */
static bool
join(const char *prefix, const char *name, char out[PATH_MAX])
{
	char path[PATH_MAX];
	int len = name[0] == '/' ? snprintf(path, sizeof path, "%s", name)
				 : snprintf(path, sizeof path, "%s/%s", prefix, name);

	if (len < 0 || (size_t)len >= sizeof path)
		return false;
	memcpy(out, path, (size_t)len + 1);
	return true;
}

static bool
is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

void
paths_find(const char *program, struct paths *out)
{
	char prefix[PATH_MAX], modules[PATH_MAX];

	(void)join("", COSID_CONFIG_FILE, out->config);
	(void)join("", COSID_MODULE_DIR, out->modules);
	if (program == NULL)
		return;
	if (lies_in(program, "bin", prefix) && join(prefix, "modules", modules) &&
	    is_directory(modules)) {
		(void)join("", modules, out->modules);
	} else if (lies_in(program, COSID_SBIN, prefix)) {
		(void)join(prefix, COSID_MODULES_BELOW, out->modules);
		(void)join(strcmp(prefix, "/usr") == 0 ? "" : prefix, COSID_CONFIG_BELOW,
			   out->config);
	}
}

static struct paths ours;
static pthread_once_t ours_once = PTHREAD_ONCE_INIT;

static void
find_ours(void)
{
	char program[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", program, sizeof program - 1);

	program[len > 0 ? len : 0] = '\0';
	paths_find(len > 0 ? program : NULL, &ours);
}

const char *
config_default_path(void)
{
	(void)pthread_once(&ours_once, find_ours);
	return ours.config;
}

const char *
config_default_module_dir(void)
{
	(void)pthread_once(&ours_once, find_ours);
	return ours.modules;
}
