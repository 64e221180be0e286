/* SPDX-License-Identifier: Apache-2.0
 * posix.c - the module: what it is called, what it can do, what it wants to be told.
 *
 * Buckets are directories that some S3 gateway serves; docs/stores/posix.md says how.
 */
#include "posix.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "s3/name.h"

#include "banned.h"

enum { CREDENTIAL_KEY_MIN = 32 };

static const struct cosi_key config_keys[] = {
	COSI_PATH(struct posix_config, root, COSI_REQUIRED, NULL,
		  "directory that holds the buckets"),
	COSI_SECRET(struct posix_config, credential_key, COSI_REQUIRED,
		    "at least 32 bytes that all access keys are derived from"),
};

int
posix_fail(struct cosi_call *call, int error, const char *what, const char *name)
{
	uint32_t code = COSI_INTERNAL;

	switch (error) {
	case EACCES:
	case EPERM:
	case EROFS:
		code = COSI_DENIED;
		break;
	case EBUSY: /* a mount point */
		code = COSI_PRECONDITION;
		break;
	case ENOSPC:
	case EDQUOT:
	case EMLINK:
	case EMFILE:
	case ENFILE:
	case ENOMEM:
		code = COSI_EXHAUSTED;
		break;
	case EIO: /* and what network file systems add */
	case ESTALE:
	case ETIMEDOUT:
	case ENOLCK:
		code = COSI_UNAVAILABLE;
		break;
	}
	return cosi_fail(call, code, "cannot %s '%s': %s", what, name, strerrordesc_np(error));
}

int
posix_name_check(struct cosi_call *call, const char *name)
{
	if (isalnum((unsigned char)name[0]) && strchr(name, '/') == NULL)
		return 0;
	return cosi_fail(call, COSI_INVALID,
			 "cannot use '%s' as a name: it must begin with a letter or digit and hold "
			 "no '/'",
			 name);
}

int
posix_look(const struct posix *posix, struct cosi_call *call, const char *bucket,
	   enum posix_entry *out_entry)
{
	struct stat st;

	if (fstatat(posix->root, bucket, &st, AT_SYMLINK_NOFOLLOW) == 0)
		*out_entry = S_ISDIR(st.st_mode) ? POSIX_DIRECTORY : POSIX_OTHER;
	else if (errno == ENOENT)
		*out_entry = POSIX_NOTHING;
	else
		return posix_fail(call, errno, "look up", bucket);
	return 0;
}

void
posix_describe(struct cosi_bucket *out)
{
	out->protocols = COSI_S3;
	out->region = "us-east-1"; /* a directory has none; it is what S3 clients take by default */
	out->style = COSI_PATH_STYLE;
}

/* The root is left to probe() and to the calls: a directory that is away, or hangs, must not keep
 * the other backends from being served. */
static int
open_instance(struct cosi_call *call, const void *data, void **out_instance)
{
	const struct posix_config *config = data;
	const char *url = call->host->public_url(call);
	struct posix_instance *instance;

	if (url[0] == '\0')
		return cosi_fail(call, COSI_INVALID, "key 'public_endpoint' is missing");
	if (strlen(config->credential_key) < CREDENTIAL_KEY_MIN)
		return cosi_fail(call, COSI_INVALID,
				 "key 'credential_key' is shorter than %d bytes",
				 CREDENTIAL_KEY_MIN);
	instance = malloc(sizeof *instance);
	if (instance == NULL)
		return posix_fail(call, ENOMEM, "open", config->root);
	instance->config = config;
	atomic_init(&instance->had_records, false);
	*out_instance = instance;
	return 0;
}

static int
probe(void *instance, struct cosi_call *call)
{
	SCOPE_ROOT struct posix posix = posix_enter(instance, call);

	if (posix.root < 0)
		return -1;
	if (faccessat(posix.root, ".", R_OK | W_OK | X_OK, AT_EACCESS) < 0)
		return posix_fail_root(call, errno, posix.instance->config->root);
	return 0;
}

/* An account's name comes from the daemon in a form that any file system can hold; a bucket's has
 * to follow the rules of S3, since the gateway's clients do. */
static const char *
map_name(void *instance, struct cosi_call *call, uint32_t kind, const char *asked, bool exact)
{
	const char *rule = kind == COSI_BUCKET ? s3_name_broken_rule(asked) : NULL;

	(void)instance;
	return s3_name_map(call, asked, rule, exact);
}

COSI_MODULE = {
	COSI_MODULE_HEAD,
	.name = "posix",
	.version = COSID_VERSION,
	.summary = "directories that an S3 gateway serves",
	.protocols = COSI_S3,
	.auth = COSI_AUTH_KEY,
	.common_params = COSI_P_WHEN_NOT_EMPTY,
	.config = COSI_SCHEMA(struct posix_config, config_keys),
	.open = open_instance,
	.close = free,
	.probe = probe,
	.map_name = map_name,
	.create_bucket = posix_create_bucket,
	.get_bucket = posix_get_bucket,
	.delete_bucket = posix_delete_bucket,
	.grant = posix_grant,
	.revoke = posix_revoke,
	.list = posix_list,
};
