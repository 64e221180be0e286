/* SPDX-License-Identifier: Apache-2.0
 * test_policy.c - policy documents written, read back and compared. */
#include "s3/policy.h"

#include <stdlib.h>

#include "unit.h"

#include "banned.h"

#define LIST(...) ((const char *const[]){ __VA_ARGS__, NULL })

static const struct cosi_bucket_ref *
refs(void)
{
	static const struct cosi_bucket_ref buckets[] = { { "a.b-c", COSI_READ_ONLY },
							  { "d", COSI_READ_WRITE },
							  { "e", COSI_READ_ONLY } };

	return buckets;
}

static struct s3_access
access_of(size_t n)
{
	static struct cosi_bucket_ref copy[3];

	memcpy(copy, refs(), sizeof copy);
	return (struct s3_access){ n, copy };
}

static const char *
write_policy(struct host *host, const struct s3_access *access)
{
	const struct s3_policy_modes
		modes = { .of = {
				  [COSI_READ_WRITE] = { LIST("s3:L"), LIST("s3:G", "s3:P"), NULL },
				  [COSI_READ_ONLY] = { LIST("s3:L"), LIST("s3:G"), NULL },
				  [COSI_WRITE_ONLY] = { LIST("s3:L"), LIST("s3:P"), LIST("s3:G") },
			  } };

	return s3_policy_write(&host->call, &modes, access, NULL);
}

static void
test_write__mode_by_mode(void **state)
{
	const struct s3_access access = access_of(3);
	struct cosi_bucket_ref one = { "w", COSI_WRITE_ONLY };
	const struct s3_access write_only = { 1, &one };
	struct host host;

	(void)state;
	host_init(&host, NULL);
	assert_string_equal(
		write_policy(&host, &access),
		"{\"Version\":\"2012-10-17\",\"Statement\":["
		"{\"Sid\":\"CosiReadWriteBuckets\",\"Effect\":\"Allow\",\"Action\":[\"s3:L\"],"
		"\"Resource\":[\"arn:aws:s3:::d\"]},"
		"{\"Sid\":\"CosiReadWriteObjects\",\"Effect\":\"Allow\",\"Action\":[\"s3:G\",\"s3:"
		"P\"],"
		"\"Resource\":[\"arn:aws:s3:::d/*\"]},"
		"{\"Sid\":\"CosiReadOnlyBuckets\",\"Effect\":\"Allow\",\"Action\":[\"s3:L\"],"
		"\"Resource\":[\"arn:aws:s3:::a.b-c\",\"arn:aws:s3:::e\"]},"
		"{\"Sid\":\"CosiReadOnlyObjects\",\"Effect\":\"Allow\",\"Action\":[\"s3:G\"],"
		"\"Resource\":[\"arn:aws:s3:::a.b-c/*\",\"arn:aws:s3:::e/*\"]}]}");
	assert_string_equal(
		write_policy(&host, &write_only),
		"{\"Version\":\"2012-10-17\",\"Statement\":["
		"{\"Sid\":\"CosiWriteOnlyBuckets\",\"Effect\":\"Allow\",\"Action\":[\"s3:L\"],"
		"\"Resource\":[\"arn:aws:s3:::w\"]},"
		"{\"Sid\":\"CosiWriteOnlyObjects\",\"Effect\":\"Allow\",\"Action\":[\"s3:P\"],"
		"\"Resource\":[\"arn:aws:s3:::w/*\"]},"
		"{\"Sid\":\"CosiWriteOnlyDenied\",\"Effect\":\"Deny\",\"Action\":[\"s3:G\"],"
		"\"Resource\":[\"arn:aws:s3:::w/*\"]}]}");
	host_done(&host);
}

