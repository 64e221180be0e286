/* SPDX-License-Identifier: Apache-2.0
 * test_wire.c - what the wire check lets through and what not, and what protobuf-c would. */
#include "rig.h"

#include "banned.h"

static const ProtobufCMessageDescriptor *
create_type(void)
{
	return rig_method(V1 "DriverCreateBucket")->input;
}

/* 0 or -1, with the text in status. */
static int
check(const void *bytes, size_t len, struct status *status)
{
	*status = (struct status){ 0 };
	return wire_check(create_type(), bytes, len, status);
}

#define PASSES(literal)                                                                            \
	do {                                                                                       \
		struct status status_;                                                             \
		assert_int_equal(check(literal, sizeof(literal) - 1, &status_), 0);                \
	} while (0)
#define REFUSED(literal, words)                                                                    \
	do {                                                                                       \
		struct status status_;                                                             \
		assert_int_equal(check(literal, sizeof(literal) - 1, &status_), -1);               \
		assert_int_equal(status_.code, COSI_INVALID);                                      \
		if (strstr(status_.text, words) == NULL)                                           \
			fail_msg("'%s' is not in '%s'", words, status_.text);                      \
	} while (0)

static void
test_check__well_formed(void **state)
{
	(void)state;
	PASSES("");
	PASSES("\x0a\x03"
	       "abc");
	PASSES("\x0a\x00");
	PASSES("\x0a\x02\xc3\xa9");                      /* e with acute */
	PASSES("\x0a\x04\xf0\x9f\x98\x80");              /* beyond the first plane */
	PASSES("\x12\x06\x0a\x01k\x12\x01v");            /* parameters */
	PASSES("\x12\x00");                              /* an entry without key and value */
	PASSES("\x38\x01\x41........\x4d....\x52\x01."); /* unknown fields of every wire type */
}

static void
test_check__malformed(void **state)
{
	(void)state;
	REFUSED("\x0a", "malformed");
	REFUSED("\x0a\x05"
		"abc",
		"malformed");
	REFUSED("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "malformed"); /* 11 bytes */
	REFUSED("\x0a\xff\xff\xff\xff\x0f", "malformed");                         /* 4 GiB */
	REFUSED("\x00\x01", "malformed");                                         /* field 0 */
	REFUSED("\x0b\x0c", "malformed");                                         /* a group */
	REFUSED("\x0e", "malformed");                                             /* wire type 6 */
	REFUSED("\x41.......", "malformed");                                      /* 7 of 8 bytes */
	REFUSED("\x4d...", "malformed");                                          /* 3 of 4 bytes */
	REFUSED("\x38\x80", "malformed");
	REFUSED("\x12\x02\x0a\x05", "malformed"); /* within an entry */
}

static void
test_check__utf8(void **state)
{
	(void)state;
	REFUSED("\x0a\x01\xff", "field 'name' is not valid UTF-8");
	REFUSED("\x0a\x02\xc0\x80", "field 'name' is not valid UTF-8");     /* overlong NUL */
	REFUSED("\x0a\x03\xed\xa0\x80", "field 'name' is not valid UTF-8"); /* a surrogate */
	REFUSED("\x0a\x04\xf4\x90\x80\x80", "field 'name' is not valid UTF-8");
	REFUSED("\x12\x03\x0a\x01\xfe", "field 'key' is not valid UTF-8");
	REFUSED("\x12\x03\x12\x01\xfe", "field 'value' is not valid UTF-8");
	PASSES("\x3a\x01\xff"); /* an unknown field is no string */
}

static void
test_check__nul(void **state)
{
	(void)state;
	REFUSED("\x0a\x03"
		"a\0b",
		"field 'name' holds a NUL byte");
	REFUSED("\x12\x05\x0a\x03x\0y", "field 'key' holds a NUL byte");
}

/* count fields of two bytes: empty map entries. */
static int
flood(size_t count, struct status *status)
{
	unsigned char *bytes = malloc(2 * count);
	int rc;

	assert_non_null(bytes);
	for (size_t i = 0; i < count; i++)
		memcpy(bytes + 2 * i, "\x12\x00", 2);
	rc = check(bytes, 2 * count, status);
	free(bytes);
	return rc;
}

static void
test_check__fields_at_the_limit(void **state)
{
	struct status status;

	(void)state;
	assert_int_equal(flood(LIMIT_FIELDS, &status), 0);
	assert_int_equal(flood(LIMIT_FIELDS + 1, &status), -1);
	assert_non_null(strstr(status.text, "more than 8192 fields"));
	assert_int_equal(flood(LIMIT_MESSAGE / 2, &status), -1);
}

/* A message whose field 1 is of its own type: none of COSI's can nest without end. */
static const ProtobufCMessageDescriptor nested;
static const ProtobufCFieldDescriptor nested_fields[] = {
	{ .name = "deeper",
	  .id = 1,
	  .label = PROTOBUF_C_LABEL_NONE,
	  .type = PROTOBUF_C_TYPE_MESSAGE,
	  .descriptor = &nested },
};
static const ProtobufCIntRange nested_ranges[] = { { 1, 0 }, { 0, 1 } };
static const ProtobufCMessageDescriptor nested = {
	.magic = PROTOBUF_C__MESSAGE_DESCRIPTOR_MAGIC,
	.name = "nested",
	.n_fields = 1,
	.fields = nested_fields,
	.n_field_ranges = 1,
	.field_ranges = nested_ranges,
};

static int
nest(unsigned depth)
{
	unsigned char bytes[128];
	struct status status = { 0 };
	size_t len = 0;

	for (unsigned i = depth - 1; i > 0; i--) {
		bytes[len++] = 0x0a;
		bytes[len++] = (unsigned char)(2 * (i - 1));
	}
	return wire_check(&nested, bytes, len, &status);
}

static void
test_check__depth_at_the_limit(void **state)
{
	(void)state;
	assert_int_equal(nest(LIMIT_DEPTH), 0);
	assert_int_equal(nest(LIMIT_DEPTH + 1), -1);
}

static void
test_decode__wrong_wire_type(void **state)
{
	struct arena arena;
	struct status status = { 0 };

	(void)state;
	arena_init(&arena, 1 << 20);
	/* name as a varint: well formed, but no such message */
	assert_null(wire_decode(create_type(), (const uint8_t *)"\x08\x01", 2, &arena, &status));
	assert_int_equal(status.code, COSI_INVALID);
	arena_done(&arena);
}

static void
test_decode__out_of_memory(void **state)
{
	struct arena arena;
	struct status status = { 0 };

	(void)state;
	arena_init(&arena, 32);
	assert_null(wire_decode(create_type(), (const uint8_t *)"\x0a\x01n", 3, &arena, &status));
	assert_int_equal(status.code, COSI_EXHAUSTED);
	arena_done(&arena);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_check__well_formed),
		cmocka_unit_test(test_check__malformed),
		cmocka_unit_test(test_check__utf8),
		cmocka_unit_test(test_check__nul),
		cmocka_unit_test(test_check__fields_at_the_limit),
		cmocka_unit_test(test_check__depth_at_the_limit),
		cmocka_unit_test(test_decode__wrong_wire_type),
		cmocka_unit_test(test_decode__out_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
