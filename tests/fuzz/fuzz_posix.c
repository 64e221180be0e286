/* SPDX-License-Identifier: Apache-2.0
 * fuzz_posix.c - calls of the posix module in any order, with failing system calls and damaged
 * records between them, against a model of what must hold.
 *
 * covers: modules/posix/record.c modules/posix/access.c modules/posix/bucket.c
 *         modules/posix/posix.c
 *
 * A call takes two bytes: what and on which of two buckets and two accounts; which system call of
 * it fails, and how.  A record takes any bytes up to the next 0xff.
 */
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "faults.h"
#include "input.h"
#include "rig.h"

#include "banned.h"

/* What is known of a bucket or an account.  After a failure, and after damage, nothing is. */
enum known { ABSENT = 0, HAS_A, HAS_B, UNKNOWN };
enum { NAMES = 2 };

static const char *const bucket_names[NAMES] = { "photos", "videos" };
static const char *const account_names[NAMES] = { "cosi-a", "cosi-b" };
static const char *const params[] = { NULL, PARAMS_A, PARAMS_B };

struct model {
	struct rig rig;
	enum known buckets[NAMES], accounts[NAMES];
	char secret[NAMES][64]; /* of the accounts: the same for ever */
	bool again;             /* what a fault has broken off is called again at once */
};

/* A call without a fault has exactly this outcome; with one it may also fail otherwise. */
static void
expect(uint32_t code, bool faulty, uint32_t expected)
{
	must(code == expected || (faulty && code != COSI_OK));
}

/* Is the call to be repeated?  Then it has to succeed: what was broken off converges. */
static bool
is_again(const struct model *m, uint32_t code, bool faulty)
{
	if (code == COSI_OK || !faulty || !m->again)
		return false;
	(void)fault_disarm();
	return true;
}

static void
do_create(struct model *m, size_t i, enum known with, bool faulty)
{
	const struct cosi_mark mark = { RIG_OWNER, bucket_names[i], params[with] };
	struct cosi_bucket bucket = { .ours = false };
	enum known before = m->buckets[i];
	uint32_t code = rig_create(&m->rig, bucket_names[i], &mark, &bucket);

	if (before == ABSENT || before == with)
		expect(code, faulty, COSI_OK);
	else if (before != UNKNOWN)
		expect(code, faulty, COSI_EXISTS);
	if ((before == ABSENT || before == with) && is_again(m, code, faulty)) {
		code = rig_create(&m->rig, bucket_names[i], &mark, &bucket);
		must(code == COSI_OK);
	}
	if (code == COSI_OK)
		must(bucket.ours && strcmp(bucket.params, params[with]) == 0);
	if (code == COSI_OK)
		m->buckets[i] = with;
	else if (faulty && before == ABSENT)
		m->buckets[i] = UNKNOWN;
}

static void
do_get(struct model *m, size_t i, bool faulty)
{
	const struct cosi_mark mark = { RIG_OWNER, NULL, NULL };
	struct cosi_bucket bucket = { .ours = false };
	uint32_t code = rig_get(&m->rig, bucket_names[i], &mark, &bucket);
	enum known known = m->buckets[i];

	if (known == UNKNOWN)
		return;
	expect(code, faulty, known == ABSENT ? COSI_NOT_FOUND : COSI_OK);
	if (code == COSI_OK)
		must(bucket.ours && !bucket.unfinished &&
		     strcmp(bucket.params, params[known]) == 0);
}

static void
do_delete(struct model *m, size_t i, bool purge, bool faulty)
{
	enum known before = m->buckets[i];
	uint32_t code = rig_delete(&m->rig, bucket_names[i], purge);

	if (before != UNKNOWN)
		expect(code, faulty, COSI_OK); /* the buckets stay empty */
	if (before != UNKNOWN && is_again(m, code, faulty)) {
		code = rig_delete(&m->rig, bucket_names[i], purge);
		must(code == COSI_OK);
	}
	if (code == COSI_OK)
		m->buckets[i] = ABSENT;
	else if (faulty)
		m->buckets[i] = UNKNOWN;
}

