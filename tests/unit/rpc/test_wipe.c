/* SPDX-License-Identifier: Apache-2.0
 * test_wipe.c - of the keys that an answer holds, no copy of cosid's own outlives the call.
 *
 * The client is a socket and memory that the test wipes itself.
 */
#include "fakes/wipe.h"

#include "server_rig.h"

#include "cosi_v1alpha1.pb-c.h"
#include "h2.h"

#include "banned.h"

static struct h2 peer;
static uint8_t request[UINT8_MAX], reply[1 << 16];

/* Until the reply is whole: its trailers are the last frame, and end the stream. */
static void
read_reply(void)
{
	size_t len = 0, at = 0;
	bool ended = false;

	while (!ended) {
		ssize_t n = recv(peer.fd, reply + len, sizeof reply - len, 0);

		assert_true(n > 0);
		len += (size_t)n;
		for (; len - at >= 9 && len - at >= 9 + (h2_u32(reply + at) >> 8);
		     at += 9 + (h2_u32(reply + at) >> 8))
			ended = ended || (reply[at + 3] == H2_HEADERS && (reply[at + 4] & 1) != 0);
	}
	assert_non_null(memmem(reply, len, wipe_secret(), WIPE_LEN));
	explicit_bzero(reply, len);
}

/* Grants, and returns how many copies there are when the server has stopped. */
static size_t
grant(struct fixture *f, const char *path, const ProtobufCMessage *message)
{
	size_t len = protobuf_c_message_get_packed_size(message);

	assert_true(len < sizeof request);
	(void)protobuf_c_message_pack(message, request);
	f->sched.answer.access.key_secret = wipe_secret();
	f->sched.answer.id = "r.cosi-a";
	h2_hello(&peer, raw_connect(f));
	h2_call(&peer, 0, path, (const char *)request, (uint8_t)len);
	read_reply();
	expect(client_call(f->channel, INFO1, "", 0), GRPC_STATUS_OK, "");
	(void)close(peer.fd);
	fake_wait_freed(&f->sched);
	stop(f);
	return wipe_count();
}

static void
grant_v1alpha1(struct fixture *f)
{
	Cosi__V1alpha1__DriverGrantBucketAccessRequest message =
		COSI__V1ALPHA1__DRIVER_GRANT_BUCKET_ACCESS_REQUEST__INIT;

	message.bucket_id = (char[]){ "r.n" };
	message.name = (char[]){ "a" };
	message.authentication_type = COSI__V1ALPHA1__AUTHENTICATION_TYPE__Key;
	assert_int_equal(grant(f, V1 "DriverGrantBucketAccess", &message.base), 0);
}

static void
test_answer__given_at_once(void **state)
{
	grant_v1alpha1(*state);
}

static void
test_answer__given_by_a_worker(void **state)
{
	struct fixture *f = *state;

	f->sched.elsewhere = true;
	grant_v1alpha1(f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_answer__given_at_once),
		TEST(test_answer__given_by_a_worker),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
