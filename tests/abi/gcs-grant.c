/* SPDX-License-Identifier: Apache-2.0
 * gcs-grant.c - a grant on Google Cloud Storage, as far as it strains the module API.
 *
 * Compiled, linked and loaded, never run: four base URLs, a token that each call fetches, bindings
 * on several buckets, lists of many pages, an HMAC key that must not be made twice, keys of a
 * service account, and waiting for a store that is late.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cosi_module.h"

#include "banned.h"

struct config {
	const char *project, *iam_endpoint, *token_endpoint, *xml_endpoint;
	const char *credential_key;
	int64_t patience;
};

static const struct cosi_key config_keys[] = {
	COSI_STRING(struct config, project, COSI_REQUIRED, NULL, "project of buckets and accounts"),
	COSI_URL(struct config, iam_endpoint, 0, "https://iam.googleapis.com", "makes accounts"),
	COSI_URL(struct config, token_endpoint, 0, "http://169.254.169.254", "gives tokens"),
	COSI_URL(struct config, xml_endpoint, 0, "https://storage.googleapis.com",
		 "told to S3 clients"),
	COSI_SECRET(struct config, credential_key, COSI_REQUIRED,
		    "seals the secrets that are kept"),
	COSI_MSEC(struct config, patience, 0, "10s", "longest wait for a new account to be seen"),
};

enum { BODY_MAX = 1 << 20, RETRY_MS = 500 };

struct gcs {
	const struct config *config;
	struct cosi_call *call;
	const char *token; /* NULL: not fetched yet; host->token() is reserved, NULL in 1.0 */
};

static int
fetch_token(struct gcs *gcs)
{
	const struct cosi_kv flavor = { "metadata-flavor", "Google" };
	const struct cosi_http_reply *reply =
		cosi_http(gcs->call, .method = "GET", .base = gcs->config->token_endpoint,
			  .path = "/computeMetadata/v1/instance/service-accounts/default/token",
			  .headers = &flavor, .nheaders = 1, .flags = COSI_HTTP_SECRET);
	const char *token = NULL;
	json_t *answer;

	if (reply == NULL || reply->status != 200)
		return cosi_fail(gcs->call, COSI_UNAUTHENTICATED, "cannot get an access token");
	answer = json_loadb(reply->body.data, reply->body.len, 0, NULL);
	if (json_unpack(answer, "{s:s}", "access_token", &token) == 0)
		gcs->token = cosi_printf(gcs->call, "%s", token);
	json_decref(answer);
	return gcs->token != NULL ? 0
				  : cosi_fail(gcs->call, COSI_UNAVAILABLE,
					      "the reply of the token endpoint has no token");
}

/* One request with the token; a refused token is fetched once more. */
static const struct cosi_http_reply *
ask(struct gcs *gcs, struct cosi_http *http)
{
	const struct cosi_http_reply *reply = NULL;

	for (int i = 0; i < 2 && (reply == NULL || reply->status == 401); i++) {
		struct cosi_kv header = { "authorization", "" };

		if ((reply != NULL || gcs->token == NULL) && fetch_token(gcs) < 0)
			return NULL;
		header.value = cosi_printf(gcs->call, "Bearer %s", gcs->token);
		http->headers = &header;
		http->nheaders = 1;
		reply = (gcs->call->host->http)(gcs->call, http);
		if (reply == NULL)
			return NULL;
	}
	return reply;
}

/* The answer as a JSON object, to be json_decref'ed; NULL: the call has failed. */
static json_t *
ask_json(struct gcs *gcs, struct cosi_http *http, json_t *body)
{
	char *text = body == NULL ? NULL : json_dumps(body, JSON_COMPACT);
	const struct cosi_http_reply *reply;
	json_t *answer = NULL;

	if (text != NULL)
		http->body =
			(struct cosi_bytes){ cosi_printf(gcs->call, "%s", text), strlen(text) };
	free(text);
	http->max_reply = BODY_MAX;
	reply = ask(gcs, http);
	if (reply == NULL)
		return NULL;
	if (reply->status / 100 == 2)
		answer = json_loadb(reply->body.data, reply->body.len, 0, NULL);
	if (answer == NULL)
		(void)cosi_fail(gcs->call, reply->status == 404 ? COSI_NOT_FOUND : COSI_UNAVAILABLE,
				"cannot %s '%s': status %d", http->method, http->path,
				reply->status);
	return answer;
}

static int
make_account(struct gcs *gcs, const struct cosi_access_req *req)
{
	json_t *body = json_pack("{s:s, s:{s:s, s:s}}", "accountId", req->native, "serviceAccount",
				 "displayName", req->mark.name, "description", req->mark.owner);
	char *text = json_dumps(body, JSON_COMPACT);
	const struct cosi_http_reply *reply =
		ask(gcs, COSI_HTTP(.method = "POST", .base = gcs->config->iam_endpoint,
				   .path = cosi_printf(gcs->call, "/v1/projects/%s/serviceAccounts",
						       gcs->config->project),
				   .body = { text, text == NULL ? 0 : strlen(text) },
				   .flags = COSI_HTTP_SAFE));

	free(text);
	json_decref(body);
	if (reply == NULL || reply->status == 200 || reply->status == 409)
		return reply == NULL ? -1 : 0;
	return cosi_fail(gcs->call, COSI_EXHAUSTED, "cannot create account '%s': status %d",
			 req->native, reply->status);
}

