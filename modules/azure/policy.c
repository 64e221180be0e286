/* SPDX-License-Identifier: Apache-2.0
 * policy.c - lists of policies, read and written; ids are built and parsed here alone. */
#include "policy.h"

#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "azure.h"
#include "text/text.h"
#include "text/xml.h"

#include "banned.h"

enum { RANDOM_BYTES = 5, RANDOM_DIGITS = 8, OWNER_DIGITS = 5, PARAMS_DIGITS = 5, TAIL_DIGITS = 10 };

/* ---- the list, as XML ---- */

#define BOM    "\xef\xbb\xbf"
#define BEGIN  "<SignedIdentifier>"
#define END    "</SignedIdentifier>"
#define HEAD   "<?xml version=\"1.0\" encoding=\"utf-8\"?><SignedIdentifiers>"
#define FOOT   "</SignedIdentifiers>"
#define LIST   "SignedIdentifiers"
#define POLICY LIST "/SignedIdentifier"

struct acl_reading {
	struct cosi_call *call;
	struct acl *acl;
	struct acl_policy policy; /* the one that is being read */
	bool is_list;
};

static const struct acl_policy acl_empty_policy = {
	.id = "", .start = "", .expiry = "", .permission = ""
};

static int
acl_element(void *arg, const char *path, char *text, size_t len)
{
	static const char below[] = POLICY "/", own[] = "/SignedIdentifier";
	struct acl_reading *reading = arg;
	struct acl *acl = reading->acl;
	size_t path_len = strlen(path);

	(void)len;
	if (strcmp(path, POLICY "/Id") == 0)
		reading->policy.id = cosi_printf(reading->call, "%s", text);
	if (strcmp(path, POLICY "/AccessPolicy/Start") == 0)
		reading->policy.start = cosi_printf(reading->call, "%s", text);
	if (strcmp(path, POLICY "/AccessPolicy/Expiry") == 0)
		reading->policy.expiry = cosi_printf(reading->call, "%s", text);
	if (strcmp(path, POLICY "/AccessPolicy/Permission") == 0)
		reading->policy.permission = cosi_printf(reading->call, "%s", text);
	if (strcmp(path, LIST) == 0)
		reading->is_list = true;
	if (strcmp(path, LIST) == 0)
		return 0;
	if (strncmp(path, below, strlen(below)) == 0)
		return strcmp(path + path_len - strlen(own), own) == 0 ? -1 : 0;
	if (strcmp(path, POLICY) != 0)
		return -1;
	if (acl->n == ACL_READ_MAX)
		return -1;
	acl->policies[acl->n++] = reading->policy;
	reading->policy = acl_empty_policy;
	return 0;
}

/* Finds the bytes of each policy in a well-formed document.  Without comments, CDATA and
 * instructions '<' is always a tag's, and none of these elements stands in another one, so they are
 * those between the tags. */
static int
acl_cut(const char *text, struct acl *acl)
{
	if (strncmp(text, BOM, strlen(BOM)) == 0)
		text += strlen(BOM);
	if (strncmp(text, "<?xml ", 6) == 0)
		text = strstr(text, "?>");
	if (strstr(text, "<!") != NULL || strstr(text, "<?") != NULL)
		return -1;
	for (size_t i = 0; i < acl->n; i++) {
		const char *begin = strstr(text, BEGIN);
		const char *end = begin != NULL ? strstr(begin, END) : NULL;

		if (end == NULL)
			return -1;
		text = end + strlen(END);
		acl->policies[i].text = (struct cosi_bytes){ begin, (size_t)(text - begin) };
	}
	return strstr(text, BEGIN) == NULL ? 0 : -1;
}

int
acl_read(struct cosi_call *call, struct cosi_bytes document, struct acl *out)
{
	struct acl_reading reading = { .call = call, .acl = out, .policy = acl_empty_policy };

	out->n = 0;
	/* What is written back is UTF-8, so this must be, too. */
	if (!xml_can_hold(document.data, document.len) ||
	    xml_read(document, acl_element, &reading) < 0 || !reading.is_list)
		return -1;
	return acl_cut(document.data, out);
}

const char *
acl_policy_text(struct cosi_call *call, const char *id, const char *permission, const char *expiry)
{
	return cosi_printf(call,
			   BEGIN "<Id>%s</Id><AccessPolicy>%s%s%s<Permission>%s</Permission>"
				 "</AccessPolicy>" END,
			   id, expiry != NULL ? "<Expiry>" : "", expiry != NULL ? expiry : "",
			   expiry != NULL ? "</Expiry>" : "", permission);
}

