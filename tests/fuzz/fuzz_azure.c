/* SPDX-License-Identifier: Apache-2.0
 * fuzz_azure.c - the azure module's handlers against any answers of Azure.
 *
 * covers: modules/azure/list.c modules/azure/edit.c modules/azure/access.c modules/azure/bucket.c
 *         modules/azure/policy.c modules/azure/api.c
 */
#include "azure_script.h"
#include "store.h"

#include "banned.h"

#define TAIL        ".6B37OHA46Y" /* of the owner and the parameters */
#define ID(account) account ".ABCDEF27" TAIL
#define POLICY(id, in)                                                                             \
	"<SignedIdentifier><Id>" id "</Id><AccessPolicy>" in "</AccessPolicy></SignedIdentifier>"
#define POLICIES(of) "<SignedIdentifiers>" of "</SignedIdentifiers>"
#define RW           "<Permission>racwdl</Permission>"
#define META                                                                                       \
	"<Metadata><CosiDriver>" STORE_OWNER "</CosiDriver><cosiname>my%20photos</cosiname>"       \
	"<cosiparams>" STORE_PARAMS "</cosiparams></Metadata>"
#define CONTAINERS(of)                                                                             \
	"<EnumerationResults><Containers>" of "</Containers><NextMarker/></EnumerationResults>"
#define ERROR(code) "<Error><Code>" code "</Code></Error>"

static const struct honest answers[] = {
	{ "GET ...comp=acl", 200, POLICIES("") },
	{ "GET ...comp=acl", 200, POLICIES(POLICY(ID("cosi-ba-1"), RW)) },
	{ "GET ...comp=acl", 200,
	  POLICIES(POLICY(ID("cosi-ba-1"), "<Start>2026-01-01</Start>" RW)) },
	{ "GET ...comp=acl", 200,
	  POLICIES(POLICY(ID("cosi-ba-1"), "<Expiry>2027-01-01T00:00:00.0000000Z</Expiry>" RW)) },
	{ "GET ...comp=acl", 200,
	  POLICIES(POLICY("a", "") POLICY("b", "") POLICY("c", "") POLICY("d", "")
			   POLICY("e", "")) },
	{ "GET ...comp=acl", 200,
	  "\xef\xbb\xbf<?xml version=\"1.0\"?>" POLICIES(
		  POLICY("cosi-ba-1.ABCDEF27.6B37OAAAAA", RW)) },
	{ "GET ...comp=acl", 404, ERROR("ContainerNotFound") },
	{ "PUT ...comp=acl", 200, NULL },
	{ "PUT ...comp=acl", 409, ERROR("PublicAccessNotPermitted") },
	{ "PUT ...comp=acl", 412, ERROR("LeaseIdMismatchWithContainerOperation") },
	{ "PUT ...comp=lease", 201, NULL },
	{ "PUT ...comp=lease", 200, NULL },
	{ "PUT ...comp=lease", 202, NULL },
	{ "PUT ...comp=lease", 409, ERROR("LeaseAlreadyPresent") },
	{ "PUT ...comp=lease", 409, ERROR("LeaseNotPresentWithLeaseOperation") },
	{ "PUT /photos?restype", 201, NULL },
	{ "PUT /photos?restype", 409, ERROR("ContainerAlreadyExists") },
	{ "HEAD /", 200, NULL },
	{ "HEAD /", 404, ERROR("ContainerNotFound") },
	{ "DELETE /", 202, NULL },
	{ "DELETE /", 412, ERROR("LeaseIdMissing") },
	{ "DELETE /", 409, ERROR("ContainerBeingDeleted") },
	{ "maxresults=1&", 200, "<EnumerationResults><Blobs/><NextMarker/></EnumerationResults>" },
	{ "maxresults=1&", 200,
	  "<EnumerationResults><Blobs><Blob/></Blobs><NextMarker>m</NextMarker></"
	  "EnumerationResults>" },
	{ "maxresults=1&", 200,
	  "<EnumerationResults><Blobs/><NextMarker>m</NextMarker></EnumerationResults>" },
	{ "GET /?comp=list", 200,
	  CONTAINERS("<Container><Name>photos</Name>" META "</Container>"
		     "<Container><Name>$logs</Name></Container>") },
	{ "GET /?comp=list", 200, CONTAINERS("") },
};

/* A call of one of the three forms of tokens, and with a lifetime or without. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct store store = {
		.module = &cosi_module,
		.honest = answers,
		.nhonest = sizeof answers / sizeof answers[0],
		.headers = { { "x-ms-request-id", "1" },
			     { "etag", "\"0x1\"" },
			     { "x-ms-blob-public-access", "container" },
			     { "last-modified", "Fri, 20 Nov 2026 12:00:00 GMT" },
			     { "x-ms-meta-cosidriver", STORE_OWNER },
			     { "x-ms-meta-cosiname", "my%20photos" },
			     { "x-ms-meta-cosiparams", STORE_PARAMS } },
	};
	static const char *const forms[] = { "container", "service", "bare" };
	static struct script script;
	struct azure_config *config;
	unsigned pick = size > 0 ? data[--size] : 0;

	if (script.instance == NULL) {
		json_set_alloc_funcs(charged_malloc, charged_free);
		script_init(&script);
		host_init(&store.host, "https://cosiacct.blob.core.windows.net");
	}
	config = config_of(&script);
	config->token_form = forms[pick % 3];
	config->lease = (pick & 0x40) == 0;
	config->sas_lifetime = pick & 0x80 ? 3600 * 1000 : 0;
	store_call(&store, script.instance, data, size);
	return 0;
}
