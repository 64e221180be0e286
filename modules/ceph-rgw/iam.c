/* SPDX-License-Identifier: Apache-2.0
 * iam.c - a user's own policy, one document under one name.
 *
 * A user's record is read, changed and written back by the gateway without a condition, so two
 * policies of one user written at once lose each other: hence the one document, and the lock that
 * the daemon holds on the account.
 */
#include <string.h>

#include "rgw.h"
#include "text/text.h"
#include "text/xml.h"

#include "banned.h"

#define POLICY_NAME "cosi"

static const struct cosi_http_reply *
rgw_send_iam(const struct rgw *rgw, struct cosi_call *call, const char *form)
{
	return s3_call(call, &rgw->store.client, .method = "POST", .path = "/",
		       REST_HEADERS({ "content-type", "application/x-www-form-urlencoded" }),
		       .body = { form, strlen(form) }, .flags = COSI_HTTP_SAFE);
}

struct iam_reading {
	struct cosi_call *call;
	const char *document;
	bool listed, put;
};

static int
iam_on_element(void *arg, const char *path, char *text, size_t len)
{
	struct iam_reading *reading = arg;

	(void)len;
	if (strcmp(path, "GetUserPolicyResponse/GetUserPolicyResult/PolicyDocument") == 0)
		reading->document = cosi_printf(reading->call, "%s", text);
	if (strcmp(path, "ListUserPoliciesResponse/ListUserPoliciesResult/PolicyNames/member") == 0)
		reading->listed = reading->listed || strcmp(text, POLICY_NAME) == 0;
	if (strcmp(path, "PutUserPolicyResponse") == 0)
		reading->put = true;
	return 0;
}

/* *out_found: there is something to read. */
static int
iam_ask(const struct rgw *rgw, struct cosi_call *call, const char *form,
	struct iam_reading *reading, bool *out_found)
{
	const struct cosi_http_reply *reply = rgw_send_iam(rgw, call, form);

	*out_found = false;
	if (reply == NULL)
		return -1;
	if (s3_error_is(reply, 404, "NoSuchEntity"))
		return 0;
	if (reply->status != 200)
		return rgw_admin_fail(call, reply, "user-policy=read");
	*out_found = true;
	return xml_read(reply->body, iam_on_element, reading) == 0 ? 0 : s3_fail(call, reply);
}

/* Asked for a policy that is not there, the gateway (16.2) answers more bytes than its
 * Content-Length says, which spoils the connection for the request that follows.  So the list is
 * asked first. */
int
rgw_policy_get(const struct rgw *rgw, struct cosi_call *call, const char *uid, bool expected,
	       const char **out_document)
{
	const char *encoded = uri_encode(call, uid);
	struct iam_reading reading = { .call = call };
	bool found;

	*out_document = NULL;
	if (!expected) {
		if (iam_ask(rgw, call,
			    cosi_printf(call, "Action=ListUserPolicies&UserName=%s", encoded),
			    &reading, &found) < 0)
			return -1;
		if (!reading.listed)
			return 0;
	}
	if (iam_ask(rgw, call,
		    cosi_printf(call, "Action=GetUserPolicy&PolicyName=" POLICY_NAME "&UserName=%s",
				encoded),
		    &reading, &found) < 0)
		return -1;
	if (found && reading.document == NULL)
		return cosi_fail(call, COSI_UNAVAILABLE, "the gateway's reply has no policy in it");
	*out_document = reading.document;
	return 0;
}

/* The gateway decodes the document twice; it holds neither '%' nor '+' (s3_policy_name_ok). */
int
rgw_policy_put(const struct rgw *rgw, struct cosi_call *call, const char *uid, const char *document)
{
	const struct cosi_http_reply *reply =
		rgw_send_iam(rgw, call,
			     cosi_printf(call,
					 "Action=PutUserPolicy&PolicyName=" POLICY_NAME
					 "&UserName=%s&PolicyDocument=%s",
					 uri_encode(call, uid), uri_encode(call, document)));

	struct iam_reading reading = { .call = call };

	if (reply == NULL)
		return -1;
	if (reply->status == 200)
		return xml_read(reply->body, iam_on_element, &reading) == 0 && reading.put
			       ? 0
			       : s3_fail(call, reply);
	if (s3_error_is(reply, 404, "NoSuchEntity"))
		return cosi_fail(call, COSI_BUSY,
				 "the account's user was deleted by another request");
	return rgw_admin_fail(call, reply, "user-policy=write");
}
