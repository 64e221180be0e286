/* SPDX-License-Identifier: Apache-2.0
 * secret.h - secrets live in wiped memory that stays out of core files, and are known to the log.
 *
 * A secret is never empty and holds no NUL, so its text is a C string.  Thread-safe: a secret does
 * not change after secret_new(), and the registry of known secrets has its own lock.
 */
#ifndef COSID_BASE_SECRET_H
#define COSID_BASE_SECRET_H
#include <stdarg.h>
#include <stddef.h>

struct secret; /* prints as nothing: there is no %s of a struct */

/* Copies len bytes into memory of its own (MADV_DONTDUMP) and registers them for masking when they
 * are at least 8 bytes long.  NULL: no memory. */
struct secret *secret_new(const char *bytes, size_t len);
/* Wipes, unregisters, frees; NULL is fine. */
void secret_free(struct secret *secret);
/* Borrowed; valid until secret_free(). */
const char *secret_text(const struct secret *secret);
size_t secret_len(const struct secret *secret);

/* Overwrites every known secret within text[0..len) with "***" and closes the gap; returns the new
 * length, which is never larger.  For sinks: the log, status texts. */
size_t secret_mask(char *text, size_t len);
/* The same for a text that was cut: what could be the beginning of a secret at its end goes, too.
 */
size_t secret_mask_cut(char *text, size_t len);
/* vsnprintf() into out[size] for what is masked later: a cut leaves no part of a secret. */
void secret_vprintf(char *out, size_t size, const char *fmt, va_list ap)
	__attribute__((format(printf, 3, 0)));
void secret_printf(char *out, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* What messages show of a text that a client or a store has made up: its first 160 bytes; a cut
 * leaves no part of a secret.  NULL: nothing.  "'%s'", secret_shown(name).text */
struct secret_shown {
	char text[160 + 1];
};
struct secret_shown secret_shown(const char *text);

/* malloc family that wipes on free.  base/arena.h counts what libraries take for a call, too. */
void *wiped_malloc(size_t size);
void *wiped_calloc(size_t n, size_t size);
void *wiped_realloc(void *p, size_t size);
void wiped_free(void *p);
char *wiped_strdup(const char *s);

#endif