static void
do_grant(struct model *m, size_t i, enum known with, bool faulty)
{
	const struct cosi_mark mark = { RIG_OWNER, account_names[i], params[with] };
	static struct rig_access access;
	enum known before = m->accounts[i];
	uint32_t code = rig_grant(&m->rig, account_names[i], "photos:1", &mark, &access);

	bool possible = (m->buckets[0] == HAS_A || m->buckets[0] == HAS_B) &&
			(before == ABSENT || before == with);

	if (m->buckets[0] == ABSENT)
		expect(code, faulty, COSI_NOT_FOUND);
	else if (possible)
		expect(code, faulty, COSI_OK);
	else if (m->buckets[0] != UNKNOWN && before != UNKNOWN)
		expect(code, faulty, COSI_EXISTS);
	if (possible && is_again(m, code, faulty)) {
		code = rig_grant(&m->rig, account_names[i], "photos:1", &mark, &access);
		must(code == COSI_OK);
	}
	if (code == COSI_OK && m->secret[i][0] == '\0')
		(void)snprintf(m->secret[i], sizeof m->secret[i], "%s", access.answer.key_secret);
	if (code == COSI_OK) {
		must(strcmp(m->secret[i], access.answer.key_secret) == 0);
		m->accounts[i] = with;
	} else if (faulty && before == ABSENT) {
		m->accounts[i] = UNKNOWN;
	}
}

static void
do_revoke(struct model *m, size_t i, bool all, bool faulty)
{
	enum known before = m->accounts[i];
	uint32_t code = rig_revoke(&m->rig, account_names[i], all ? "" : "photos:0");

	if (before != UNKNOWN)
		expect(code, faulty, COSI_OK);
	if (before != UNKNOWN && is_again(m, code, faulty)) {
		code = rig_revoke(&m->rig, account_names[i], all ? "" : "photos:0");
		must(code == COSI_OK);
	}
	/* A damaged record may name further buckets. */
	if (code == COSI_OK)
		m->accounts[i] = before == UNKNOWN && !all ? UNKNOWN : ABSENT;
	else if (faulty)
		m->accounts[i] = UNKNOWN;
}

/* ---- list ---- */

static unsigned seen;

static int
on_found(struct cosi_call *call, const struct cosi_found *found)
{
	(void)call;
	must(found->native != NULL && strcmp(found->mark.owner, RIG_OWNER) == 0);
	for (unsigned i = 0; i < NAMES; i++) {
		if (found->kind == COSI_BUCKET && strcmp(found->native, bucket_names[i]) == 0)
			seen |= 1u << i;
		if (found->kind == COSI_ACCOUNT && strcmp(found->native, account_names[i]) == 0)
			seen |= 1u << (NAMES + i);
	}
	return 0;
}

static void
do_list(struct model *m, bool faulty)
{
	bool unknown = false;
	int rc;

	seen = 0;
	rig_reset(&m->rig);
	rc = cosi_module.list(m->rig.instance, &m->rig.call, RIG_OWNER, on_found);
	for (size_t i = 0; i < NAMES; i++)
		unknown |= m->buckets[i] == UNKNOWN || m->accounts[i] == UNKNOWN;
	must(rc == 0 || faulty || unknown);
	for (unsigned i = 0; i < NAMES && rc == 0; i++) {
		must(m->buckets[i] == UNKNOWN || (seen >> i & 1) == (m->buckets[i] != ABSENT));
		must(m->accounts[i] == UNKNOWN ||
		     (seen >> (NAMES + i) & 1) == (m->accounts[i] != ABSENT));
	}
}

/* ---- what others do to the files ---- */

static void
do_damage(struct model *m, size_t i, bool account, struct input *in)
{
	char path[64], *text = input_text(in);

	(void)snprintf(path, sizeof path, ".cosid/%s/%s.json", account ? "accounts" : "buckets",
		       account ? account_names[i] : bucket_names[i]);
	if (rig_exists(&m->rig, account ? ".cosid/accounts" : ".cosid/buckets")) {
		rig_write(&m->rig, path, text);
		*(account ? &m->accounts[i] : &m->buckets[i]) = UNKNOWN;
	}
	free(text);
}

