/* SPDX-License-Identifier: Apache-2.0
 * status.c - sticky codes, texts that grow to the front. */
#include "base/status.h"

#include <stdio.h>
#include <string.h>

#include "base/secret.h"

#include "banned.h"

int
status_vfail(struct status *status, uint32_t code, const char *fmt, va_list ap)
{
	char *text = status->text, before[STATUS_TEXT_MAX];
	size_t end;
	int len;

	if (status->code == COSI_OK)
		status->code = code != COSI_OK ? code : COSI_INTERNAL;
	memcpy(before, text, sizeof before);
	len = vsnprintf(text, STATUS_TEXT_MAX, fmt, ap);
	if (len >= 0 && len < STATUS_TEXT_MAX && before[0] != '\0')
		len += snprintf(text + len, STATUS_TEXT_MAX - (size_t)len, ": %s", before);
	if (len >= 0 && len < STATUS_TEXT_MAX)
		return -1;
	end = secret_mask_cut(text, strlen(text));
	/* Back to the last whole UTF-8 character. */
	while (end > 0 && ((unsigned char)text[end - 1] & 0xc0u) == 0x80u)
		end--;
	if (end > 0 && (unsigned char)text[end - 1] >= 0xc0u)
		end--;
	text[end] = '\0';
	return -1;
}

int
status_fail(struct status *status, uint32_t code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	(void)status_vfail(status, code, fmt, ap);
	va_end(ap);
	return -1;
}

int
status_no_memory(struct status *status)
{
	return status_fail(status, COSI_EXHAUSTED, "out of memory");
}

const char *
status_grpc_name(unsigned grpc)
{
	/* In the order of their numbers. */
	static const char *const names[] = {
		"OK",
		"CANCELLED",
		"UNKNOWN",
		"INVALID_ARGUMENT",
		"DEADLINE_EXCEEDED",
		"NOT_FOUND",
		"ALREADY_EXISTS",
		"PERMISSION_DENIED",
		"RESOURCE_EXHAUSTED",
		"FAILED_PRECONDITION",
		"ABORTED",
		"OUT_OF_RANGE",
		"UNIMPLEMENTED",
		"INTERNAL",
		"UNAVAILABLE",
		"DATA_LOSS",
		"UNAUTHENTICATED",
	};

	return grpc < sizeof names / sizeof names[0] ? names[grpc] : "UNKNOWN";
}

const char *
status_code_name(uint32_t code)
{
	/* gRPC's numbers. */
	static const unsigned char grpc[] = {
		[COSI_OK] = 0,           [COSI_INVALID] = 3,   [COSI_OUT_OF_RANGE] = 11,
		[COSI_EXISTS] = 6,       [COSI_NOT_FOUND] = 5, [COSI_PRECONDITION] = 9,
		[COSI_DENIED] = 7,       [COSI_BUSY] = 10,     [COSI_UNAUTHENTICATED] = 16,
		[COSI_UNAVAILABLE] = 14, [COSI_TIMEOUT] = 4,   [COSI_EXHAUSTED] = 8,
		[COSI_UNSUPPORTED] = 12, [COSI_INTERNAL] = 13,
	};

	return status_grpc_name(code < sizeof grpc ? grpc[code] : 2);
}