/* Adds the account to one bucket's policy; starts again when another client changed the policy. */
static int
bind_bucket(struct gcs *gcs, const char *bucket, const char *member)
{
	const char *path = cosi_printf(gcs->call, "/storage/v1/b/%s/iam", bucket);
	const struct cosi_http_reply *reply = NULL;
	char *text;

	do {
		json_t *policy = ask_json(gcs,
					  COSI_HTTP(.method = "GET", .path = path,
						    .query = "optionsRequestedPolicyVersion=3"),
					  NULL);
		json_t *bindings = json_object_get(policy, "bindings");

		if (policy == NULL)
			return -1;
		(void)json_array_append_new(bindings, json_pack("{s:s, s:[s]}", "role",
								"roles/storage.objectUser",
								"members", member));
		text = json_dumps(policy, JSON_COMPACT);
		json_decref(policy);
		reply = ask(gcs, COSI_HTTP(.method = "PUT", .path = path,
					   .body = { text, text == NULL ? 0 : strlen(text) },
					   .flags = COSI_HTTP_SAFE));
		free(text);
	} while (reply != NULL && reply->status == 412);
	if (reply == NULL || reply->status == 200)
		return reply == NULL ? -1 : 0;
	return cosi_fail(gcs->call, COSI_UNAVAILABLE, "cannot grant on bucket '%s': status %d",
			 bucket, reply->status);
}

/* How many keys the account has, over all pages; negative: the call has failed. */
static int
count_keys(struct gcs *gcs, const char *email)
{
	const char *page = "";
	int n = 0;

	while (page != NULL) {
		const char *query =
			cosi_printf(gcs->call, "serviceAccountEmail=%s&maxResults=250&pageToken=%s",
				    email, page);
		json_t *keys = ask_json(
			gcs,
			COSI_HTTP(.method = "GET", .query = query,
				  .path = cosi_printf(gcs->call, "/storage/v1/projects/%s/hmacKeys",
						      gcs->config->project)),
			NULL);
		const char *next = json_string_value(json_object_get(keys, "nextPageToken"));

		if (keys == NULL)
			return -1;
		n += (int)json_array_size(json_object_get(keys, "items"));
		page = next == NULL ? NULL : cosi_printf(gcs->call, "%s", next);
		json_decref(keys);
	}
	return n;
}

/* A new account is not seen everywhere at once: 404 is asked again for a while. */
static int
make_hmac_key(struct gcs *gcs, const char *email, struct cosi_access *out)
{
	const struct cosi_host *host = gcs->call->host;
	const char *id = NULL, *secret = NULL;
	const struct cosi_http_reply *reply = NULL;
	json_t *answer;

	for (int64_t waited = 0; waited <= gcs->config->patience; waited += RETRY_MS) {
		reply = ask(gcs, COSI_HTTP(.method = "POST", .flags = COSI_HTTP_FINAL,
					   .path = cosi_printf(gcs->call,
							       "/storage/v1/projects/%s/hmacKeys",
							       gcs->config->project),
					   .query = cosi_printf(gcs->call, "serviceAccountEmail=%s",
								email)));
		if (reply == NULL || reply->status != 404 || (host->wait)(gcs->call, RETRY_MS) < 0)
			break;
	}
	if (reply == NULL || reply->status != 200)
		return cosi_fail(gcs->call, COSI_UNAVAILABLE, "cannot make a key for '%s'", email);
	answer = json_loadb(reply->body.data, reply->body.len, 0, NULL);
	if (json_unpack(answer, "{s:{s:s}, s:s}", "metadata", "accessId", &id, "secret", &secret) ==
	    0) {
		out->key_id = cosi_printf(gcs->call, "%s", id);
		out->key_secret = cosi_printf(gcs->call, "%s", secret);
	}
	json_decref(answer);
	return out->key_id != NULL ? 0
				   : cosi_fail(gcs->call, COSI_UNAVAILABLE, "the key is no key");
}

static int
gcs_grant(void *instance, struct cosi_call *call, const struct cosi_access_req *req,
	  struct cosi_access *out)
{
	struct gcs gcs = { instance, call, NULL };
	const char *email = cosi_printf(call, "%s@%s.iam.gserviceaccount.com", req->native,
					gcs.config->project);
	const char *member = cosi_printf(call, "serviceAccount:%s", email);

	if (make_account(&gcs, req) < 0)
		return -1;
	for (size_t i = 0; i < req->nbuckets; i++) {
		if (bind_bucket(&gcs, req->buckets[i]->native, member) < 0)
			return cosi_fail(call, 0, "cannot grant to '%s'", req->mark.name);
		*out->buckets[i] = (struct cosi_bucket){ .protocols = COSI_GCS | COSI_S3,
							 .endpoint = gcs.config->xml_endpoint,
							 .region = "auto",
							 .gcs_project = gcs.config->project };
	}
	if (req->auth == COSI_AUTH_SERVICE_ACCOUNT) {
		out->service_account = email;
		out->key_name = cosi_printf(call, "projects/%s/serviceAccounts/%s/keys/-",
					    gcs.config->project, email);
		return 0;
	}
	if (count_keys(&gcs, email) > 9)
		return cosi_fail(call, COSI_EXHAUSTED, "account '%s' has ten keys", req->native);
	return cosi_failed(call) ? -1 : make_hmac_key(&gcs, email, out);
}

COSI_MODULE = {
	COSI_MODULE_HEAD,
	.name = "gcs-grant",
	.version = "1",
	.summary = "strains the module API as Google Cloud Storage does",
	.flags = COSI_NETWORK | COSI_GRANT_WRITES_BUCKET,
	.protocols = COSI_GCS | COSI_S3,
	.auth = COSI_AUTH_KEY | COSI_AUTH_SERVICE_ACCOUNT,
	.common_params = COSI_P_REGION | COSI_P_WHEN_NOT_EMPTY,
	.config = COSI_SCHEMA(struct config, config_keys),
	.endpoint = "https://storage.googleapis.com",
	.grant = gcs_grant,
};
