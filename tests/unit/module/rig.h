/* SPDX-License-Identifier: Apache-2.0
 * rig.h - what the tests of this layer share: files, broken modules, calls without a daemon. */
#ifndef COSID_TESTS_MODULE_RIG_H
#define COSID_TESTS_MODULE_RIG_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "module/backend.h"
#include "module/image.h"
#include "module/instance.h"

/* A new directory under $TMPDIR; the caller removes it with rig_remove(). */
char *rig_dir(void);
/* The directory with all that is in it; frees the name. */
void rig_remove(char *dir);
/* PATH as an arena string of the process's life: "DIR/NAME". */
const char *rig_path(const char *dir, const char *name);
void rig_write(const char *path, const void *bytes, size_t len);
void rig_copy(const char *from, const char *to);
/* The whole file with a NUL after it; free() it. */
char *rig_read(const char *path, size_t *out_len);
/* Descriptors of this process. */
size_t rig_count_fds(void);

/* Loads one module; the image, or NULL with status. */
struct image *rig_load(const char *module_dir, const char *name, struct status *status);

/* A call on a backend of a module that is no file. */
struct rig_call {
	struct cosi_module module;
	struct instance instance;
	struct config_backend config;
	struct backend backend;
	struct arena arena;
	struct status status;
	struct module_call call;
};
void rig_call_init(struct rig_call *rig);
void rig_call_done(struct rig_call *rig);
/* A test whose fixture is a call of a module that uses the network. */
#define RIG_CALL_TEST(test) cmocka_unit_test_setup_teardown(test, rig_call_setup, rig_call_teardown)
int rig_call_setup(void **state);
int rig_call_teardown(void **state);

/* What is said of a module that calls exit(0).  TSan puts in a status of its own, because that is
 * within dlopen(). */
#ifdef __SANITIZE_THREAD__
#define RIG_EXITS "loading ended the process (exit status "
#else
#define RIG_EXITS "loading ended the process (exit status 0)"
#endif

#define rig_assert_has(text, part) rig_has((text), (part), __FILE__, __LINE__)
void rig_has(const char *text, const char *part, const char *file, int line);

#endif
