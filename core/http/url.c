/* SPDX-License-Identifier: Apache-2.0
 * url.c - base URLs in pieces, and the host that virtual-style requests go to. */
#include "http/url.h"

#include <stdbool.h>
#include <string.h>

#include "base/parse.h"
#include "http/http.h"

#include "banned.h"

enum { LABEL_MAX = 255, PORT_MAX = 65535 };

static bool
is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '-' || c == '.' || c == '_';
}

static bool
name_ok(const char *name, size_t len)
{
	if (len == 0 || len > LABEL_MAX || name[0] == '.')
		return false;
	for (size_t i = 0; i < len; i++)
		if (!is_name_char(name[i]))
			return false;
	return true;
}

static bool
ipv6_ok(const char *host, size_t len)
{
	return len > 2 && strspn(host + 1, "0123456789abcdefABCDEF:.") == len - 2;
}

bool
url_target_ok(const char *text)
{
	for (const char *p = text; *p != '\0'; p++)
		if (*p <= ' ' || *p > '~' || *p == '#')
			return false;
	return true;
}

/* The length of "host" in "host:port" or "host"; *out_port points after the colon, or is NULL. */
static size_t
split_port(const char *authority, size_t len, const char **out_port)
{
	const char *from = authority[0] == '[' ? memchr(authority, ']', len) : authority;
	const char *colon =
		from == NULL ? NULL : memchr(from, ':', len - (size_t)(from - authority));

	*out_port = colon == NULL ? NULL : colon + 1;
	return colon == NULL ? len : (size_t)(colon - authority);
}

/* The port as it is sent, "" for the scheme's own; NULL when it is none. */
static const char *
port_of(struct arena *arena, bool tls, const char *port, const char *end)
{
	const char *word;
	int64_t number;

	if (port == NULL)
		return "";
	word = arena_strndup(arena, port, (size_t)(end - port));
	if (parse_int(word, &number) != 0 || number < 1 || number > PORT_MAX)
		return NULL;
	if (number == (tls ? 443 : 80))
		return "";
	return arena_printf(arena, ":%d", (int)number);
}

static const char *
prefix_of(struct arena *arena, const char *path)
{
	size_t len = strlen(path);

	while (len > 0 && path[len - 1] == '/')
		len--;
	return arena_strndup(arena, path, len);
}

int
url_split(struct arena *arena, const char *base, const char *host_label, struct url *out)
{
	bool tls = strncmp(base, "https://", 8) == 0;
	const char *authority = base + (tls ? 8 : 7), *end, *port;
	size_t host_len;

	*out = (struct url){ { "", "", "" }, "" };
	if (!tls && strncmp(base, "http://", 7) != 0)
		return -1;
	end = authority + strcspn(authority, "/?#");
	if (end == authority || !url_target_ok(end) || strchr(end, '?') != NULL)
		return -1;
	host_len = split_port(authority, (size_t)(end - authority), &port);
	port = port_of(arena, tls, port, end);
	if (port == NULL)
		return -1;
	if (authority[0] == '[' ? !ipv6_ok(authority, host_len) || authority[host_len - 1] != ']'
				: !name_ok(authority, host_len))
		return -1;
	if (host_label != NULL && (authority[0] == '[' || !name_ok(host_label, strlen(host_label))))
		return -1;
	out->wire.scheme = tls ? "https" : "http";
	out->wire.host =
		arena_printf(arena, "%s%s%.*s%s", host_label != NULL ? host_label : "",
			     host_label != NULL ? "." : "", (int)host_len, authority, port);
	out->wire.path = prefix_of(arena, end);
	out->origin = arena_printf(arena, "%s://%s", out->wire.scheme, out->wire.host);
	return 0;
}

const struct cosi_url *
http_url(struct arena *arena, const char *base, const char *host_label)
{
	static const struct cosi_url nothing = { "", "", "" };
	struct cosi_url *wire = arena_alloc(arena, sizeof *wire);
	struct url url;

	if (wire == NULL)
		return &nothing;
	(void)url_split(arena, base, host_label, &url);
	*wire = url.wire;
	return wire;
}