static void
test_write__statements_of_every_document(void **state)
{
	const struct s3_policy_modes modes = {
		.of = { [COSI_READ_ONLY] = { NULL, LIST("s3:G"), NULL } },
	};
	struct cosi_bucket_ref one = { "b", COSI_READ_ONLY };
	const struct s3_access access = { 1, &one };
	struct host host;
	const char *text;

	(void)state;
	host_init(&host, NULL);
	text = s3_policy_write(&host.call, &modes, &access,
			       json_pack("[{s:s}, {s:s}]", "Sid", "One", "Sid", "MarkTwo"));
	assert_string_equal(text, "{\"Version\":\"2012-10-17\",\"Statement\":["
				  "{\"Sid\":\"CosiReadOnlyObjects\",\"Effect\":\"Allow\","
				  "\"Action\":[\"s3:G\"],\"Resource\":[\"arn:aws:s3:::b/*\"]},"
				  "{\"Sid\":\"One\"},{\"Sid\":\"MarkTwo\"}]}");
	assert_string_equal(s3_policy_sid(&host.call, text, "Mark"), "MarkTwo");
	assert_null(s3_policy_sid(&host.call, text, "Marks"));
	assert_null(s3_policy_sid(&host.call, "{\"Statement\":[{},5,{\"Sid\":7}]}", ""));
	assert_null(s3_policy_sid(&host.call, "{", ""));
	assert_null(s3_policy_sid(&host.call, "[]", ""));
	host_done(&host);
}

static void
test_write__names_that_would_change_it(void **state)
{
	static const char *const bad[] = { "",    "a*",   "a?",  "a/b",     "a%2Ab",
					   "a+b", "a\"b", "a b", "\xc3\xbc" };
	char longest[257];
	struct cosi_bucket_ref one = { NULL, COSI_READ_ONLY };
	const struct s3_access access = { 1, &one };
	struct host host;

	(void)state;
	host_init(&host, NULL);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		one.native = bad[i];
		assert_null(write_policy(&host, &access));
		assert_int_equal(host.code, COSI_INVALID);
		host_reset(&host);
	}
	memset(longest, 'n', sizeof longest);
	longest[255] = '\0';
	assert_true(s3_policy_name_ok(longest));
	longest[255] = 'n';
	longest[256] = '\0';
	assert_false(s3_policy_name_ok(longest));
	host_done(&host);
}

static void
test_read__gives_back_what_was_written(void **state)
{
	const struct s3_access access = access_of(3), fewer = access_of(2);
	struct s3_access there;
	struct host host;

	(void)state;
	host_init(&host, NULL);
	assert_int_equal(s3_policy_read(&host.call, write_policy(&host, &access), &there), 0);
	assert_true(s3_access_equal(&there, &access));
	assert_false(s3_access_equal(&there, &fewer));
	there.buckets[0].mode = COSI_READ_WRITE;
	assert_false(s3_access_equal(&there, &access));
	host_done(&host);
}

static void
test_take_out__what_a_revoke_names(void **state)
{
	const struct s3_access access = access_of(3);
	const struct cosi_bucket_ref d = { "d", 0 }, e = { "e", 0 }, other = { "other", 0 };
	const struct cosi_bucket_ref *const named[] = { &d, &e }, *const absent[] = { &other };
	const struct cosi_access_req both = { .nbuckets = 2, .buckets = named };
	const struct cosi_access_req none = { .nbuckets = 1, .buckets = absent };
	const char *document;
	struct s3_access left;
	bool changed;
	struct host host;

	(void)state;
	host_init(&host, NULL);
	document = write_policy(&host, &access);
	assert_int_equal(s3_policy_take_out(&host.call, document, &none, &left, &changed), 0);
	assert_false(changed);
	assert_int_equal(left.n, 3);
	assert_int_equal(s3_policy_take_out(&host.call, document, &both, &left, &changed), 0);
	assert_true(changed);
	assert_int_equal(left.n, 1);
	assert_string_equal(left.buckets[0].native, "a.b-c");
	assert_int_equal(s3_policy_take_out(&host.call, NULL, &both, &left, &changed), 0);
	assert_false(changed);
	assert_int_equal(left.n, 0);
	assert_true(s3_policy_take_out(&host.call, "[]", &both, &left, &changed) < 0);
	assert_int_equal(host.code, COSI_UNAVAILABLE);
	host_done(&host);
}

