/* SPDX-License-Identifier: Apache-2.0
 * fuzz_cosictl.c - any bytes as cosictl's command line, and as what a driver answers to it.
 *
 * covers: cli/args.c cli/api.c cli/v1alpha1.c cli/v1alpha2.c cli/print.c cli/admin.c
 *         cli/admin_print.c cli/text.c
 *
 * The words of the command line end with 0xff each, the last one is empty; the rest is the answer.
 * gRPC itself is left out: the linker puts the functions below in place of those that would send.
 */
#include <getopt.h>
#include <grpc/byte_buffer.h>
#include <grpc/grpc.h>
#include <sys/socket.h>
#include <unistd.h>

#include "admin.h"
#include "args.h"
#include "input.h"
#include "text.h"

#include "banned.h"

/* What is answered. */
static struct input driver;

/* ---- in place of gRPC and of the socket ---- */

grpc_call *__wrap_grpc_channel_create_call(grpc_channel *, grpc_call *, uint32_t,
					   grpc_completion_queue *, grpc_slice, const grpc_slice *,
					   gpr_timespec, void *);
grpc_call_error __wrap_grpc_call_start_batch(grpc_call *, const grpc_op *, size_t, void *, void *);
grpc_event __wrap_grpc_completion_queue_pluck(grpc_completion_queue *, void *, gpr_timespec,
					      void *);
void __wrap_grpc_call_unref(grpc_call *);
int __wrap_client_connect(const char *, int64_t);

grpc_call *
__wrap_grpc_channel_create_call(grpc_channel *channel, grpc_call *parent, uint32_t mask,
				grpc_completion_queue *queue, grpc_slice method,
				const grpc_slice *host, gpr_timespec deadline, void *reserved)
{
	(void)channel, (void)parent, (void)mask, (void)queue, (void)method, (void)host;
	(void)deadline, (void)reserved;
	return NULL;
}

/* A first byte of zero: OK and a message; else that status, and its text. */
grpc_call_error
__wrap_grpc_call_start_batch(grpc_call *call, const grpc_op *ops, size_t nops, void *tag,
			     void *reserved)
{
	uint8_t status = input_byte(&driver);
	grpc_slice rest = grpc_slice_from_copied_buffer((const char *)driver.at,
							(size_t)(driver.end - driver.at));

	(void)call, (void)tag, (void)reserved;
	for (size_t i = 0; i < nops; i++) {
		if (ops[i].op == GRPC_OP_RECV_MESSAGE && status == 0)
			*ops[i].data.recv_message.recv_message =
				grpc_raw_byte_buffer_create(&rest, 1);
		if (ops[i].op != GRPC_OP_RECV_STATUS_ON_CLIENT)
			continue;
		*ops[i].data.recv_status_on_client.status = status % 18;
		*ops[i].data.recv_status_on_client.status_details = grpc_slice_ref(rest);
	}
	grpc_slice_unref(rest);
	return GRPC_CALL_OK;
}

grpc_event
__wrap_grpc_completion_queue_pluck(grpc_completion_queue *queue, void *tag, gpr_timespec deadline,
				   void *reserved)
{
	(void)queue, (void)tag, (void)deadline, (void)reserved;
	return (grpc_event){ .type = GRPC_OP_COMPLETE, .success = 1 };
}

void
__wrap_grpc_call_unref(grpc_call *call)
{
	(void)call;
}

int
__wrap_client_connect(const char *path, int64_t timeout_ms)
{
	int fds[2];

	(void)path, (void)timeout_ms;
	must(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == 0);
	(void)!send(fds[1], driver.at, (size_t)(driver.end - driver.at),
		    MSG_NOSIGNAL | MSG_DONTWAIT);
	must(shutdown(fds[1], SHUT_WR) == 0);
	/* What it sends has to be taken; it closes the other end itself. */
	must(dup2(fds[1], 100) == 100 && close(fds[1]) == 0);
	return fds[0];
}

/* ---- what is printed ---- */

