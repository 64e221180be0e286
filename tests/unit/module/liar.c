/* SPDX-License-Identifier: Apache-2.0
 * liar.c - the handlers of liar.h. */
#include "liar.h"

#include <string.h>

#include "banned.h"

struct cosi_bucket lie_bucket_answer;
struct cosi_access lie_access_answer;
const char *lie_mapped;
struct lie_how lie_how;

static int
finish(struct cosi_call *call)
{
	if (lie_how.fails)
		(void)cosi_fail(call, lie_how.code, "%s", lie_how.text);
	return lie_how.result;
}

static int
lie_bucket(void *instance, struct cosi_call *call, const struct cosi_bucket_req *req,
	   struct cosi_bucket *out)
{
	(void)instance;
	(void)req;
	assert_null(out->name);
	*out = lie_bucket_answer;
	return finish(call);
}

static int
lie_delete(void *instance, struct cosi_call *call, const struct cosi_bucket_req *req)
{
	(void)instance;
	(void)req;
	return finish(call);
}

static int
lie_grant(void *instance, struct cosi_call *call, const struct cosi_access_req *req,
	  struct cosi_access *out)
{
	struct cosi_bucket *const *buckets = out->buckets;

	(void)instance;
	for (size_t i = 0; i < req->nbuckets; i++)
		*buckets[i] = lie_bucket_answer;
	*out = lie_access_answer;
	if (out->buckets == NULL)
		out->buckets = buckets;
	return finish(call);
}

static int
lie_revoke(void *instance, struct cosi_call *call, const struct cosi_access_req *req)
{
	(void)instance;
	(void)req;
	return finish(call);
}

static int
lie_probe(void *instance, struct cosi_call *call)
{
	(void)instance;
	return finish(call);
}

static const char *
lie_name(void *instance, struct cosi_call *call, uint32_t kind, const char *asked, bool exact)
{
	(void)instance;
	(void)kind;
	(void)asked;
	(void)exact;
	return finish(call) == 0 ? lie_mapped : NULL;
}

const struct cosi_bucket lie_honest_bucket = { .ours = true,
					       .protocols = COSI_S3,
					       .region = "here" };
const struct cosi_access lie_honest_access = { .key_id = "AKIA", .key_secret = "secret" };

int
liar_setup(void **state)
{
	struct rig_call *rig = malloc(sizeof *rig);

	assert_non_null(rig);
	rig_call_init(rig);
	rig->module.create_bucket = rig->module.get_bucket = lie_bucket;
	rig->module.delete_bucket = lie_delete;
	rig->module.grant = lie_grant;
	rig->module.revoke = lie_revoke;
	rig->module.probe = lie_probe;
	rig->module.map_name = lie_name;
	lie_bucket_answer = lie_honest_bucket;
	lie_access_answer = lie_honest_access;
	memset(&lie_how, 0, sizeof lie_how);
	*state = rig;
	return 0;
}

int
liar_teardown(void **state)
{
	rig_call_done(*state);
	free(*state);
	return 0;
}

const char *
liar_text(size_t len)
{
	static char text[2][8192];
	static unsigned turn;
	char *out = text[turn++ % 2];

	assert_in_range(len, 0, sizeof text[0] - 1);
	memset(out, 'x', len);
	out[len] = '\0';
	return out;
}
