/* SPDX-License-Identifier: Apache-2.0
 * rig.h - what the tests of core/rpc share: methods by path, messages to requests, captured logs.
 */
#ifndef TESTS_UNIT_RPC_RIG_H
#define TESTS_UNIT_RPC_RIG_H
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "rpc/api_version.h"
#include "rpc/limits.h"

#define V1 "/cosi.v1alpha1.Provisioner/"
#define V2 "/sigs.k8s.io.cosi.v1alpha2.Provisioner/"

static inline const struct api_method *
rig_method(const char *path)
{
	for (const struct api_version *const *d = api_versions; *d != NULL; d++)
		for (size_t i = 0; i < (*d)->nmethods; i++)
			if (strcmp((*d)->methods[i].path, path) == 0)
				return &(*d)->methods[i];
	fail_msg("no method '%s'", path);
	return NULL;
}

/* A call as serve.c makes one out of bytes. */
struct rig_call {
	const struct api_method *method;
	const ProtobufCMessage *input;
	struct call call;
	struct status status;
	int rc;
};

static inline void
rig_decode(struct rig_call *rig, const char *path, const void *bytes, size_t len)
{
	memset(rig, 0, sizeof *rig);
	rig->method = rig_method(path);
	arena_init(&rig->call.arena, 1 << 24);
	rig->rc = -1;
	rig->call.req.op = rig->method->op;
	rig->input = wire_decode(rig->method->input, bytes, len, &rig->call.arena, &rig->status);
	if (rig->input != NULL)
		rig->rc = rig->method->decode(rig->input, &rig->call.req, &rig->call.arena,
					      &rig->status);
}

/* The same from a message, which the client packs. */
static inline void
rig_send(struct rig_call *rig, const char *path, const ProtobufCMessage *message)
{
	size_t len = protobuf_c_message_get_packed_size(message);
	uint8_t *bytes = malloc(len + 1);

	assert_non_null(bytes);
	(void)protobuf_c_message_pack(message, bytes);
	rig_decode(rig, path, bytes, len);
	free(bytes);
}

static inline void
rig_done(struct rig_call *rig)
{
	arena_done(&rig->call.arena);
}

#define RIG_OK(rig)                                                                                \
	do {                                                                                       \
		if ((rig)->rc != 0)                                                                \
			print_error("%s\n", (rig)->status.text);                                   \
		assert_int_equal((rig)->rc, 0);                                                    \
	} while (0)

/* Refused with that code, in words that hold this. */
static inline void
rig_refused(struct rig_call *rig, uint32_t code, const char *text)
{
	assert_int_equal(rig->rc, -1);
	assert_int_equal(rig->status.code, code);
	if (strstr(rig->status.text, text) == NULL)
		fail_msg("'%s' is not in '%s'", text, rig->status.text);
	rig_done(rig);
}

/* A text of n times the letter, in one of two buffers. */
static inline char *
rig_long(size_t n, char letter)
{
	static char buffers[4][8192];
	static unsigned next;
	char *text = buffers[next++ % 4];

	assert_true(n < sizeof buffers[0]);
	memset(text, letter, n);
	text[n] = '\0';
	return text;
}

/* A connection of bare bytes. */
static inline int
rig_connect(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
	return fd;
}

/* stderr between the two calls, which is where the log goes. */
static int rig_old_stderr;
static FILE *rig_sink;
static char rig_log[1 << 20];

/* The captured log says why the process ends (an assertion, or the core). */
static inline void
rig_on_abort(int number)
{
	char bytes[4096];
	ssize_t n;

	for (off_t at = 0; (n = pread(STDERR_FILENO, bytes, sizeof bytes, at)) > 0; at += n)
		(void)!write(rig_old_stderr, bytes, (size_t)n);
	(void)signal(number, SIG_DFL);
}

static inline void
rig_capture(void)
{
	(void)signal(SIGABRT, rig_on_abort);
	rig_sink = tmpfile();
	assert_non_null(rig_sink);
	(void)fflush(stderr);
	rig_old_stderr = dup(STDERR_FILENO);
	assert_int_equal(dup2(fileno(rig_sink), STDERR_FILENO), STDERR_FILENO);
}

static inline void
rig_captured(void)
{
	size_t len;

	(void)signal(SIGABRT, SIG_DFL);
	assert_int_equal(dup2(rig_old_stderr, STDERR_FILENO), STDERR_FILENO);
	(void)close(rig_old_stderr);
	rewind(rig_sink);
	len = fread(rig_log, 1, sizeof rig_log - 1, rig_sink);
	rig_log[len] = '\0';
	(void)fclose(rig_sink);
	rig_sink = NULL;
}

static inline unsigned
rig_lines(const char *text)
{
	unsigned n = 0;

	for (const char *p = rig_log; (p = strstr(p, text)) != NULL; p++)
		n++;
	return n;
}

#endif
