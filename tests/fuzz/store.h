/* SPDX-License-Identifier: Apache-2.0
 * store.h - a module's handlers against a store that says what the fuzzer says.
 *
 * Each request takes a byte of the input, which picks what is answered: one of the answers that the
 * target's table has for such a request, that answer with some of its bytes exchanged, what was
 * last written with that query, any bytes at all, or none.  So inputs get deep into a handler, and
 * break it off anywhere.
 */
#ifndef FUZZ_STORE_H
#define FUZZ_STORE_H
#include "base/arena.h"
#include "host.h"
#include "input.h"

#define STORE_OWNER  "cosid.example.org"
#define STORE_PARAMS "1:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* What an honest store may answer. */
struct honest {
	const char *request; /* what "METHOD path?query" contains, "..." standing for anything */
	int status;
	const char *body; /* NULL: none */
};

enum { STORE_HEADERS = 7, STORE_WRITES = 4 };
struct store {
	struct host host;   /* first */
	struct arena arena; /* what jansson and expat take is charged to it */
	struct input *in;
	const struct cosi_module *module;
	const struct honest *honest;
	size_t nhonest;
	/* The first is what all answers of the store have, unless the input leaves it out. */
	struct cosi_kv headers[STORE_HEADERS];
	struct {
		const char *query;
		struct cosi_bytes body;
	} writes[STORE_WRITES];
	size_t nwrites;
};

/* One call per input: the handler, its request and all answers. */
void store_call(struct store *store, void *instance, const uint8_t *data, size_t size);

#endif
