/* SPDX-License-Identifier: Apache-2.0
 * made.h - which buckets this very instance has made and not finished yet.
 *
 * For a while nobody else may touch a half-made bucket, because its maker may be at it.  Its maker
 * need not wait for itself: a client that gives up and comes again goes on at once.
 */
#ifndef MINIO_MADE_H
#define MINIO_MADE_H
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* When there are more, the one that counts for the shortest time is forgotten: it has to wait. */
enum { MINIO_MADE_MOST = 64 };

struct minio_made {
	pthread_mutex_t mutex;
	struct {
		char native[64];  /* what a bucket's name holds at most, and its end */
		int64_t until_ms; /* monotonic */
	} list[MINIO_MADE_MOST];
};

/* Any thread.  until_ms: from when on others may take it over. */
void minio_made_add(struct minio_made *made, const char *native, int64_t until_ms);
bool minio_made_has(struct minio_made *made, const char *native, int64_t now_ms);
void minio_made_remove(struct minio_made *made, const char *native);

#endif
