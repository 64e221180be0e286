/* SPDX-License-Identifier: Apache-2.0
 * message.c - texts, memory and dates of answers. */
#include "rpc/message.h"

#include <time.h>

#include "banned.h"

char *
message_text(const char *text)
{
	return text != NULL ? (char *)(uintptr_t)text : (char *)(uintptr_t)protobuf_c_empty_string;
}

void *
message_alloc(struct arena *arena, size_t size, struct status *status)
{
	void *memory = arena_alloc(arena, size);

	if (memory == NULL)
		(void)status_no_memory(status);
	return memory;
}

const char *
message_time(enum message_date form, int64_t epoch_s, struct arena *arena, struct status *status)
{
	enum { LONGEST = 64 };
	const time_t when = (time_t)epoch_s;
	char *text = message_alloc(arena, LONGEST, status);
	size_t len = 0;
	struct tm parts;

	if (text == NULL)
		return NULL;
	if (gmtime_r(&when, &parts) != NULL)
		len = form == MESSAGE_GO
			      ? strftime(text, LONGEST, "%Y-%m-%d %H:%M:%S +0000 UTC", &parts)
			      : strftime(text, LONGEST, "%Y-%m-%dT%H:%M:%SZ", &parts);
	if (len == 0) {
		(void)status_fail(status, COSI_INTERNAL, "%lld is not a date", (long long)epoch_s);
		return NULL;
	}
	return text;
}
