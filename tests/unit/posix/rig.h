/* SPDX-License-Identifier: Apache-2.0
 * rig.h - the posix module without a daemon: a fake host table, a private root, calls in short
 * form.
 */
#ifndef TESTS_POSIX_RIG_H
#define TESTS_POSIX_RIG_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/status.h"
#include "cosi_module.h"

extern const struct cosi_module cosi_module;

#define RIG_OWNER "one.example.org"
#define RIG_KEY   "0123456789abcdef0123456789abcdef"
#define PARAMS_A  "1:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define PARAMS_B  "1:bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
enum { RIG_NOW = 1700000000 };

struct rig_config {
	const char *root, *credential_key;
};

struct rig {
	struct cosi_call call; /* first: the host table casts it back */
	struct arena arena;
	struct status status;
	const char *public_url;
	int64_t time_left;           /* what time_left_ms() answers, one less each time */
	unsigned nservices, failing; /* alloc() and printf() so far; the one that fails, 0: none */
	struct rig_config config;
	char root[64], outside[64]; /* both removed by rig_done() */
	void *instance;
};

/* A root, and a directory beside it that nothing may touch. */
void rig_init(struct rig *rig);
void rig_done(struct rig *rig);
/* A second instance on the same root is rig_open() on another rig; its paths stay the first's. */
int rig_open(struct rig *rig);
void rig_close(struct rig *rig);
/* For cmocka: each test has a rig of its own as its state. */
int rig_setup(void **state);
int rig_teardown(void **state);
#define TEST(f)              cmocka_unit_test_setup_teardown(f, rig_setup, rig_teardown)
#define TEST_AFTER(setup, f) cmocka_unit_test_setup_teardown(f, setup, rig_teardown)
/* Forgets the outcome of the call before. */
void rig_reset(struct rig *rig);

/* The handlers; 0 or the enum cosi_code of the failure.  A NULL mark means RIG_OWNER, the name
 * itself, PARAMS_A. */
uint32_t rig_create(struct rig *rig, const char *name, const struct cosi_mark *mark,
		    struct cosi_bucket *out);
uint32_t rig_get(struct rig *rig, const char *name, const struct cosi_mark *mark,
		 struct cosi_bucket *out);
uint32_t rig_delete(struct rig *rig, const char *name, bool purge);
uint32_t rig_delete_of(struct rig *rig, const char *name, const char *owner);

enum { RIG_BUCKETS_MAX = 1024 };
struct rig_access {
	struct cosi_access answer;
	struct cosi_bucket *list[RIG_BUCKETS_MAX], buckets[RIG_BUCKETS_MAX];
};
/* buckets: "photos:1 films:2", a native name and an enum cosi_mode each, sorted. */
uint32_t rig_grant(struct rig *rig, const char *name, const char *buckets,
		   const struct cosi_mark *mark, struct rig_access *out);
uint32_t rig_revoke(struct rig *rig, const char *name, const char *buckets);
uint32_t rig_revoke_of(struct rig *rig, const char *name, const char *owner);
const char *rig_map(struct rig *rig, uint32_t kind, const char *asked, bool exact);

/* ---- the files; paths are relative to the root */
bool rig_exists(const struct rig *rig, const char *path);
void rig_mkdir(const struct rig *rig, const char *path);
void rig_write(const struct rig *rig, const char *path, const char *text);
/* In the arena. */
char *rig_read(struct rig *rig, const char *path);
void rig_link(const struct rig *rig, const char *target, const char *path);
/* Every path below the root with its type and content, sorted, in the arena. */
char *rig_listing(struct rig *rig);
void rig_remove_all(const char *path);

#endif
