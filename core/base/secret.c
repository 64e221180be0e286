/* SPDX-License-Identifier: Apache-2.0
 * secret.c - one mapping per secret, a list of those that the log masks, allocators that wipe.
 *
 * MADV_DONTDUMP counts whole pages, which is why a secret has pages of its own.
 */
#include "base/secret.h"

#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"

#include "banned.h"

enum { MASK_LEAST = 8 }; /* shorter ones are words that occur by themselves */
static const char stars[] = "***";

struct secret {
	size_t mapped; /* bytes of the mapping, this header included */
	size_t len;
	struct secret *next, *prev; /* of the registry; borrowed */
	char text[];
};

/* Process-wide, because every sink masks the secrets of all owners. */
static struct {
	pthread_mutex_t mutex;
	struct secret *head;
	unsigned first[256]; /* how many secrets begin with that byte */
} registry = { .mutex = PTHREAD_MUTEX_INITIALIZER };

struct secret *
secret_new(const char *bytes, size_t len)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct secret *secret;
	size_t size;

	if (len > SIZE_MAX / 2)
		return NULL;
	size = (sizeof *secret + len + 1 + page - 1) / page * page;
	secret = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (secret == MAP_FAILED)
		return NULL;
	/* A second defence: the process is not dumpable. */
	(void)madvise(secret, size, MADV_DONTDUMP);
	secret->mapped = size;
	secret->len = len;
	memcpy(secret->text, bytes, len);
	if (len < MASK_LEAST)
		return secret;
	LOCK_SCOPE(&registry.mutex);
	secret->next = registry.head;
	if (secret->next != NULL)
		secret->next->prev = secret;
	registry.head = secret;
	registry.first[(unsigned char)secret->text[0]]++;
	return secret;
}

void
secret_free(struct secret *secret)
{
	size_t mapped;

	if (secret == NULL)
		return;
	if (secret->len >= MASK_LEAST) {
		LOCK_SCOPE(&registry.mutex);

		registry.first[(unsigned char)secret->text[0]]--;
		if (secret->next != NULL)
			secret->next->prev = secret->prev;
		if (secret->prev != NULL)
			secret->prev->next = secret->next;
		else
			registry.head = secret->next;
	}
	mapped = secret->mapped;
	explicit_bzero(secret, mapped);
	(void)munmap(secret, mapped);
}

const char *
secret_text(const struct secret *secret)
{
	return secret->text;
}

size_t
secret_len(const struct secret *secret)
{
	return secret->len;
}

/* Length of the longest known secret that text begins with, or 0.  cut: the text went on,
 * so all of it may be the beginning of one. */
static size_t
longest_at(const char *text, size_t len, bool cut)
{
	size_t longest = 0;

	if (registry.first[(unsigned char)text[0]] == 0)
		return 0;
	for (const struct secret *s = registry.head; s != NULL; s = s->next) {
		size_t shown = s->len > len && cut ? len : s->len;

		if (shown > longest && shown <= len && memcmp(s->text, text, shown) == 0)
			longest = shown;
	}
	return longest;
}

/* Secrets that overlap are one gap.  The stars are written when the gap ends, never over
 * what is still to be compared: a gap is longer than they are, but for one at a cut. */
static size_t
mask(char *text, size_t len, bool cut)
{
	size_t out = 0, gap = 0; /* gap: where the current one ends */

	LOCK_SCOPE(&registry.mutex);

	for (size_t i = 0; i < len; i++) {
		size_t match = longest_at(text + i, len - i, cut);

		if (match > 0 && i + match > gap)
			gap = i + match;
		if (i >= gap) {
			text[out++] = text[i];
		} else if (i + 1 == gap && gap - out >= sizeof stars - 1) {
			memcpy(text + out, stars, sizeof stars - 1);
			out += sizeof stars - 1;
		}
	}
	return out;
}

size_t
secret_mask(char *text, size_t len)
{
	return mask(text, len, false);
}

size_t
secret_mask_cut(char *text, size_t len)
{
	return mask(text, len, true);
}

void
secret_vprintf(char *out, size_t size, const char *fmt, va_list ap)
{
	int len = vsnprintf(out, size, fmt, ap);

	if (len < 0)
		out[0] = '\0';
	else if ((size_t)len >= size)
		out[secret_mask_cut(out, size - 1)] = '\0';
}

void
secret_printf(char *out, size_t size, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	secret_vprintf(out, size, fmt, ap);
	va_end(ap);
}

struct secret_shown
secret_shown(const char *text)
{
	struct secret_shown shown;

	secret_printf(shown.text, sizeof shown.text, "%s", text != NULL ? text : "");
	return shown;
}

void *
wiped_malloc(size_t size)
{
	return malloc(size);
}

void *
wiped_calloc(size_t n, size_t size)
{
	return calloc(n, size);
}

void
wiped_free(void *p)
{
	if (p == NULL)
		return;
	explicit_bzero(p, malloc_usable_size(p));
	free(p);
}

/* Never in place: realloc() would leave the old bytes behind when it moves. */
void *
wiped_realloc(void *p, size_t size)
{
	size_t old = p == NULL ? 0 : malloc_usable_size(p);
	void *fresh = malloc(size == 0 ? 1 : size);

	if (fresh == NULL)
		return NULL;
	if (p != NULL)
		memcpy(fresh, p, old < size ? old : size);
	wiped_free(p);
	return fresh;
}

char *
wiped_strdup(const char *s)
{
	size_t size = strlen(s) + 1;
	char *copy = malloc(size);

	return copy == NULL ? NULL : memcpy(copy, s, size);
}
