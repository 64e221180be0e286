/* SPDX-License-Identifier: Apache-2.0
 * ceil_steps.c - the requests of create, grant, revoke and delete (docs/design/requests.md). */
#include <string.h>

#include "ceil.h"

#include "banned.h"

#define TAGGING                                                                                    \
	"<Tagging><TagSet><Tag><Key>cosi-driver</Key><Value>bench.example.org</Value></Tag>"       \
	"<Tag><Key>cosi-name</Key><Value>%1$s</Value></Tag>"                                       \
	"<Tag><Key>cosi-params</Key><Value>"                                                       \
	"1:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855</Value></Tag>"         \
	"</TagSet></Tagging>"

static const struct ceil_step rgw[] = {
	{ "GET", "/%s?tagging=", NULL, 404, 0 },
	{ "PUT", "/%s", "", 200, 0 },
	{ "PUT", "/%s?tagging=", TAGGING, 200, 0 },
	{ "GET", "/%s?tagging=", NULL, 200, 0 },
	{ "PUT", "/admin/user?display-name=cosid%%3Abench&max-buckets=-1&uid=%s", "", 200, 0 },
	{ "POST", "/",
	  "Action=PutUserPolicy&PolicyDocument=%%7B%%22Version%%22%%3A%%222012-10-17%%22%%2C%%"
	  "22Statement%%22%%3A%%5B%%7B%%22Effect%%22%%3A%%22Allow%%22%%2C%%22Action%%22%%3A%%5B%%"
	  "22s3%%3AGetObject%%22%%5D%%2C%%22Resource%%22%%3A%%5B%%22arn%%3Aaws%%3As3%%3A%%3A%%"
	  "3Abench%%22%%5D%%7D%%5D%%7D&PolicyName=cosi&UserName=%1$s",
	  200, 0 },
	{ "GET", "/admin/user?uid=%s", NULL, 200, 0 },
	{ "GET", "/admin/user?uid=%s", NULL, 200, 0 },
	{ "DELETE", "/admin/user?uid=%s", NULL, 200, 0 },
	{ "GET", "/admin/user?uid=%s", NULL, 404, 0 },
	{ "GET", "/admin/user?access-key=%s&stats=true", NULL, 200, CEIL_OWN_KEY },
	{ "GET", "/%s?tagging=", NULL, 200, 0 },
	{ "DELETE", "/%s", NULL, 204, 0 },
};

#define ADMIN "/minio/admin/v3/"
static const struct ceil_step minio[] = {
	{ "PUT", "/%s", "", 200, CEIL_TYPED },
	{ "PUT", "/%s?tagging=", TAGGING, 200, CEIL_TYPED },
	{ "GET", "/%s?location=", NULL, 403, CEIL_AS_ACCOUNT },
	{ "GET", "/%s?location=", NULL, 200, 0 },
	{ "PUT", ADMIN "add-canned-policy?name=%s",
	  "{\"Version\":\"2012-10-17\",\"Statement\":["
	  "{\"Sid\":\"CosiReadWriteBuckets\",\"Effect\":\"Allow\",\"Action\":["
	  "\"s3:GetBucketLocation\",\"s3:ListBucket\",\"s3:ListBucketVersions\","
	  "\"s3:ListBucketMultipartUploads\"],\"Resource\":[\"arn:aws:s3:::%1$s\"]},"
	  "{\"Sid\":\"CosiReadWriteObjects\",\"Effect\":\"Allow\",\"Action\":["
	  "\"s3:GetObject\",\"s3:GetObjectVersion\",\"s3:PutObject\",\"s3:DeleteObject\","
	  "\"s3:AbortMultipartUpload\",\"s3:ListMultipartUploadParts\"],"
	  "\"Resource\":[\"arn:aws:s3:::%1$s/*\"]},"
	  "{\"Sid\":\"CosiParams1e3b0c44298fc1c149afbf4c8996fb924\",\"Effect\":\"Deny\","
	  "\"Action\":[\"admin:*\"]},{\"Effect\":\"Deny\",\"Action\":[\"s3:*\"],"
	  "\"Resource\":[\"arn:aws:s3:::*\"],\"Condition\":{\"StringEquals\":{"
	  "\"aws:principaltype\":[\"AssumedRole\"]}}}]}",
	  200, CEIL_TYPED },
	{ "PUT", ADMIN "add-user?accessKey=%s", "", 200, CEIL_SEALED | CEIL_TYPED },
	{ "PUT", ADMIN "set-user-or-group-policy?isGroup=false&policyName=%s&userOrGroup=%s", "",
	  200, CEIL_TYPED },
	{ "DELETE", ADMIN "remove-user?accessKey=%s", NULL, 200, 0 },
	{ "DELETE", ADMIN "remove-canned-policy?name=%s", NULL, 200, 0 },
	{ "POST", ADMIN "revoke-tokens/builtin?fullRevoke=true&user=%s", "", 204, CEIL_TYPED },
	{ "GET", "/%s?tagging=", NULL, 200, 0 },
	{ "DELETE", "/%s", NULL, 204, 0 },
};

const struct ceil_step *
ceil_steps_of(const char *store, size_t *out_n, const char **out_sigv4)
{
	if (strcmp(store, "rgw") == 0) {
		*out_n = sizeof rgw / sizeof rgw[0];
		*out_sigv4 = "aws:amz:default:s3";
		return rgw;
	}
	if (strcmp(store, "minio") != 0)
		return NULL;
	*out_n = sizeof minio / sizeof minio[0];
	*out_sigv4 = "aws:amz:us-east-1:s3";
	return minio;
}
