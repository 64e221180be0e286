/* SPDX-License-Identifier: Apache-2.0
 * memory.c - memory and threads that run out, at the allocation that the test names. */
#include "fakes/memory.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "banned.h"

/* More than any test allocates. */
enum { MOST = 1000000 };

/* So many more succeed, then one fails. */
static atomic_int left = MOST;
static _Thread_local bool spared;

void
memory_fail_after(int n)
{
	atomic_store(&left, n);
}

bool
memory_has_failed(void)
{
	return atomic_exchange(&left, MOST) < 0;
}

void
memory_spare(bool on)
{
	spared = on;
}

static bool
fails(void)
{
	return !spared && atomic_fetch_sub(&left, 1) == 0;
}

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *
__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *
__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

void *__real_realloc(void *p, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *
__wrap_realloc(void *p, size_t size)
{
	return fails() ? NULL : __real_realloc(p, size);
}

void *__real_reallocarray(void *p, size_t n, size_t size);
void *__wrap_reallocarray(void *p, size_t n, size_t size);
void *
__wrap_reallocarray(void *p, size_t n, size_t size)
{
	return fails() ? NULL : __real_reallocarray(p, n, size);
}

char *__real_strdup(const char *s);
char *__wrap_strdup(const char *s);
char *
__wrap_strdup(const char *s)
{
	return fails() ? NULL : __real_strdup(s);
}

int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __wrap_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int
__wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *),
		      void *arg)
{
	return fails() ? EAGAIN : __real_pthread_create(thread, attr, start, arg);
}
