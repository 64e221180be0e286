/* SPDX-License-Identifier: Apache-2.0
 * status.h - how a layer says what went wrong: a code and a text for people.
 *
 * The first code wins; each later text is put in front of what is there, so that the reader
 * sees the wide view first: "cannot grant 'ba-1' on 'photos': cannot create user: timed out".
 * Texts follow the rule of cosi_module.h: lower case, no full stop, never a secret.
 */
#ifndef COSID_BASE_STATUS_H
#define COSID_BASE_STATUS_H
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include "cosi_module.h"

/* A grpc-message above some kilobytes costs the client the status itself. */
enum { STATUS_TEXT_MAX = 1024 };

struct status {
	uint32_t code; /* enum cosi_code */
	char text[STATUS_TEXT_MAX];
};

/* Always returns -1, so that a function can end with it.  code 0 adds context only: what is
 * there stays, or becomes COSI_INTERNAL.  Over-long text is cut at its end, on a UTF-8 border,
 * and never within a secret. */
int status_fail(struct status *status, uint32_t code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int status_vfail(struct status *status, uint32_t code, const char *fmt, va_list ap)
	__attribute__((format(printf, 3, 0)));
/* The one code and text for it, EXHAUSTED: a later retry can succeed. */
int status_no_memory(struct status *status);
static inline bool
status_ok(const struct status *status)
{
	return status->code == COSI_OK;
}
/* The gRPC name of an enum cosi_code, "FAILED_PRECONDITION" and so on: people see no other names of
 * codes.  Never NULL. */
const char *status_code_name(uint32_t code);
/* The name of a grpc_status_code; never NULL. */
const char *status_grpc_name(unsigned grpc);

#endif
