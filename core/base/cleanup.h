/* SPDX-License-Identifier: Apache-2.0
 * cleanup.h - locals that clean up after themselves when their scope ends.
 *
 *   CLEANUP_FREE char *copy = NULL;   CLEANUP_FD int fd = -1;   LOCK_SCOPE(&table->mutex);
 *   return TAKE(copy);   return take_fd(&fd);         hand the pointer, the descriptor on
 */
#ifndef COSID_BASE_CLEANUP_H
#define COSID_BASE_CLEANUP_H
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void
cleanup_free(void *p)
{
	free(*(void **)p);
}

static inline void
cleanup_fd(const int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
}

static inline int
take_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

static inline void
cleanup_file(FILE **file)
{
	if (*file != NULL)
		(void)fclose(*file);
}

static inline void
cleanup_unlock(pthread_mutex_t **mutex)
{
	pthread_mutex_unlock(*mutex);
}

static inline pthread_mutex_t *
cleanup_lock(pthread_mutex_t *mutex)
{
	pthread_mutex_lock(mutex);
	return mutex;
}

#define CLEANUP(fn)  __attribute__((cleanup(fn)))
#define CLEANUP_FREE CLEANUP(cleanup_free)
#define CLEANUP_FD   CLEANUP(cleanup_fd)
#define CLEANUP_FILE CLEANUP(cleanup_file)

#define COSID_CAT_(a, b) a##b
#define COSID_CAT(a, b)  COSID_CAT_(a, b)
#define LOCK_SCOPE(mutex)                                                                          \
	CLEANUP(cleanup_unlock)                                                                    \
	__attribute__((unused)) pthread_mutex_t *COSID_CAT(locked_, __LINE__) = cleanup_lock(mutex)

#define TAKE(p)                                                                                    \
	({                                                                                         \
		__typeof__(p) taken_ = (p);                                                        \
		(p) = NULL;                                                                        \
		taken_;                                                                            \
	})

#endif
