/* SPDX-License-Identifier: Apache-2.0
 * acl.c - SignedIdentifiers, read and written. */
#include "acl.h"

#include <string.h>

#include "text/xml.h"

#include "banned.h"

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

static bool
acl_path_ends(const char *path, const char *end)
{
	size_t len = strlen(path), end_len = strlen(end);

	return len >= end_len && strcmp(path + len - end_len, end) == 0;
}

static bool
acl_is_elsewhere(const char *path)
{
	return strcmp(path, LIST) != 0 && strncmp(path, POLICY "/", strlen(POLICY "/")) != 0;
}

static int
acl_element(void *arg, const char *path, char *text, size_t len)
{
	struct acl_reading *reading = arg;
	struct acl *acl = reading->acl;

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
	if (strcmp(path, POLICY) != 0)
		return acl_is_elsewhere(path) || acl_path_ends(path, "/SignedIdentifier") ? -1 : 0;
	if (acl->n == ACL_READ_MAX)
		return -1;
	acl->policies[acl->n++] = reading->policy;
	reading->policy = acl_empty_policy;
	return 0;
}

/* The document is well-formed. */
static const char *
acl_skip_declaration(const char *text)
{
	if (strncmp(text, BOM, strlen(BOM)) == 0)
		text += strlen(BOM);
	return strncmp(text, "<?xml ", 6) == 0 ? strstr(text, "?>") : text;
}

/* Finds the bytes of each policy.  Without comments, CDATA and instructions '<' is always a tag's,
 * and none of these elements stands in another one, so they are those between the tags. */
static int
acl_cut(const char *text, struct acl *acl)
{
	text = acl_skip_declaration(text);
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
