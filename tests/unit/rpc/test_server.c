/* SPDX-License-Identifier: Apache-2.0
 * test_server.c - the server on a real socket with a real client, over a fake router. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "cosi_v1alpha1.pb-c.h"
#include "cosi_v1alpha2.pb-c.h"
#include "rpc/limits.h"
#include "rpc/server.h"

#include "client.c"
#include "fake_router.c"

#include "banned.h"

struct fixture {
	char dir[64], path[96];
	struct router router;
	struct server *server;
	grpc_channel *channel;
};

static int
setup(void **state)
{
	struct fixture *f = calloc(1, sizeof *f);
	struct server_config config = { .socket_mode = 0600, .listen_fd = -1 };
	struct status status = { 0 };

	assert_non_null(f);
	grpc_init();
	(void)snprintf(f->dir, sizeof f->dir, "/tmp/cosid-rpc.XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	(void)snprintf(f->path, sizeof f->path, "%s/cosi.sock", f->dir);
	fake_init(&f->router);
	config.socket_path = f->path;
	f->server = server_start(&config, &f->router, &status);
	if (f->server == NULL)
		print_error("%s\n", status.text);
	assert_non_null(f->server);
	f->channel = client_connect(f->path);
	*state = f;
	return 0;
}

static int
teardown(void **state)
{
	struct fixture *f = *state;

	grpc_channel_destroy(f->channel);
	if (f->server != NULL)
		assert_int_equal(server_stop(f->server, 5000), 0);
	assert_int_equal(access(f->path, F_OK), -1);
	assert_int_equal(rmdir(f->dir), 0);
	assert_int_equal(f->router.nlive, 0);
	grpc_shutdown_blocking();
	free(f);
	return 0;
}

/* clauses 3, 4: Identity is there and tells the name. */
static void
test_info__v1alpha1(void **state)
{
	struct fixture *f = *state;
	struct client_call *c =
		client_call(f->channel, "/cosi.v1alpha1.Identity/DriverGetInfo", "", 0);
	Cosi__V1alpha1__DriverGetInfoResponse *reply;

	assert_int_equal(c->code, GRPC_STATUS_OK);
	reply = cosi__v1alpha1__driver_get_info_response__unpack(NULL, c->reply_len, c->reply);
	assert_non_null(reply);
	assert_string_equal(reply->name, "fake.example.org");
	cosi__v1alpha1__driver_get_info_response__free_unpacked(reply, NULL);
	client_free(c);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_info__v1alpha1, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
