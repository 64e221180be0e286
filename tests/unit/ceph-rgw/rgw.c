/* SPDX-License-Identifier: Apache-2.0
 * rgw.c - loads the module, calls its handlers, and asks the gateway behind its back. */
#include "rgw.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "text/text.h"

#include "banned.h"

static const char *
need_env(const char *name)
{
	const char *value = getenv(name);

	if (value == NULL) {
		(void)fprintf(stderr,
			      "%s is not set: run this under tests/unit/ceph-rgw/with-rgw\n", name);
		exit(2);
	}
	return value;
}

static void
set_key(struct rgw_test *t, const char *name, const char *value)
{
	const struct cosi_schema *schema = &t->module->config;

	for (size_t i = 0; i < schema->nkeys; i++) {
		if (strcmp(schema->keys[i].name, name) != 0)
			continue;
		memcpy((char *)t->config + schema->keys[i].offset, &value, sizeof value);
		return;
	}
	fail_msg("the module has no setting '%s'", name);
}

static void
reopen(struct rgw_test *t, const struct s3_client *as, const char *credential_key)
{
	if (t->instance != NULL)
		t->module->close(t->instance);
	t->instance = NULL;
	host_reset(&t->host);
	set_key(t, "access_key", as->access_key);
	set_key(t, "secret_key", as->secret_key);
	set_key(t, "credential_key", credential_key);
	if (t->module->open(&t->host.call, t->config, &t->instance) != 0)
		fail_msg("open: %s", t->host.text);
}

void
rgw_reopen(struct rgw_test *t, const char *credential_key)
{
	reopen(t, &t->admin, credential_key);
}

void
rgw_reopen_as(struct rgw_test *t, const char *access_key, const char *secret_key)
{
	reopen(t, &(struct s3_client){ NULL, access_key, secret_key, NULL }, NULL);
}

void
rgw_make_user(struct rgw_test *t, const char *uid, const char *access_key, const char *secret_key,
	      const char *caps)
{
	const struct cosi_kv query[] = { { "uid", uid },
					 { "display-name", uid },
					 { "access-key", access_key },
					 { "secret-key", secret_key },
					 { "user-caps", caps } };
	const struct cosi_http_reply *reply;

	host_reset(&t->direct);
	reply = s3_call(&t->direct.call, &t->admin, .method = "PUT", .path = "/admin/user",
			.query = query, .nquery = 5);
	assert_non_null(reply);
	assert_int_equal(reply->status, 200);
}

int
rgw_setup(void **state)
{
	struct rgw_test *t = calloc(1, sizeof *t);
	void *image;

	assert_non_null(t);
	*state = t;
	host_init(&t->host, need_env("RGW_ENDPOINT"));
	host_init(&t->direct, t->host.endpoint);
	t->admin = (struct s3_client){ need_env("RGW_REGION"), need_env("RGW_ACCESS_KEY"),
				       need_env("RGW_SECRET_KEY"), NULL };
	image = dlopen(RGW_MODULE, RTLD_NOW | RTLD_LOCAL);
	if (image == NULL)
		fail_msg("%s", dlerror());
	t->module = dlsym(image, "cosi_module");
	assert_non_null(t->module);
	t->config = calloc(1, t->module->config.size);
	assert_non_null(t->config);
	set_key(t, "region", t->admin.region);
	set_key(t, "admin_path", "admin");
	rgw_reopen(t, NULL);
	return 0;
}

int
rgw_teardown(void **state)
{
	struct rgw_test *t = *state;

	t->module->close(t->instance);
	host_done(&t->host);
	host_done(&t->direct);
	free(t->config);
	free(t);
	return 0;
}

void
rgw_expect_ok(struct rgw_test *t, uint32_t code)
{
	if (code != COSI_OK)
		fail_msg("code %u: %s", code, t->host.text);
}

static uint32_t
code_of(struct rgw_test *t, int rc)
{
	if ((rc == 0) != (t->host.code == COSI_OK))
		fail_msg("the handler returned %d, but the call has code %u", rc, t->host.code);
	return t->host.code;
}

static struct cosi_bucket_req
bucket_req(const char *name, const char *params, const struct cosi_bucket_params *common)
{
	static const struct cosi_bucket_params none;

	return (struct cosi_bucket_req){
		.native = name,
		.mark = { RGW_OWNER, params != NULL ? name : NULL, params },
		.protocols = COSI_S3,
		.common = common != NULL ? common : &none,
	};
}

uint32_t
rgw_create(struct rgw_test *t, const char *name, const char *params,
	   const struct cosi_bucket_params *common)
{
	const struct cosi_bucket_req req = bucket_req(name, params, common);
	struct cosi_bucket out = { 0 };
	uint32_t code;

	host_reset(&t->host);
	code = code_of(t, t->module->create_bucket(t->instance, &t->host.call, &req, &out));
	if (code == COSI_OK) {
		assert_true(out.ours && !out.unfinished);
		assert_int_equal(out.protocols, COSI_S3);
		assert_string_equal(out.region, t->admin.region);
		assert_string_equal(out.params, params);
	}
	return code;
}

uint32_t
rgw_get(struct rgw_test *t, const char *name, struct cosi_bucket *out)
{
	const struct cosi_bucket_req req = bucket_req(name, NULL, NULL);

	*out = (struct cosi_bucket){ 0 };
	host_reset(&t->host);
	return code_of(t, t->module->get_bucket(t->instance, &t->host.call, &req, out));
}

