/* SPDX-License-Identifier: Apache-2.0
 * json.h - JSON documents as the texts that requests and records are made of. */
#ifndef LIB_REST_JSON_H
#define LIB_REST_JSON_H
#include <jansson.h>

#include "cosi_module.h"

/* The document as compact text, its members in the order in which they were put in; from the call's
 * memory.  Frees the document, as in rest_json(call, json_pack(...)).  NULL: the call has failed;
 * so it does when document is NULL, for want of memory. */
const char *rest_json(struct cosi_call *call, json_t *document);
/* The text of a member, from the call's memory; "" when there is no such member or it is no text.
 */
const char *rest_json_text(struct cosi_call *call, const json_t *object, const char *key);

#endif
