/* SPDX-License-Identifier: Apache-2.0
 * purge.h - deletes all that is in a bucket, as far as the store lets it go. */
#ifndef LIB_S3_PURGE_H
#define LIB_S3_PURGE_H
#include "s3/s3.h"

/* Deletes every version and delete marker, page by page.  0: none is left.  BUSY: the call's time
 * is nearly up, and the retry goes on; each call begins one page at least.  PRECONDITION: the store
 * keeps a version, because object lock says so; what is on the pages before it is gone.  Unfinished
 * uploads are left to DELETE bucket. */
int s3_purge(struct cosi_call *call, const struct s3_client *client, const char *bucket);

#endif