/* export NAME='...' and unset NAME, and nothing that a shell would take for anything else. */
static void
check_env(const char *line)
{
	while (*line != '\0') {
		if (strncmp(line, "unset ", 6) == 0) {
			line += 6 + strspn(line + 6, CHARS_UPPER "_");
		} else {
			must(strncmp(line, "export ", 7) == 0);
			line += 7 + strspn(line + 7, CHARS_UPPER "_");
			must(*line++ == '=');
			do {
				must(*line++ == '\'');
				line += strcspn(line, "'");
				must(*line++ == '\'');
			} while (strncmp(line, "\\'", 2) == 0 && *(line += 2) == '\'');
		}
		must(*line++ == '\n');
	}
}

static void
check_printed(const struct args *args, char *printed, size_t len, bool failed)
{
	/* JSON may have it, jansson cannot escape it, and a terminal passes over it. */
	for (char *p = printed; args->output == OUTPUT_JSON && p < printed + len; p++)
		*p = *p == 0x7f ? ' ' : *p;
	must(input_is_clean(printed, len));
	if (failed)
		return;
	if (args->output == OUTPUT_ENV)
		check_env(printed);
	if (args->output == OUTPUT_JSON) {
		json_t *value = json_loadb(printed, len, JSON_REJECT_DUPLICATES, NULL);

		must(json_is_object(value));
		json_decref(value);
	}
}

/* As main.c does it. */
static const char *
run_command(struct arena *arena, const struct args *args)
{
	const char *error = NULL, *code = NULL;
	struct client client = { .arena = arena, .endpoint = args->endpoint };
	json_t *answer;

	if (args->request.op >= OP_STATUS) {
		error = admin_run(arena, args, &code);
		(void)close(100);
		return error;
	}
	answer = json_object();
	if (args->api->calls[args->request.op](&client, &args->request, answer) < 0)
		error = client.error.text;
	else if (arena_failed(arena))
		error = "out of memory";
	else
		error = print_answer(arena, args->output, &args->request, answer);
	json_decref(answer);
	return error;
}

static void
check_command(struct arena *arena, const struct args *args)
{
	FILE *real_out = stdout, *real_err = stderr;
	char *out = NULL, *err = NULL;
	size_t out_len = 0, err_len = 0;
	const char *error, *shown;

	stdout = open_memstream(&out, &out_len);
	stderr = open_memstream(&err, &err_len);
	if (args->help)
		args_help(args->request.op);
	error = args->help || args->version ? NULL : run_command(arena, args);
	(void)fclose(stdout);
	(void)fclose(stderr);
	stdout = real_out;
	stderr = real_err;
	must(out != NULL && err != NULL);
	must(input_is_clean(err, err_len));
	if (args->help)
		must(out_len > 0);
	else if (!args->version)
		check_printed(args, out, out_len, error != NULL);
	if (error != NULL) {
		shown = text_escape(arena, error, strlen(error));
		must(input_is_clean(shown, strlen(shown)));
	}
	free(out);
	free(err);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum { WORDS = 32, MEMORY = 128 << 20 };
	char program[] = "cosictl", *words[WORDS + 2] = { program };
	const char *error = NULL;
	struct args args;
	struct arena arena;
	int n = 1;

	driver = (struct input){ data, data + size };
	while (n <= WORDS && driver.at < driver.end && *driver.at != 0xff)
		words[n++] = input_text(&driver);
	(void)input_byte(&driver);
	(void)unsetenv("COSI_ENDPOINT");
	arena_init(&arena, MEMORY);
	optind = 0;
	opterr = 0;
	if (args_parse(&args, n, words, &arena, &error) == 0) {
		must(args.help || args.version || strncmp(args.endpoint, "unix:///", 8) == 0);
		must(args.help || args.version || (args.timeout_ms > 0 && args.request.op > 0));
		check_command(&arena, &args);
	} else if (error != NULL) {
		error = text_escape(&arena, error, strlen(error));
		must(error[0] != '\0' && input_is_clean(error, strlen(error)));
	}
	arena_done(&arena);
	for (int i = 1; i < n; i++)
		free(words[i]);
	return 0;
}
