/* SPDX-License-Identifier: Apache-2.0
 * load_check.h - loading modules and opening backends in a child process first.
 *
 * A constructor or an open() that crashes, ends the process, never returns or leaves a process
 * running takes down a child instead of the daemon, and the error names it.
 *
 *   daemon                                      child: load_check_child()
 *   the first step       ── fork or spawn ────►
 *   load_check_module()  ── request, file ────► dlopen, ABI check, dlclose
 *                        ◄── reply ────────────
 *   load_check_open()    ── request, file, settings ─► dlopen, open(), close(), dlclose
 *                        ◄── reply before each of the module's functions, and at the end
 *   load_check_end()     ── kill ─────────────►
 *
 * A start forks; a reload, when there are threads, spawns /proc/self/exe --load-check.
 *
 * The settings, secrets among them, go through a socket pair that no other process has.
 */
#ifndef COSID_MODULE_LOAD_CHECK_H
#define COSID_MODULE_LOAD_CHECK_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/status.h"
#include "module/file.h"

/* How long each step, and each function of the module in it, may take.  Hosts where many daemons
 * start at once are slow; sanitized programs are ten times slower. */
#ifdef COSID_SANITIZED
#define LOAD_CHECK_LIMIT_MS 20000
#else
#define LOAD_CHECK_LIMIT_MS 10000
#endif
#define LOAD_CHECK_OPTION "--load-check"

struct load_check {
	int64_t limit_ms;
	pid_t pid; /* 0: there is no child */
	int fd;    /* owned while there is one */
};

/* Nothing is started yet; each step starts a child when there is none. */
void load_check_init(struct load_check *check, int64_t limit_ms);
/* 0: the file can be loaded and unloaded, and passes the ABI check; or -1 with the reason. */
int load_check_module(struct load_check *check, const struct module_file *file,
		      struct status *status);
/* What open() sees of its backend. */
struct load_check_backend {
	const char *name, *endpoint, *public_url; /* the last two may be NULL */
	const void *settings;                     /* settings_encode()'s */
	size_t settings_len;
};
/* 0: the backend's open() and close() return, or the module has none; or -1 with the reason.  An
 * error that open() itself reports is none here: the caller's own open() reports it, too. */
int load_check_open(struct load_check *check, const struct module_file *file,
		    const struct load_check_backend *backend, struct status *status);
void load_check_end(struct load_check *check);

/* The child's whole life, for a program that was started with LOAD_CHECK_OPTION as its only
 * argument: an exit status. */
int load_check_child(void);

/* What the two say to each other: a request, its settings behind it; a reply. */
#define LOAD_CHECK_LOADS "loading" /* or unloading: constructors and destructors run */
enum { LOAD_CHECK_FD = 3, LOAD_CHECK_URL_MAX = 2048, LOAD_CHECK_WHAT_MAX = MODULE_NAME_MAX + 32 };
struct load_check_request {
	bool opens;
	char module[MODULE_NAME_MAX + 1], backend[MODULE_NAME_MAX + 1];
	char endpoint[LOAD_CHECK_URL_MAX], public_url[LOAD_CHECK_URL_MAX]; /* empty: none */
	size_t settings_len;
};
struct load_check_reply {
	char enters[LOAD_CHECK_WHAT_MAX]; /* what may not return from here on; empty: the end */
	char error[STATUS_TEXT_MAX];      /* at the end; empty: the step succeeded */
};
/* In the child, before a function of the module is called; NULL: they are over. */
void load_check_enters(const struct cosi_module *module, const char *function);

#endif