/* Edited by hand: other statements, scalars for lists, other ARNs. */
static void
test_read__what_others_wrote(void **state)
{
	static const char document[] =
		"{\"Statement\":[{\"Sid\":\"Other\",\"Resource\":[\"arn:aws:s3:::x\"]},{},"
		"{\"Sid\":\"CosiReadOnlyBuckets\",\"Resource\":[\"arn:aws:sqs:::q\",5,"
		"\"arn:aws:s3:::e\"]},{\"Sid\":\"CosiReadWriteBuckets\",\"Resource\":\"arn\"}]}";
	static const char single[] = "{\"Statement\":{\"Effect\":\"Deny\"}}";
	static const char *const junk[] = { "",
					    "[]",
					    "{}",
					    "{\"Statement\":{}}",
					    "{\"Statement\":[",
					    "{\"Statement\":7}",
					    "{\"Statement\":[7]}",
					    "{\"Statement\":\"Configuration\"}" };
	struct s3_access there;
	struct host host;

	(void)state;
	host_init(&host, NULL);
	assert_int_equal(s3_policy_read(&host.call, document, &there), 0);
	assert_int_equal(there.n, 1);
	assert_string_equal(there.buckets[0].native, "e");
	assert_int_equal(there.buckets[0].mode, COSI_READ_ONLY);
	assert_int_equal(s3_policy_read(&host.call, single, &there), 0);
	assert_int_equal(there.n, 0);
	for (size_t i = 0; i < sizeof junk / sizeof junk[0]; i++)
		assert_int_equal(s3_policy_read(&host.call, junk[i], &there), -1);
	host_done(&host);
}

static void
test_equal__as_json(void **state)
{
	(void)state;
	assert_true(s3_policy_equal("{\"a\": [1, 2], \"b\": 3}", "{\"b\":3,\"a\":[1,2]}"));
	assert_false(s3_policy_equal("{\"a\":[1,2]}", "{\"a\":[2,1]}"));
	assert_false(s3_policy_equal("{", "{"));
	assert_true(s3_policy_equal("{\"a\":[{\"b\":[\"x\",\"y\"]}]}",
				    "{\"a\":[{\"b\":[\"y\",\"x\"]}]}"));
	assert_false(s3_policy_equal("{\"a\":[\"x\",\"y\"]}", "{\"a\":[\"x\",\"x\"]}"));
	assert_false(s3_policy_equal("[{\"a\":1},{\"b\":1}]", "[{\"b\":1},{\"a\":1}]"));
}

static void
test_anonymous__documents(void **state)
{
#define HEAD "{\"Version\":\"2012-10-17\",\"Statement\":["
#define ALL  "\"Effect\":\"Allow\",\"Principal\":{\"AWS\":[\"*\"]},\"Action\":["
#define LISTING                                                                                    \
	"{\"Sid\":\"CosiAnonymousBucket\"," ALL "\"s3:ListBucket\",\"s3:GetBucketLocation\"],"     \
	"\"Resource\":[\"arn:aws:s3:::b\"]},"
#define OBJECTS(actions)                                                                           \
	"{\"Sid\":\"CosiAnonymousObjects\"," ALL actions "],\"Resource\":[\"arn:aws:s3:::b/"       \
	"*\"]}]}"
	struct host host;

	(void)state;
	host_init(&host, NULL);
	assert_string_equal(s3_policy_anonymous(&host.call, "b", COSI_ANON_READ),
			    HEAD LISTING OBJECTS("\"s3:GetObject\""));
	assert_string_equal(s3_policy_anonymous(&host.call, "b", COSI_ANON_WRITE),
			    HEAD OBJECTS("\"s3:PutObject\""));
	assert_string_equal(s3_policy_anonymous(&host.call, "b", COSI_ANON_READ_WRITE),
			    HEAD LISTING OBJECTS("\"s3:GetObject\",\"s3:PutObject\""));
	assert_null(s3_policy_anonymous(&host.call, "b*", COSI_ANON_READ));
	host_done(&host);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_write__mode_by_mode),
		cmocka_unit_test(test_write__statements_of_every_document),
		cmocka_unit_test(test_write__names_that_would_change_it),
		cmocka_unit_test(test_read__gives_back_what_was_written),
		cmocka_unit_test(test_take_out__what_a_revoke_names),
		cmocka_unit_test(test_read__what_others_wrote),
		cmocka_unit_test(test_equal__as_json),
		cmocka_unit_test(test_anonymous__documents),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
