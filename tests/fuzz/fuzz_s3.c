/* SPDX-License-Identifier: Apache-2.0
 * fuzz_s3.c - any bytes as XML, a tag set, a page of a list, a policy, an error of S3.
 *
 * covers: modules/lib/text/xml.c modules/lib/text/text.c modules/lib/s3/policy.c
 *
 * The first byte picks the reader, the second its options; the rest is the document.  What is read
 * and written again reads the same.
 */
#include "host.h"
#include "input.h"
#include "rest/rest.h"
#include "s3/name.h"
#include "s3/policy.h"
#include "s3/store.h"
#include "text/text.h"
#include "text/xml.h"

#include "banned.h"

/* ---- XML ---- */

struct elements {
	unsigned n, stop_at; /* 0: never */
	char first[XML_PATH_MAX];
};

static int
on_any_element(void *arg, const char *path, char *text, size_t len)
{
	struct elements *seen = arg;

	must(strlen(path) < XML_PATH_MAX && len <= XML_TEXT_MAX && text[len] == '\0');
	must(parse_utf8_char(path, strlen(path), &(uint32_t){ 0 }) > 0);
	if (seen->n++ == 0)
		(void)snprintf(seen->first, sizeof seen->first, "%s", path);
	return seen->n == seen->stop_at ? 1 : 0;
}

static void
check_xml(struct cosi_bytes document, unsigned option)
{
	struct elements seen = { .stop_at = option };
	int rc = xml_read(document, on_any_element, &seen);
	char found[8] = "";

	must(rc == 0 ? seen.n > 0 : rc == -1);
	if (seen.n > 0)
		must(xml_find(document, seen.first, found, sizeof found));
	must(memchr(found, '\0', sizeof found) != NULL);
	must(!xml_find(document, "", found, sizeof found));
}

static int
on_same_text(void *arg, const char *path, char *text, size_t len)
{
	const struct cosi_bytes *expected = arg;

	must(strcmp(path, "a") == 0 && len == expected->len);
	must(len == 0 || memcmp(text, expected->data, len) == 0);
	return 0;
}

/* What XML can hold comes back as it was written. */
static void
check_escaped(struct cosi_bytes text)
{
	char *written = NULL;
	size_t len = 0;
	FILE *out;

	if (!xml_can_hold(text.data, text.len) || text.len > XML_TEXT_MAX)
		return;
	out = open_memstream(&written, &len);
	must(out != NULL);
	(void)fputs("<a>", out);
	xml_write(out, text.data, text.len);
	(void)fputs("</a>", out);
	must(fclose(out) == 0);
	must(xml_read((struct cosi_bytes){ written, len }, on_same_text, &text) == 0);
	free(written);
}

/* ---- tags ---- */

static void
check_tags(struct cosi_call *call, struct cosi_bytes document)
{
	static const struct cosi_mark mark = { "cosid.example.org", "my photos", "1:00" };
	struct s3_tags tags, again;
	struct cosi_bucket bucket = { .ours = false };

	if (s3_tags_read(call, document, &tags) < 0)
		return;
	must(tags.n <= S3_TAGS_MAX);
	must(s3_tags_read(call, s3_tags_write(call, &tags), &again) == 0 && again.n == tags.n);
	for (size_t i = 0; i < tags.n; i++)
		must(strcmp(tags.kv[i].key, again.kv[i].key) == 0 &&
		     strcmp(tags.kv[i].value, again.kv[i].value) == 0);
	if (s3_tags_mark(call, &tags, &mark, true) < 0)
		return;
	s3_tags_judge(&tags, &mark, &bucket);
	must(bucket.ours && !bucket.unfinished && strcmp(bucket.params, mark.params) == 0);
}

/* ---- lists ---- */

static int
on_any_item(void *arg, const struct s3_item *item)
{
	size_t *n = arg;

	must(item->name != NULL && item->name[item->len] == '\0');
	(*n)++;
	return 0;
}

static void
check_list(struct cosi_bytes document, unsigned option)
{
	struct s3_delete_errors errors = { .n = 0 };
	struct s3_page page = { .nitems = 0 };
	size_t n = 0;

	if (s3_list_read(document, (option & 1) != 0, on_any_item, &n, &page) == 0)
		must(page.nitems == n);
	if (s3_list_read_deleted(document, &errors) == 0)
		must(strlen(errors.code) < sizeof errors.code &&
		     strlen(errors.key) < sizeof errors.key);
}

/* ---- policies ---- */

#define LIST(...) ((const char *const[]){ __VA_ARGS__, NULL })
static const struct s3_policy_modes
	modes = { .of = {
			  [COSI_READ_WRITE] = { LIST("s3:ListBucket"),
						LIST("s3:GetObject", "s3:PutObject"), NULL },
			  [COSI_READ_ONLY] = { LIST("s3:ListBucket"), LIST("s3:GetObject"), NULL },
			  [COSI_WRITE_ONLY] = { LIST("s3:ListBucket"), LIST("s3:PutObject"),
						LIST("s3:GetObject") },
		  } };

