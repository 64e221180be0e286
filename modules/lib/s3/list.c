/* SPDX-License-Identifier: Apache-2.0
 * list.c - readers of list pages. */
#include "s3/list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/cleanup.h"
#include "text/text.h"
#include "text/xml.h"

#include "banned.h"

struct reading {
	s3_item_fn *item;
	void *arg;
	bool encoded, is_list;
	struct s3_page page;
	char *name, *version, *created; /* of the item that is being read; owned */
	size_t name_len;
};

static void
reset(struct reading *reading)
{
	free(reading->name);
	free(reading->version);
	free(reading->created);
	reading->name = reading->version = reading->created = NULL;
}

static int
take_name(struct reading *reading, const char *text, size_t len)
{
	long decoded;

	free(reading->name);
	reading->name = malloc(len + 1);
	if (reading->name == NULL)
		return -1;
	memcpy(reading->name, text, len + 1);
	reading->name_len = len;
	if (!reading->encoded)
		return 0;
	/* MinIO's '+' is a blank; a plus sign itself is encoded by every store. */
	for (char *p = reading->name; *p != '\0'; p++)
		if (*p == '+')
			*p = ' ';
	decoded = uri_decode(reading->name, len);
	reading->name_len = decoded < 0 ? 0 : (size_t)decoded;
	return decoded < 0 ? -1 : 0;
}

static int
take_text(char **field, const char *text)
{
	free(*field);
	*field = strdup(text);
	return *field != NULL ? 0 : -1;
}

static int
end_item(struct reading *reading)
{
	const struct s3_item item = { reading->name, reading->name_len, reading->version,
				      reading->created };
	int rc = item.name == NULL ? -1 : reading->item(reading->arg, &item);

	reading->page.nitems++;
	reset(reading);
	return rc;
}

static bool
is_item(const char *element)
{
	static const char *const items[] = { "Version", "DeleteMarker", "Upload",
					     "Buckets/Bucket" };

	for (size_t i = 0; i < sizeof items / sizeof items[0]; i++)
		if (strcmp(element, items[i]) == 0)
			return true;
	return false;
}

static int
on_element(void *arg, const char *path, char *text, size_t len)
{
	struct reading *reading = arg;
	const char *below = strchr(path, '/'), *leaf = strrchr(path, '/');

	if (below == NULL) {
		size_t root = strlen(path);

		reading->is_list = root > 6 && strcmp(path + root - 6, "Result") == 0;
		return 0;
	}
	below++;
	leaf++;
	if (is_item(below))
		return end_item(reading);
	if (strcmp(below, "IsTruncated") == 0)
		reading->page.truncated = strcmp(text, "true") == 0;
	if (strncmp(below, "Owner/", 6) == 0 || leaf == below)
		return 0;
	if (strcmp(leaf, "Key") == 0 || strcmp(leaf, "Name") == 0)
		return take_name(reading, text, len);
	if (strcmp(leaf, "VersionId") == 0 || strcmp(leaf, "UploadId") == 0)
		return take_text(&reading->version, text);
	if (strcmp(leaf, "CreationDate") == 0)
		return take_text(&reading->created, text);
	return 0;
}

/* The length of a reference to a character that XML 1.0 cannot have ("&#x01;"); 0: it is none. */
static size_t
bad_reference(const char *text)
{
	size_t len = 3, digits;

	if (strncmp(text, "&#x", 3) != 0)
		return 0;
	len += strspn(text + len, "0");
	digits = strspn(text + len, "0123456789abcdefABCDEF");
	if (text[len + digits] != ';' || digits > 2 || (digits == 2 && text[len] != '1'))
		return 0;
	if (digits == 1 && strchr("9aAdD", text[len]) != NULL)
		return 0;
	return len + digits + 1;
}

/* RADOS Gateway 16.2 writes NextKeyMarker as it is even when it was asked to encode names: a key
 * with a control character at the end of a page would make the page unreadable.  Nobody reads that
 * element here, so it may as well say something else. */
static char *
without_bad_references(struct cosi_bytes document)
{
	char *copy = malloc(document.len + 1);

	if (copy == NULL)
		return NULL;
	memcpy(copy, document.data, document.len);
	copy[document.len] = '\0';
	for (char *p = strstr(copy, "&#x"); p != NULL; p = strstr(p + 1, "&#x"))
		memset(p, '?', bad_reference(p));
	return copy;
}

int
s3_list_read(struct cosi_bytes document, bool encoded, s3_item_fn *item, void *arg,
	     struct s3_page *out)
{
	CLEANUP_FREE char *copy = encoded ? without_bad_references(document) : NULL;
	CLEANUP(reset)
	struct reading reading = { .item = item, .arg = arg, .encoded = encoded };

	if (encoded)
		document.data = copy;
	if ((encoded && copy == NULL) || xml_read(document, on_element, &reading) != 0 ||
	    !reading.is_list)
		return -1;
	*out = reading.page;
	return 0;
}

struct result {
	struct s3_delete_errors errors;
	bool is_one;
};

static int
on_deleted(void *arg, const char *path, char *text, size_t len)
{
	struct result *result = arg;
	struct s3_delete_errors *errors = &result->errors;

	(void)len;
	if (strcmp(path, "DeleteResult") == 0)
		result->is_one = true;
	if (strcmp(path, "DeleteResult/Error") == 0)
		errors->n++;
	if (errors->n > 0)
		return 0;
	if (strcmp(path, "DeleteResult/Error/Code") == 0)
		(void)snprintf(errors->code, sizeof errors->code, "%s", text);
	if (strcmp(path, "DeleteResult/Error/Key") == 0)
		(void)snprintf(errors->key, sizeof errors->key, "%s", text);
	return 0;
}

int
s3_list_read_deleted(struct cosi_bytes document, struct s3_delete_errors *out)
{
	struct result result = { .is_one = false };

	if (xml_read(document, on_deleted, &result) != 0 || !result.is_one)
		return -1;
	*out = result.errors;
	return 0;
}
