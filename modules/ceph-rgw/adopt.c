/* SPDX-License-Identifier: Apache-2.0
 * adopt.c - a bucket without marks: is it as new?  One that we may not look at, or that was made
 * while we were making it: whose is it?
 *
 * Only what 16.2 routes is asked for: it drops the name of a setting that it does not know, and
 * lists the bucket instead.
 */
#include <string.h>

#include "admin.h"
#include "s3/bucket.h"
#include "text/xml.h"

#include "banned.h"

static const struct cosi_http_reply *
ask(const struct rgw *rgw, struct cosi_call *call, const char *native, const char *setting)
{
	return s3_call(call, &rgw->s3, .method = "GET", .path = s3_path(call, native, NULL),
		       REST_QUERY({ setting, NULL }));
}

/* ---- settings that a new bucket answers alike ---- */

static const struct s3_bucket_setting settings[] = {
	{ "lifecycle", "NoSuchLifecycleConfiguration", "" },
	{ "cors", "NoSuchCORSConfiguration", "" },
	{ "website", "NoSuchWebsiteConfiguration", "" },
	{ "replication", "ReplicationConfigurationNotFoundError", "<Rule>" },
	{ "notification", "", "<TopicConfiguration>" },
	{ "publicAccessBlock", "NoSuchPublicAccessBlockConfiguration", ">true<" },
	{ "requestPayment", "", "<Payer>Requester</Payer>" },
	{ "object-lock", "ObjectLockConfigurationNotFoundError", "<Rule>" },
};

/* ---- access ---- */

struct acl {
	unsigned ngrants;
	bool full;
	char owner[256], grantee[256];
};

static void
copy_id(char out[256], const char *text, size_t len)
{
	if (len < 256)
		memcpy(out, text, len + 1);
}

static int
on_acl(void *arg, const char *path, char *text, size_t len)
{
	struct acl *acl = arg;

	if (strcmp(path, "AccessControlPolicy/Owner/ID") == 0)
		copy_id(acl->owner, text, len);
	else if (strcmp(path, "AccessControlPolicy/AccessControlList/Grant/Grantee/ID") == 0)
		copy_id(acl->grantee, text, len);
	else if (strcmp(path, "AccessControlPolicy/AccessControlList/Grant/Permission") == 0)
		acl->full = strcmp(text, "FULL_CONTROL") == 0;
	else if (strcmp(path, "AccessControlPolicy/AccessControlList/Grant") == 0)
		acl->ngrants++;
	return 0;
}

/* Everything to its owner, and nothing to others. */
static int
has_new_acl(const struct rgw *rgw, struct cosi_call *call, const char *native, bool *out)
{
	const struct cosi_http_reply *reply = ask(rgw, call, native, "acl");
	struct acl acl = { .ngrants = 0 };

	if (reply == NULL)
		return -1;
	if (reply->status == 404)
		return cosi_fail(call, COSI_BUSY, "it went away meanwhile");
	if (reply->status != 200 || xml_read(reply->body, on_acl, &acl) != 0)
		return s3_fail(call, reply);
	*out = acl.ngrants == 1 && acl.full && acl.owner[0] != '\0' &&
	       strcmp(acl.owner, acl.grantee) == 0;
	return 0;
}

/* ---- quota ---- */

/* What is in force, be it the bucket's own or one that our user gives to all of its buckets. */
static int
heads_no_quota(const struct rgw *rgw, struct cosi_call *call, const char *native, bool *out)
{
	const struct cosi_http_reply *reply =
		s3_call(call, &rgw->s3, .method = "HEAD", .path = s3_path(call, native, NULL));

	if (reply == NULL)
		return -1;
	if (reply->status == 404)
		return cosi_fail(call, COSI_BUSY, "it went away meanwhile");
	if (reply->status != 200)
		return s3_fail(call, reply);
	*out = true;
	for (size_t i = 0; i < reply->nheaders; i++)
		if (strncmp(reply->headers[i].key, "x-rgw-quota-bucket-",
			    strlen("x-rgw-quota-bucket-")) == 0 &&
		    strcmp(reply->headers[i].value, "-1") != 0)
			*out = false;
	return 0;
}

static int
has_no_quota(const struct rgw *rgw, struct cosi_call *call, const char *native, bool *out)
{
	struct rgw_info info;

	if (rgw_admin_bucket(rgw, call, native, &info) != 0)
		return -1;
	*out = !info.quota;
	return info.known ? 0 : heads_no_quota(rgw, call, native, out);
}

/* Marks come before settings, so what has been set by now and still bears no mark is somebody
 * else's; a look that met another daemon finds its marks. */
static int
refuse_touched(const struct rgw *rgw, struct cosi_call *call, const char *native)
{
	struct rgw_look look;

	if (rgw_bucket_look(rgw, call, native, &look) != 0)
		return -1;
	if (!look.exists || look.tags.n > 0)
		return cosi_fail(call, COSI_BUSY, "another daemon is at it");
	return cosi_fail(call, COSI_EXISTS, "it bears no marks, and is not as a new bucket is");
}

int
rgw_adopt_check(const struct rgw *rgw, struct cosi_call *call, const char *native, bool lock)
{
	bool untouched;

	if (s3_bucket_untouched(call, &rgw->s3, native, lock, &untouched) != 0)
		return -1;
	for (size_t i = 0; untouched && i < sizeof settings / sizeof settings[0]; i++)
		if (s3_bucket_unset(call, &rgw->s3, native, &settings[i], &untouched) != 0)
			return cosi_fail(call, 0, "cannot look at its '%s'", settings[i].name);
	if (untouched && has_new_acl(rgw, call, native, &untouched) != 0)
		return cosi_fail(call, 0, "cannot look at its ACL");
	if (untouched && has_no_quota(rgw, call, native, &untouched) != 0)
		return cosi_fail(call, 0, "cannot look at its quota");
	return untouched ? 0 : refuse_touched(rgw, call, native);
}

int
rgw_adopt_refused(const struct rgw *rgw, struct cosi_call *call, const char *native)
{
	struct rgw_info info;
	const char *uid;

	if (rgw_admin_bucket(rgw, call, native, &info) != 0)
		return -1;
	if (!info.known)
		return cosi_fail(
			call, COSI_DENIED,
			"our user may not look at it: it is another's, or its policy is in "
			"the way (with the cap 'buckets=read' we could tell)");
	if (rgw_admin_own_uid(rgw, call, &uid) != 0)
		return -1;
	if (strcmp(info.owner, uid) != 0)
		return cosi_fail(call, COSI_EXISTS, "it belongs to another user of the gateway");
	return cosi_fail(call, COSI_DENIED,
			 "it is our user's, who may not look at it: its policy is in the way");
}

/* The gateway answers 409 to a PUT for our own user, too: when the bucket has another canned ACL or
 * placement, and when another PUT for our user is half-way, whose ACL is not written yet. */
int
rgw_adopt_conflict(const struct rgw *rgw, struct cosi_call *call, const char *native, bool there)
{
	struct rgw_look look;
	bool passes = false;

	if (!there) {
		if (rgw_bucket_look(rgw, call, native, &look) != 0)
			return -1;
		passes = !look.exists;
		if (look.exists && !look.refused && has_new_acl(rgw, call, native, &passes) != 0)
			return cosi_fail(call, 0, "cannot look at its ACL");
	}
	if (passes)
		return cosi_fail(call, COSI_BUSY, "another daemon is at it");
	return cosi_fail(
		call, COSI_EXISTS,
		"the gateway has it already, for another user or with another ACL or placement");
}
