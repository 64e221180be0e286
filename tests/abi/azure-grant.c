/* SPDX-License-Identifier: Apache-2.0
 * azure-grant.c - a grant on Azure Blob Storage, as far as it strains the module API.
 *
 * Compiled, linked and loaded, never run: signed requests, a container's list of policies that is
 * read, extended and written back under a lease, and a URL with a signature and an expiry.
 */
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cosi_module.h"

#include "banned.h"

struct config {
	const char *account, *account_key, *token_form;
	int64_t sas_lifetime;
	bool lease;
};

static const struct cosi_key config_keys[] = {
	COSI_STRING(struct config, account, COSI_REQUIRED, NULL, "storage account"),
	COSI_SECRET(struct config, account_key, COSI_REQUIRED, "its key, base64"),
	COSI_MSEC(struct config, sas_lifetime, 0, NULL, "life of tokens; absent: no expiry"),
	COSI_ENUM(struct config, token_form, "container", "container service bare",
		  "what the token's URL names"),
	COSI_BOOL(struct config, lease, "true", "lock containers against other daemons"),
};

struct azure {
	const struct config *config;
	unsigned char key[64];
	int key_len;
};

enum { POLICIES_MAX = 5, ACL_MAX = 1 << 20 };
#define VERSION "2021-12-02"

static int
azure_open(struct cosi_call *call, const void *config, void **out_instance)
{
	const struct config *cfg = config;
	size_t len = strlen(cfg->account_key);
	struct azure *azure;

	if (len == 0 || len > 84 || len % 4 != 0)
		return cosi_fail(call, COSI_INVALID, "'account_key' is not the key of an account");
	azure = calloc(1, sizeof *azure);
	if (azure == NULL)
		return cosi_fail(call, COSI_INTERNAL, "no memory");
	azure->config = cfg;
	azure->key_len =
		EVP_DecodeBlock(azure->key, (const unsigned char *)cfg->account_key, (int)len);
	if (azure->key_len <= 0) {
		free(azure);
		return cosi_fail(call, COSI_INVALID, "'account_key' is not base64");
	}
	*out_instance = azure;
	return 0;
}

static void
azure_close(void *instance)
{
	struct azure *azure = instance;

	explicit_bzero(azure, sizeof *azure);
	free(azure);
}

/* base64(HMAC-SHA256(key, text)); empty: the call has failed. */
static const char *
sign(const struct azure *azure, struct cosi_call *call, const char *text)
{
	unsigned char mac[32], base64[48];
	unsigned len = sizeof mac;

	if (HMAC(EVP_sha256(), azure->key, azure->key_len, (const unsigned char *)text,
		 strlen(text), mac, &len) == NULL) {
		(void)cosi_fail(call, COSI_INTERNAL, "cannot sign");
		return "";
	}
	(void)EVP_EncodeBlock(base64, mac, (int)len);
	return cosi_printf(call, "%s", (const char *)base64);
}

static const char *
format_time(struct cosi_call *call, bool iso, int64_t seconds)
{
	time_t when = (time_t)seconds;
	char *text = cosi_alloc(call, 64);
	struct tm tm;

	if (text == NULL || gmtime_r(&when, &tm) == NULL)
		return "";
	if (iso)
		(void)strftime(text, 64, "%Y-%m-%dT%H:%M:%SZ", &tm);
	else
		(void)strftime(text, 64, "%a, %d %b %Y %H:%M:%S GMT", &tm);
	return text;
}

/* A request on a container; the headers stand between x-ms-date and x-ms-version in the alphabet.
 */
struct request {
	const char *method, *container, *comp;
	size_t nheaders;
	const struct cosi_kv *headers;
	struct cosi_bytes body;
};

