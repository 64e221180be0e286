/* SPDX-License-Identifier: Apache-2.0
 * answer.c - the names of an answer's parts, in one place for all printers. */
#include "ask.h"

#include <string.h>

#include "banned.h"

#define INFO(m, json, label)                                                                       \
	{                                                                                          \
		json, label, offsetof(struct answer_info, m)                                       \
	}
#define CREDENTIAL(m, json, label)                                                                 \
	{                                                                                          \
		json, label, offsetof(struct answer_credentials, m)                                \
	}

const struct answer_field answer_info_fields[] = {
	INFO(bucket, "bucket", "bucket"),
	INFO(endpoint, "endpoint", "endpoint"),
	INFO(region, "region", "region"),
	INFO(style, "addressingStyle", "addressing style"),
	INFO(storage_account, "storageAccount", "storage account"),
	INFO(project, "project", "project"),
	{ NULL, NULL, 0 },
};

const struct answer_field answer_credential_fields[] = {
	CREDENTIAL(key_id, "accessKeyId", "access key id"),
	CREDENTIAL(key_secret, "accessSecretKey", "access secret key"),
	CREDENTIAL(token, "accessToken", "access token"),
	CREDENTIAL(expires, "expires", "expires"),
	CREDENTIAL(key_name, "privateKeyName", "private key name"),
	CREDENTIAL(service_account, "serviceAccount", "service account"),
	{ NULL, NULL, 0 },
};

static const struct {
	uint32_t protocol;
	const char *name;
} protocols[ANSWER_PROTOCOLS] = { { COSI_S3, "s3" }, { COSI_AZURE, "azure" }, { COSI_GCS, "gcs" } };

const char *
answer_field(const void *of, const struct answer_field *field)
{
	const char *value;

	memcpy(&value, (const char *)of + field->offset, sizeof value);
	return value != NULL && value[0] != '\0' ? value : NULL;
}

const char *
answer_protocol_name(uint32_t protocol)
{
	for (size_t i = 0; i < ANSWER_PROTOCOLS; i++)
		if (protocols[i].protocol == protocol)
			return protocols[i].name;
	return NULL;
}

uint32_t
answer_protocol_parse(const char *name)
{
	for (size_t i = 0; i < ANSWER_PROTOCOLS; i++)
		if (strcmp(protocols[i].name, name) == 0)
			return protocols[i].protocol;
	return 0;
}