static bool
access_can_be_written(const struct s3_access *access)
{
	for (size_t i = 0; i < access->n; i++)
		if (!s3_policy_name_ok(access->buckets[i].native) ||
		    (i > 0 &&
		     strcmp(access->buckets[i - 1].native, access->buckets[i].native) == 0))
			return false;
	return true;
}

static void
check_policy(struct cosi_call *call, const char *text, unsigned option)
{
	const struct cosi_bucket_ref photos = { .native = "photos" };
	const struct cosi_bucket_ref *const refs[] = { &photos };
	const struct cosi_access_req req = { .nbuckets = option & 1, .buckets = refs };
	struct s3_access access, again, left;
	const char *written;
	bool changed;

	json_auto_t *root = json_loads(text, 0, NULL);

	must(s3_policy_equal(text, text) == (root != NULL));
	(void)s3_policy_sid(call, text, "Cosi");
	if (s3_policy_read(call, text, &access) < 0)
		return;
	for (size_t i = 0; i < access.n; i++)
		must(access.buckets[i].mode >= COSI_READ_WRITE &&
		     access.buckets[i].mode <= COSI_WRITE_ONLY);
	must(s3_policy_take_out(call, text, &req, &left, &changed) == 0);
	must(left.n <= access.n && changed == (left.n < access.n));
	if (!access_can_be_written(&access) || access.n == 0)
		return;
	written = s3_policy_write(call, &modes, &access, NULL);
	must(written != NULL && s3_policy_equal(written, written));
	must(s3_policy_read(call, written, &again) == 0 && s3_access_equal(&access, &again));
	written = s3_policy_anonymous(call, access.buckets[0].native, 1 + option % 3);
	must(written != NULL && s3_policy_read(call, written, &again) == 0 && again.n == 0);
}

/* ---- errors, dates, encodings, names ---- */

static void
check_error(struct host *host, struct cosi_bytes document, unsigned option)
{
	static const int statuses[] = {
		200, 400, 401, 403, 404, 409, 412, 429, 499, 500, 503, 507
	};
	const struct cosi_kv date = { "date", document.data };
	const struct cosi_http_reply reply = {
		.status = statuses[option % 12],
		.body = document,
		.nheaders = option / 12 % 2,
		.headers = &date,
	};
	char code[REST_CODE_MAX];

	if (s3_api.error_code(&reply, code))
		must(strspn(code, CHARS_ALNUM) == strlen(code) && code[0] != '\0');
	must(s3_fail(&host->call, &reply) < 0);
	must(host->code != COSI_OK && host->code != COSI_NOT_FOUND);
}

static void
check_words(struct cosi_call *call, char *text, size_t len)
{
	struct hash hash, mac;
	char hex[HASH_HEX_MAX], base32[HASH_BASE32_MAX], base64[HASH_BASE64_MAX];
	const char *encoded = uri_encode(call, text), *name;
	const struct cosi_kv parts[] = { { text, encoded }, { encoded, text } };
	char *copy = input_copy(encoded, strlen(encoded));

	must(strspn(encoded, CHARS_ALNUM "-._~%") == strlen(encoded));
	must(strspn(uri_encode_path(call, text), CHARS_ALNUM "-._~%/") >= strlen(encoded) / 3);
	must(uri_decode(copy, strlen(copy)) == (long)strlen(text) && strcmp(copy, text) == 0);
	free(copy);
	must(strlen(text_join(call, parts, 2, "=", "&", "")) ==
	     2 * (strlen(text) + strlen(encoded)) + 3);
	must(rest_read_date(text, REST_DATE) >= 0 && rest_read_date(text, REST_ISO) >= 0);
	name = s3_name_map(call, text, s3_name_broken_rule(text), false);
	must(name != NULL && s3_name_broken_rule(name) == NULL);
	must(s3_name_map(call, name, s3_name_broken_rule(name), true) == name);
	must(hash_sha256(call, text, len, &hash) == 0);
	must(hash_hmac(call, text, len, text, len, &mac) == 0);
	hash_hex(&hash, hex);
	hash_base32(&hash, base32);
	hash_base64(&mac, base64);
	must(strlen(hex) == 64 && strlen(base32) == 52 && strlen(base64) == 44);
	must(uri_decode(text, len) <= (long)len);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, data + size };
	unsigned reader = input_byte(&in) % 7, option = input_byte(&in);
	size_t len = (size_t)(in.end - in.at);
	char *text = input_copy(in.at, len);
	struct cosi_bytes document = { text, len };
	struct host host;

	host_init(&host, "http://store.example");
	host.now = 1795176000;
	if (reader == 0)
		check_xml(document, option);
	else if (reader == 1)
		check_escaped(document);
	else if (reader == 2)
		check_tags(&host.call, document);
	else if (reader == 3)
		check_list(document, option);
	else if (reader == 4)
		check_policy(&host.call, text, option);
	else if (reader == 5)
		check_error(&host, document, option);
	else
		check_words(&host.call, text, len);
	must((host.code == COSI_OK) == (host.text[0] == '\0'));
	host_done(&host);
	free(text);
	return 0;
}