struct cosi_bytes
acl_write(struct cosi_call *call, const struct acl *acl, const char *more)
{
	const char *text = "";

	for (size_t i = 0; i < acl->n; i++)
		if (!acl->policies[i].dropped)
			text = cosi_printf(call, "%s%.*s", text, (int)acl->policies[i].text.len,
					   (const char *)acl->policies[i].text.data);
	text = cosi_printf(call, "%s%s", text, more);
	if (text[0] == '\0')
		return (struct cosi_bytes){ "", 0 };
	text = cosi_printf(call, HEAD "%s" FOOT, text);
	return (struct cosi_bytes){ text, strlen(text) };
}

/* ---- ids, rights, dates ---- */

#define DIGITS "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567" /* hash_base32()'s */

const char *
policy_rights(uint32_t mode)
{
	switch (mode) {
	case COSI_READ_ONLY:
		return "rl";
	case COSI_WRITE_ONLY:
		return "acw";
	default:
		return "racwdl";
	}
}

/* "": the call has failed. */
static const char *
policy_digits(struct cosi_call *call, const char *text, int n)
{
	char digits[HASH_BASE32_MAX];
	struct hash hash;

	if (hash_sha256(call, text, strlen(text), &hash) < 0)
		return "";
	hash_base32(&hash, digits);
	return cosi_printf(call, "%.*s", n, digits);
}

const char *
policy_new_id(struct cosi_call *call, const struct policy_request *request)
{
	struct hash random = { .bytes = { 0 } };
	char digits[HASH_BASE32_MAX];

	if (call->host->random(call, random.bytes, RANDOM_BYTES) < 0)
		return "";
	hash_base32(&random, digits);
	return cosi_printf(call, "%s.%.*s.%s%s", request->account, RANDOM_DIGITS, digits,
			   policy_digits(call, request->owner, OWNER_DIGITS),
			   policy_digits(call, request->params, PARAMS_DIGITS));
}

/* The last ten digits of an id that cosid can have made; NULL: it cannot.  *out_len: of the account
 * before its first dot. */
static const char *
policy_tail(const char *id, size_t *out_len)
{
	const char *random = strchr(id, '.'), *tail;

	if (random == NULL || strspn(random + 1, DIGITS) != RANDOM_DIGITS)
		return NULL;
	tail = random + 1 + RANDOM_DIGITS;
	if (*tail != '.' || strspn(tail + 1, DIGITS) != TAIL_DIGITS ||
	    tail[1 + TAIL_DIGITS] != '\0')
		return NULL;
	*out_len = (size_t)(random - id);
	return tail + 1;
}

bool
policy_is_owned(struct cosi_call *call, const char *id, const char *owner, const char **out_account)
{
	size_t len;
	const char *tail = policy_tail(id, &len), *account;

	if (tail == NULL ||
	    strncmp(tail, policy_digits(call, owner, OWNER_DIGITS), OWNER_DIGITS) != 0)
		return false;
	account = cosi_printf(call, "%.*s", (int)len, id);
	if (!azure_name_is_account(account))
		return false;
	*out_account = account;
	return true;
}

bool
policy_is_of(struct cosi_call *call, const char *id, const struct policy_request *request)
{
	const char *account;

	return policy_is_owned(call, id, request->owner, &account) &&
	       strcmp(account, request->account) == 0;
}

bool
policy_has_params(struct cosi_call *call, const char *id, const struct policy_request *request)
{
	size_t len;
	const char *tail = policy_tail(id, &len);

	return tail != NULL && strcmp(tail + OWNER_DIGITS,
				      policy_digits(call, request->params, PARAMS_DIGITS)) == 0;
}

int
policy_read_time(const char *text, int64_t *out_seconds)
{
	static const char *const forms[] = { "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d" };

	for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
		struct tm tm = { 0 };
		const char *rest = strptime(text, forms[i], &tm);

		if (rest == NULL)
			continue;
		if (*rest == '.')
			rest += 1 + strspn(rest + 1, "0123456789");
		if (strcmp(rest, "Z") != 0 && (*rest != '\0' || i < 2))
			continue;
		*out_seconds = (int64_t)timegm(&tm);
		return 0;
	}
	return -1;
}