static const struct cosi_http_reply *
ask(const struct azure *azure, struct cosi_call *call, const struct request *request)
{
	const char *date = format_time(call, false, call->host->now(call));
	const char *length =
		request->body.len == 0 ? "" : cosi_printf(call, "%zu", request->body.len);
	const char *text = cosi_printf(call, "%s\n\n\n%s\n\n\n\n\n\n\n\n\nx-ms-date:%s\n",
				       request->method, length, date);
	size_t n = request->nheaders;
	struct cosi_kv *headers = cosi_alloc(call, (n + 3) * sizeof *headers);

	if (headers == NULL)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		headers[i] = request->headers[i];
		text = cosi_printf(call, "%s%s:%s\n", text, headers[i].key, headers[i].value);
	}
	text = cosi_printf(call, "%sx-ms-version:" VERSION "\n/%s/%s\ncomp:%s\nrestype:container",
			   text, azure->config->account, request->container, request->comp);
	headers[n++] = (struct cosi_kv){ "x-ms-date", date };
	headers[n++] = (struct cosi_kv){ "x-ms-version", VERSION };
	headers[n++] = (struct cosi_kv){ "authorization", cosi_printf(call, "SharedKey %s:%s",
								      azure->config->account,
								      sign(azure, call, text)) };
	return cosi_http(call, .method = request->method,
			 .path = cosi_printf(call, "/%s", request->container),
			 .query = cosi_printf(call, "restype=container&comp=%s", request->comp),
			 .headers = headers, .nheaders = n, .body = request->body,
			 .max_reply = ACL_MAX, .flags = COSI_HTTP_SAFE);
}

static int
count(const char *text, const char *word)
{
	int n = 0;

	for (const char *at = strstr(text, word); at != NULL; at = strstr(at + 1, word))
		n++;
	return n;
}

static const char *
read_policies(const struct azure *azure, struct cosi_call *call, const char *container)
{
	const struct request get = { .method = "GET", .container = container, .comp = "acl" };
	const struct cosi_http_reply *reply = ask(azure, call, &get);
	uint32_t code = COSI_UNAVAILABLE;

	if (reply != NULL && reply->status == 200)
		return reply->body.data;
	if (reply != NULL && reply->status == 404)
		code = COSI_NOT_FOUND;
	(void)cosi_fail(call, code, "cannot read the policies of '%s'", container);
	return NULL;
}

/* Adds cosid's policy after the existing ones, which stay unchanged; up to a megabyte of them. */
static int
add_policy(const struct azure *azure, struct cosi_call *call, const char *container, const char *id,
	   const char *lease)
{
	const struct cosi_kv header = { "x-ms-lease-id", lease };
	struct request put = { .method = "PUT",
			       .container = container,
			       .comp = "acl",
			       .nheaders = lease != NULL,
			       .headers = &header };
	const char *old = read_policies(azure, call, container);
	const char *end = old == NULL ? NULL : strstr(old, "</SignedIdentifiers>");
	const struct cosi_http_reply *reply;

	if (end == NULL)
		return cosi_fail(call, 0, "cannot extend the policies of '%s'", container);
	if (strstr(old, id) != NULL)
		return 0;
	if (count(old, "<SignedIdentifier>") >= POLICIES_MAX)
		return cosi_fail(call, COSI_EXHAUSTED, "container '%s' has five policies",
				 container);
	put.body.data =
		cosi_printf(call,
			    "%.*s<SignedIdentifier><Id>%s</Id><AccessPolicy><Permission>racwdl"
			    "</Permission></AccessPolicy></SignedIdentifier>%s",
			    (int)(end - old), old, id, end);
	put.body.len = strlen(put.body.data);
	reply = ask(azure, call, &put);
	if (reply == NULL || reply->status != 200)
		return cosi_fail(call, COSI_UNAVAILABLE, "cannot write the policies of '%s'",
				 container);
	return 0;
}