uint32_t
rgw_delete(struct rgw_test *t, const char *name, bool purge)
{
	const struct cosi_bucket_params common = { .set = COSI_P_WHEN_NOT_EMPTY, .purge = purge };
	const struct cosi_bucket_req req = bucket_req(name, NULL, &common);

	host_reset(&t->host);
	return code_of(t, t->module->delete_bucket(t->instance, &t->host.call, &req));
}

enum { BUCKETS_MAX = 8 };
struct access {
	char names[BUCKETS_MAX][128];
	struct cosi_bucket_ref refs[BUCKETS_MAX];
	const struct cosi_bucket_ref *pointers[BUCKETS_MAX];
	size_t n;
};

/* "name:mode" or "name". */
static void
read_access(struct access *access, const char *const *buckets)
{
	for (; buckets != NULL && *buckets != NULL; buckets++) {
		size_t i = access->n++, len = strcspn(*buckets, ":");
		const char *mode = (*buckets)[len] == ':' ? *buckets + len + 1 : "";

		(void)snprintf(access->names[i], sizeof access->names[i], "%.*s", (int)len,
			       *buckets);
		access->refs[i] =
			(struct cosi_bucket_ref){ access->names[i],
						  strcmp(mode, "rw") == 0   ? COSI_READ_WRITE
						  : strcmp(mode, "ro") == 0 ? COSI_READ_ONLY
						  : strcmp(mode, "wo") == 0 ? COSI_WRITE_ONLY
									    : 0 };
		access->pointers[i] = &access->refs[i];
	}
}

uint32_t
rgw_grant(struct rgw_test *t, const char *account, const char *const *buckets,
	  struct rgw_granted *out)
{
	struct access access = { .n = 0 };
	struct cosi_bucket answers[BUCKETS_MAX] = { { 0 } };
	struct cosi_bucket *pointers[BUCKETS_MAX];
	struct cosi_access answer = { .buckets = pointers };
	struct cosi_access_req req;
	uint32_t code;

	read_access(&access, buckets);
	for (size_t i = 0; i < BUCKETS_MAX; i++)
		pointers[i] = &answers[i];
	req = (struct cosi_access_req){
		.native = account,
		.mark = { RGW_OWNER, account + strlen("cosi-"), RGW_PARAMS_A },
		.protocol = COSI_S3,
		.auth = COSI_AUTH_KEY,
		.nbuckets = access.n,
		.buckets = access.pointers,
	};
	host_reset(&t->host);
	code = code_of(t, t->module->grant(t->instance, &t->host.call, &req, &answer));
	if (code != COSI_OK)
		return code;
	for (size_t i = 0; i < access.n; i++)
		assert_string_equal(answers[i].region, t->admin.region);
	(void)snprintf(out->key_id, sizeof out->key_id, "%s", answer.key_id);
	(void)snprintf(out->key_secret, sizeof out->key_secret, "%s", answer.key_secret);
	return code;
}

uint32_t
rgw_probe(struct rgw_test *t)
{
	host_reset(&t->host);
	return code_of(t, t->module->probe(t->instance, &t->host.call));
}

uint32_t
rgw_revoke(struct rgw_test *t, const char *account, const char *const *buckets)
{
	struct access access = { .n = 0 };
	struct cosi_access_req req;

	read_access(&access, buckets);
	req = (struct cosi_access_req){
		.native = account,
		.mark = { RGW_OWNER, NULL, NULL },
		.nbuckets = access.n,
		.buckets = access.pointers,
	};
	host_reset(&t->host);
	return code_of(t, t->module->revoke(t->instance, &t->host.call, &req));
}

static const struct cosi_http_reply *
send_unsigned(struct rgw_test *t, const struct rgw_ask *ask)
{
	struct cosi_call *call = &t->direct.call;

	return cosi_http(
		call, .method = ask->method, .path = ask->path,
		.query = ask->query == NULL
				 ? NULL
				 : cosi_printf(call, "%s=%s", ask->query,
					       ask->query_value != NULL ? ask->query_value : ""),
		.headers = &ask->header, .nheaders = ask->header.key != NULL ? 1 : 0,
		.body = bytes(ask->body != NULL ? ask->body : ""));
}

static const struct cosi_http_reply *
send_signed(struct rgw_test *t, const struct rgw_ask *ask)
{
	const struct cosi_kv query = { ask->query, ask->query_value };

	return s3_call(&t->direct.call, ask->client != NULL ? ask->client : &t->admin,
		       .method = ask->method, .path = uri_encode_path(&t->direct.call, ask->path),
		       .query = &query, .nquery = ask->query != NULL ? 1 : 0,
		       .headers = &ask->header, .nheaders = ask->header.key != NULL ? 1 : 0,
		       .body = bytes(ask->body != NULL ? ask->body : ""));
}

int
rgw_ask(struct rgw_test *t, const struct rgw_ask *ask, const char **out_body)
{
	const struct cosi_http_reply *reply;

	host_reset(&t->direct);
	reply = ask->unsigned_request ? send_unsigned(t, ask) : send_signed(t, ask);
	/* Below /swift and /auth the gateway speaks another protocol. */
	if (reply == NULL && strstr(t->direct.text, "is not from the store") != NULL)
		return 0;
	if (reply == NULL)
		fail_msg("%s %s: %s", ask->method, ask->path, t->direct.text);
	if (out_body != NULL)
		*out_body = reply->body.data;
	return reply->status;
}
