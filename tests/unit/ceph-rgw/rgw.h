/* SPDX-License-Identifier: Apache-2.0
 * rgw.h - the built ceph-rgw module, driven against the gateway that the environment names. */
#ifndef TEST_CEPH_RGW_RGW_H
#define TEST_CEPH_RGW_RGW_H
#include "host.h"
#include "s3/s3.h"
#include "unit.h"

#define RGW_OWNER    "cosid.example.org"
#define RGW_PARAMS_A "1:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define RGW_PARAMS_B "1:bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

struct rgw_test {
	struct host host;   /* the module's */
	struct host direct; /* for requests of the test itself */
	struct s3_client admin;
	void *config; /* what the module's schema describes; owned */
	const struct cosi_module *module;
	void *instance;
};

/* cmocka group fixtures; *state is a struct rgw_test. */
int rgw_setup(void **state);
int rgw_teardown(void **state);
/* A new instance, as after a restart. */
void rgw_reopen(struct rgw_test *t, const char *credential_key);
/* One that works as another user, until the next rgw_reopen(). */
void rgw_reopen_as(struct rgw_test *t, const char *access_key, const char *secret_key);
/* Makes a user with that key and those caps ("" for none), or with buckets of its own. */
void rgw_make_user(struct rgw_test *t, const char *uid, const char *access_key,
		   const char *secret_key, const char *caps);

/* The module's handlers, each a call of its own: the returned codes are enum cosi_code. */
uint32_t rgw_create(struct rgw_test *t, const char *name, const char *params,
		    const struct cosi_bucket_params *common);
uint32_t rgw_get(struct rgw_test *t, const char *name, struct cosi_bucket *out);
uint32_t rgw_delete(struct rgw_test *t, const char *name, bool purge);
struct rgw_granted {
	char key_id[128], key_secret[128];
};
/* buckets: "name:mode" texts, mode rw, ro or wo; ends with NULL. */
uint32_t rgw_grant(struct rgw_test *t, const char *account, const char *const *buckets,
		   struct rgw_granted *out);
uint32_t rgw_probe(struct rgw_test *t);
uint32_t rgw_revoke(struct rgw_test *t, const char *account, const char *const *buckets);

/* A request of the test's own; the status.  key NULL: unsigned; the answer's body in t->direct's
 * call memory until the next one. */
struct rgw_ask {
	const struct s3_client *client; /* NULL: the administrator */
	bool unsigned_request;
	const char *method, *path, *query, *query_value, *body;
	struct cosi_kv header;
};
int rgw_ask(struct rgw_test *t, const struct rgw_ask *ask, const char **out_body);
#define ask(t, ...)           rgw_ask((t), &(struct rgw_ask){ __VA_ARGS__ }, NULL)
#define ask_body(t, out, ...) rgw_ask((t), &(struct rgw_ask){ __VA_ARGS__ }, (out))

void rgw_expect_ok(struct rgw_test *t, uint32_t code);
#define assert_ok(t, code) rgw_expect_ok((t), (code))

#endif
