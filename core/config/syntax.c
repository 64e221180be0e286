/* SPDX-License-Identifier: Apache-2.0
 * syntax.c - names and addresses, character by character. */
#include "config/value.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "base/parse.h"

#include "banned.h"

/* Does text[0..len) consist of these characters alone? */
static bool
syntax_consists_of(const char *text, size_t len, const char *set)
{
	for (size_t i = 0; i < len; i++)
		if (text[i] == '\0' || strchr(set, text[i]) == NULL)
			return false;
	return true;
}

const char *
syntax_text(const char *text)
{
	size_t len = strlen(text);

	if (len == 0)
		return "expected a text, found an empty one";
	if (len > SYNTAX_TEXT_MAX)
		return "the text is longer than 4096 bytes";
	if (!parse_utf8(text, len))
		return "the text is not UTF-8";
	return chars_clean_len(text, len) < len ? "the text holds a control character" : NULL;
}

const char *
syntax_driver_name(const char *text)
{
	static const char reason[] = "expected a DNS name (RFC 1035) in lower case: labels of "
				     "a-z, 0-9 and '-' that begin with a letter, end with a letter "
				     "or digit, with a dot between them, 63 characters at most";
	const char *label = text;
	size_t len;

	if (strlen(text) > SYNTAX_DRIVER_NAME_MAX)
		return reason;
	for (;;) {
		len = strcspn(label, ".");
		if (len == 0 || !chars_is_lower((unsigned char)label[0]) || label[len - 1] == '-' ||
		    !syntax_consists_of(label, len, CHARS_LOWER CHARS_DIGIT "-"))
			return reason;
		if (label[len] == '\0')
			return NULL;
		label += len + 1;
	}
}

const char *
syntax_backend_name(const char *text)
{
	size_t len = strlen(text);

	if (len >= 1 && len <= 32 && text[0] != '-' && text[len - 1] != '-' &&
	    chars_only(text, CHARS_LOWER CHARS_DIGIT "-"))
		return NULL;
	return "expected 1 to 32 characters of a-z, 0-9 and '-', with a letter or digit at both "
	       "ends";
}

/* What is allowed in the tags of all stores, less the colon, which divides the marks of accounts.
 */
const char *
syntax_owner(const char *text)
{
	size_t len = strlen(text);

	if (len >= 1 && len <= SYNTAX_OWNER_MAX && chars_only(text, CHARS_ALNUM "._/@+=-"))
		return NULL;
	return "expected 1 to 63 characters of a-z, A-Z, 0-9 and . _ / @ + = -";
}

const char *
syntax_path(const char *text)
{
	if (text[0] != '/')
		return "expected an absolute path";
	return strlen(text) < PATH_MAX ? NULL : "the path is longer than 4095 bytes";
}

const char *
syntax_endpoint(const char *text, const char **out_path)
{
	static const char scheme[] = "unix://", suffix[] = ".sock";
	const char *path;
	size_t len;

	if (strncmp(text, scheme, sizeof scheme - 1) != 0 || text[sizeof scheme - 1] != '/')
		return "expected unix:///absolute/path.sock: only a UNIX socket is served";
	path = text + sizeof scheme - 1;
	len = strlen(path);
	if (len > SYNTAX_SOCKET_PATH_MAX)
		return "the path of a UNIX socket has 107 bytes at most";
	if (len < sizeof suffix || strcmp(path + len - (sizeof suffix - 1), suffix) != 0)
		return "the name of the socket must end in .sock";
	if (path[len - sizeof suffix] == '/')
		return "the name of the socket is empty";
	if (!chars_only(path, CHARS_ALNUM "/._-+@:,=~"))
		return "the path may consist of letters, digits and / . _ - + @ : , = ~";
	*out_path = path;
	return NULL;
}

/* The host and its port: text[0..len), before the path of a URL. */
static const char *
check_authority(const char *text, size_t len)
{
	const char *bracket = text[0] == '[' ? memchr(text, ']', len) : NULL;
	size_t host = bracket != NULL ? (size_t)(bracket - text) + 1 : strcspn(text, ":/");
	char digits[6] = "";
	int64_t port;

	if (host > len)
		host = len;
	if (memchr(text, '@', len) != NULL)
		return "no user or password within a URL";
	if (host == 0 || host > 253)
		return "expected a host of 1 to 253 characters after http:// or https://";
	if (text[0] == '[') {
		if (host <= 4 || text[host - 1] != ']' ||
		    !syntax_consists_of(text + 1, host - 2, "abcdefABCDEF:." CHARS_DIGIT))
			return "expected an IPv6 address within the brackets";
	} else if (!syntax_consists_of(text, host, CHARS_ALNUM "._-") ||
		   !chars_is_alnum((unsigned char)text[0])) {
		return "expected a host of letters, digits, dots and hyphens";
	}
	if (host == len)
		return NULL;
	if (text[host] != ':')
		return "expected a port after the address";
	if (len - host - 1 < sizeof digits) {
		memcpy(digits, text + host + 1, len - host - 1);
		if (parse_int(digits, &port) == 0 && port >= 1 && port <= 65535)
			return NULL;
	}
	return "expected a port of 1 to 65535";
}

static const char *
check_url_path(const char *path)
{
	if (strpbrk(path, "?#") != NULL)
		return "no query and no fragment within this URL";
	/* A client may drop such segments on its own, and a signature would no longer fit. */
	for (const char *p = path; *p == '/'; p += strcspn(p, "/")) {
		size_t len = strcspn(++p, "/");

		if (len == 0 || (len <= 2 && strspn(p, ".") >= len))
			return "no empty and no dot segments within the path of this URL";
	}
	if (!syntax_consists_of(path, strlen(path), CHARS_ALNUM "/-._~!$&'()*+,;=:@%"))
		return "expected a path of the characters that RFC 3986 allows";
	return NULL;
}

const char *
syntax_url(struct arena *arena, const char *text, const char **out_url)
{
	const char *rest = NULL, *reason;
	size_t len = strlen(text), authority;
	char *copy;

	if (len > SYNTAX_URL_MAX)
		return "the URL is longer than 1024 bytes";
	if (strncmp(text, "http://", 7) == 0)
		rest = text + 7;
	else if (strncmp(text, "https://", 8) == 0)
		rest = text + 8;
	if (rest == NULL)
		return "expected a URL with http:// or https://";
	authority = strcspn(rest, "/?#");
	reason = check_authority(rest, authority);
	if (reason != NULL)
		return reason;
	while (len > (size_t)(rest - text) + authority && text[len - 1] == '/')
		len--;
	copy = arena_strndup(arena, text, len);
	*out_url = copy;
	return arena_failed(arena) ? "out of memory"
				   : check_url_path(copy + (rest - text) + authority);
}
