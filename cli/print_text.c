/* SPDX-License-Identifier: Apache-2.0
 * print_text.c - lines of a label and a value. */
#include <stdio.h>
#include <string.h>

#include "print.h"
#include "text.h"

#include "banned.h"

enum { LABEL_WIDTH = 20 };

static void
line(struct arena *arena, const char *label, const char *value)
{
	if (value != NULL)
		printf("%-*s %s\n", LABEL_WIDTH, label, text_escape(arena, value, strlen(value)));
}

static void
fields(struct arena *arena, uint32_t protocol, const void *of, const struct answer_field *field)
{
	for (; field->label != NULL; field++)
		line(arena,
		     arena_printf(arena, "%s %s", answer_protocol_name(protocol), field->label),
		     answer_field(of, field));
}

static void
protocols(struct arena *arena, uint32_t served)
{
	const char *list = NULL;

	for (uint32_t bit = 1; bit < 1u << ANSWER_PROTOCOLS; bit <<= 1)
		if ((served & bit) != 0)
			list = arena_printf(arena, "%s%s%s", list != NULL ? list : "",
					    list != NULL ? " " : "", answer_protocol_name(bit));
	line(arena, "protocols", list);
}

static void
done(struct arena *arena, const struct ask *ask)
{
	if (ask->op == ASK_DELETE) {
		line(arena, "deleted", ask->ids[0]);
		printf("Revoke the accesses that named it before a bucket of the same name is "
		       "made:\n"
		       "on some stores their keys would open the new one.\n");
	} else if (ask->op == ASK_REVOKE) {
		for (size_t i = 0; i < ask->nids; i++)
			line(arena, "revoked",
			     arena_printf(arena, "%s from %s", ask->ids[i], ask->account_id));
	}
}

const char *
print_text(struct arena *arena, const struct ask *ask, const struct answer *answer)
{
	line(arena, "driver", answer->driver);
	protocols(arena, answer->protocols);
	line(arena, "account id", answer->account_id);
	for (size_t i = 0; i < answer->nbuckets; i++) {
		const struct answer_bucket *bucket = &answer->buckets[i];

		line(arena, "bucket id", bucket->id);
		for (size_t j = 0; j < bucket->ninfos; j++)
			fields(arena, bucket->infos[j].protocol, &bucket->infos[j],
			       answer_info_fields);
	}
	if (answer->credentials.protocol != 0)
		fields(arena, answer->credentials.protocol, &answer->credentials,
		       answer_credential_fields);
	done(arena, ask);
	return NULL;
}
