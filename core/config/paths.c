/* SPDX-License-Identifier: Apache-2.0
 * paths.c - where files are by default.
 *
 * The defaults follow the program, so that an installation can be moved as a whole.
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
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "config/load.h"

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
path_join(const char *prefix, const char *name, char out[PATH_MAX])
{
	char path[PATH_MAX];
	int len = name[0] == '/' ? snprintf(path, sizeof path, "%s", name)
				 : snprintf(path, sizeof path, "%s/%s", prefix, name);

	if (len < 0 || (size_t)len >= sizeof path)
		return false;
	memcpy(out, path, (size_t)len + 1);
	return true;
}

void
paths_find(const char *program, struct paths *out)
{
	char prefix[PATH_MAX], modules[PATH_MAX];
	struct stat st;

	(void)path_join("", COSID_CONFIG_FILE, out->config);
	(void)path_join("", COSID_MODULE_DIR, out->modules);
	if (program == NULL)
		return;
	if (lies_in(program, "bin", prefix) && path_join(prefix, "modules", modules) &&
	    stat(modules, &st) == 0 && S_ISDIR(st.st_mode)) {
		(void)path_join("", modules, out->modules);
	} else if (lies_in(program, COSID_SBIN, prefix)) {
		(void)path_join(prefix, COSID_MODULES_BELOW, out->modules);
		(void)path_join(strcmp(prefix, "/usr") == 0 ? "" : prefix, COSID_CONFIG_BELOW,
				out->config);
	}
}

static struct paths own_paths;
static pthread_once_t own_paths_once = PTHREAD_ONCE_INIT;

static void
find_own_paths(void)
{
	char program[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", program, sizeof program - 1);

	program[len > 0 ? len : 0] = '\0';
	paths_find(len > 0 ? program : NULL, &own_paths);
}

const char *
config_default_path(void)
{
	(void)pthread_once(&own_paths_once, find_own_paths);
	return own_paths.config;
}

const char *
config_default_module_dir(void)
{
	(void)pthread_once(&own_paths_once, find_own_paths);
	return own_paths.modules;
}