/* A directory or file in the bucket's place, and one that hides what is there. */
static void
do_occupy(struct model *m, size_t i, bool file)
{
	if (m->buckets[i] != ABSENT || rig_exists(&m->rig, bucket_names[i]))
		return;
	if (file)
		rig_write(&m->rig, bucket_names[i], "a file");
	else
		rig_mkdir(&m->rig, bucket_names[i]);
	m->buckets[i] = UNKNOWN;
}

static void
do_probe(struct model *m, bool faulty)
{
	rig_reset(&m->rig);
	must(cosi_module.probe(m->rig.instance, &m->rig.call) == 0 || faulty);
}

static void
do_map(struct model *m, bool exact, struct input *in)
{
	char *asked = input_text(in);
	const char *name = rig_map(&m->rig, COSI_BUCKET, asked, exact);

	must(name != NULL || exact);
	if (name != NULL)
		must(rig_map(&m->rig, COSI_BUCKET, name, true) != NULL);
	(void)rig_create(&m->rig, asked, NULL, NULL); /* as the daemon would never ask */
	if (strchr(asked, '/') == NULL && asked[0] != '.' && asked[0] != '\0')
		(void)rig_delete(&m->rig, asked, true);
	for (size_t i = 0; i < NAMES; i++)
		if (strcmp(asked, bucket_names[i]) == 0)
			m->buckets[i] = UNKNOWN;
	free(asked);
}

static void
do_step(struct model *m, struct input *in)
{
	static const int errors[] = { EIO, ENOSPC, EACCES, EMFILE, EINTR, EDQUOT, ESTALE, EROFS };
	uint8_t what = input_byte(in), fault = input_byte(in);
	size_t i = what >> 4 & 1;
	bool flag = (what & 0x20) != 0, is_short = (fault & 0x1f) == 0x1f;
	bool faulty = fault != 0 && !is_short;

	m->again = (what & 0x40) != 0;
	if (is_short) /* no failure: each write takes one byte */
		fault_arm(FAULT_SHORT, 1, 0);
	else if (faulty)
		fault_arm(FAULT_ERROR, fault & 0x1f, errors[fault >> 5]);
	switch (what & 0xf) {
	case 0:
	case 1:
		do_create(m, i, flag ? HAS_B : HAS_A, faulty);
		break;
	case 2:
		do_get(m, i, faulty);
		break;
	case 3:
		do_delete(m, i, flag, faulty);
		break;
	case 4:
	case 5:
		do_grant(m, i, flag ? HAS_B : HAS_A, faulty);
		break;
	case 6:
		do_revoke(m, i, flag, faulty);
		break;
	case 7:
		do_list(m, faulty);
		break;
	case 8:
		do_probe(m, faulty);
		break;
	default:
		(void)fault_disarm();
		if ((what & 0xf) == 9)
			do_damage(m, i, flag, in);
		else if ((what & 0xf) == 10)
			do_occupy(m, i, flag);
		else if ((what & 0xf) == 11)
			do_map(m, flag, in);
	}
	(void)fault_disarm();
	arena_done(&m->rig.arena);
}

static struct model the_model;

static void
remove_files(void)
{
	rig_remove_all(the_model.rig.root);
	rig_remove_all(the_model.rig.outside);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, data + size };

	if (the_model.rig.root[0] == '\0') {
		rig_init(&the_model.rig);
		must(atexit(remove_files) == 0);
	} else {
		must(rig_open(&the_model.rig) == 0);
	}
	rig_mkdir(&the_model.rig, ".cosid"); /* else no absence would be believed */
	for (unsigned n = 0; in.at < in.end && n < 64; n++)
		do_step(&the_model, &in);
	rig_close(&the_model.rig);
	rig_reset(&the_model.rig);
	rig_remove_all(the_model.rig.root);
	must(mkdir(the_model.rig.root, 0700) == 0);
	memset(the_model.buckets, 0, sizeof the_model.buckets);
	memset(the_model.accounts, 0, sizeof the_model.accounts);
	return 0;
}