/* cosid chooses the lease's id, so that the request can be repeated.  NULL: the call has failed. */
static const char *
make_lease_id(struct cosi_call *call)
{
	unsigned char bytes[16] = { 0 };
	const char *id = "";

	if (call->host->random(call, bytes, sizeof bytes) < 0)
		return NULL;
	for (size_t i = 0; i < sizeof bytes; i++)
		id = cosi_printf(call, "%s%s%02x", id,
				 i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", bytes[i]);
	return id;
}

static const char *
take_lease(const struct azure *azure, struct cosi_call *call, const char *container)
{
	const char *id = make_lease_id(call);
	const struct cosi_kv headers[] = { { "x-ms-lease-action", "acquire" },
					   { "x-ms-lease-duration", "15" },
					   { "x-ms-proposed-lease-id", id } };
	const struct request put = { .method = "PUT",
				     .container = container,
				     .comp = "lease",
				     .nheaders = 3,
				     .headers = headers };
	const struct cosi_http_reply *reply = id == NULL ? NULL : ask(azure, call, &put);

	if (reply != NULL && reply->status == 201)
		return id;
	(void)cosi_fail(call, reply != NULL && reply->status == 409 ? COSI_BUSY : COSI_UNAVAILABLE,
			"cannot lock container '%s'", container);
	return NULL;
}

/* It ends by itself after its 15 s when this fails. */
static void
release_lease(const struct azure *azure, struct cosi_call *call, const char *container,
	      const char *id)
{
	const struct cosi_kv headers[] = { { "x-ms-lease-action", "release" },
					   { "x-ms-lease-id", id } };
	const struct request put = { .method = "PUT",
				     .container = container,
				     .comp = "lease",
				     .nheaders = 2,
				     .headers = headers };

	if (id != NULL && ask(azure, call, &put) == NULL)
		cosi_log(call, COSI_WARNING, "cannot release the lease of '%s', ignoring",
			 container);
}

static const char *
percent_encode(struct cosi_call *call, const char *base64)
{
	const char *out = "";

	for (const char *c = base64; *c != '\0'; c++)
		out = strchr("+/=", *c) == NULL ? cosi_printf(call, "%s%c", out, *c)
						: cosi_printf(call, "%s%%%02X", out, (unsigned)*c);
	return out;
}

/* The token: bare, or after the URL of the container or of the account. */
static void
make_token(const struct azure *azure, struct cosi_call *call, const char *container, const char *id,
	   struct cosi_access *out)
{
	const struct config *config = azure->config;
	const struct cosi_url *url = call->host->url(call, NULL, NULL);
	const char *expires = "", *form = "", *text;

	if (config->sas_lifetime > 0) {
		out->token_expires = call->host->now(call) + config->sas_lifetime / 1000;
		expires = format_time(call, true, out->token_expires);
	}
	text = cosi_printf(call, "\n\n%s\n/blob/%s/%s\n%s\n\n\n" VERSION "\nc\n\n\n\n\n\n\n",
			   expires, config->account, container, id);
	if (strcmp(config->token_form, "bare") != 0)
		form = cosi_printf(call, "%s://%s%s/%s?", url->scheme, url->host, url->path,
				   strcmp(config->token_form, "service") == 0 ? "" : container);
	out->token = cosi_printf(call, "%ssv=" VERSION "&si=%s&sr=c%s%s&sig=%s", form, id,
				 *expires != '\0' ? "&se=" : "", expires,
				 percent_encode(call, sign(azure, call, text)));
}

static int
azure_grant(void *instance, struct cosi_call *call, const struct cosi_access_req *req,
	    struct cosi_access *out)
{
	const struct azure *azure = instance;
	const char *container = req->buckets[0]->native, *lease = NULL;
	const char *id = cosi_printf(call, "%s.%.8s", req->native, req->mark.params);

	if (req->nbuckets != 1)
		return cosi_fail(call, COSI_OUT_OF_RANGE, "a token opens one container alone");
	if (azure->config->lease) {
		lease = take_lease(azure, call, container);
		if (lease == NULL)
			return -1;
	}
	if (add_policy(azure, call, container, id, lease) < 0)
		return -1;
	release_lease(azure, call, container, lease);
	make_token(azure, call, container, id, out);
	out->buckets[0]->azure_account = azure->config->account;
	return cosi_failed(call) ? -1 : 0;
}

COSI_MODULE = {
	COSI_MODULE_HEAD,
	.name = "azure-grant",
	.version = "1",
	.summary = "strains the module API as Azure Blob Storage does",
	.flags = COSI_NETWORK | COSI_GRANT_WRITES_BUCKET,
	.protocols = COSI_AZURE,
	.auth = COSI_AUTH_KEY,
	.config = COSI_SCHEMA(struct config, config_keys),
	.open = azure_open,
	.close = azure_close,
	.grant = azure_grant,
};
