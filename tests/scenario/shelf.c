/* SPDX-License-Identifier: Apache-2.0
 * shelf.c - buckets are directories; written with the installed header alone, for tests of reloads.
 *
 * Every answer's region tells which build and which configuration gave it.  While the file `gate`
 * is there, creates and grants wait.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cosi_module.h>

#ifndef VERSION
#define VERSION "1"
#endif

struct config {
	const char *root, *label, *gate, *key;
};
static const struct cosi_key keys[] = {
	COSI_PATH(struct config, root, COSI_REQUIRED, NULL, "directory of the buckets"),
	COSI_STRING(struct config, label, 0, "plain", "word that is answered"),
	COSI_PATH(struct config, gate, 0, "/nowhere", "file that closes the gate"),
	COSI_SECRET(struct config, key, COSI_REQUIRED, "what account keys are made of"),
};

static int
answer(const struct config *config, struct cosi_call *call, struct cosi_bucket *out)
{
	while (access(config->gate, F_OK) == 0 && call->host->wait(call, 5) == 0)
		;
	*out = (struct cosi_bucket){ .ours = true,
				     .protocols = COSI_S3,
				     .region =
					     cosi_printf(call, "v%s-%s", VERSION, config->label) };
	return cosi_failed(call) ? -1 : 0;
}

static int
shelf_create(void *config, struct cosi_call *call, const struct cosi_bucket_req *req,
	     struct cosi_bucket *out)
{
	const char *path = cosi_printf(call, "%s/%s", ((struct config *)config)->root, req->native);

	if (cosi_failed(call) || (mkdir(path, 0700) != 0 && errno != EEXIST))
		return cosi_fail(call, COSI_UNAVAILABLE, "cannot create bucket '%s': %s",
				 req->native, strerrordesc_np(errno));
	return answer(config, call, out);
}

static int
shelf_delete(void *config, struct cosi_call *call, const struct cosi_bucket_req *req)
{
	const char *path = cosi_printf(call, "%s/%s", ((struct config *)config)->root, req->native);

	if (cosi_failed(call) || (rmdir(path) != 0 && errno != ENOENT))
		return cosi_fail(call, COSI_PRECONDITION, "cannot delete bucket '%s': %s",
				 req->native, strerrordesc_np(errno));
	return 0;
}

static int
shelf_grant(void *config, struct cosi_call *call, const struct cosi_access_req *req,
	    struct cosi_access *out)
{
	out->key_id = req->native;
	out->key_secret = cosi_printf(call, "%s %s", ((struct config *)config)->key, req->native);
	for (size_t i = 0; i < req->nbuckets; i++)
		if (answer(config, call, out->buckets[i]) != 0)
			return -1;
	return 0;
}

static int
shelf_revoke(void *config, struct cosi_call *call, const struct cosi_access_req *req)
{
	(void)config, (void)call, (void)req; /* keys are made, not kept */
	return 0;
}

COSI_MODULE = {
	COSI_MODULE_HEAD,
	.name = "shelf",
	.version = VERSION,
	.summary = "buckets are directories",
	.protocols = COSI_S3,
	.auth = COSI_AUTH_KEY,
	.config = COSI_SCHEMA(struct config, keys),
	.create_bucket = shelf_create,
	.delete_bucket = shelf_delete,
	.grant = shelf_grant,
	.revoke = shelf_revoke,
};
