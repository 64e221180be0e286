/* SPDX-License-Identifier: Apache-2.0
 * fuzz_config.c - any bytes as cosid.conf, as a file of its include_dir, as a secret's file and as
 * parameters of a request.
 *
 * covers: core/config/file.c core/config/load.c core/config/backends.c core/config/group.c
 *         core/config/value.c core/config/syntax.c core/config/source.c core/base/parse.c
 *
 * The texts end with 0xff each; the parameters are lines "key=value".
 */
#include "base/log.h"
#include "config/load.h"
#include "files.h"

#include "banned.h"

/* A module with a key of each type. */
struct settings {
	const char *word, *secret, *url, *choice, *path;
	const char *const *secrets;
	bool yes;
	int64_t number, bytes, time;
};
static const struct cosi_key keys[] = {
	COSI_STRING(struct settings, word, COSI_REQUIRED, NULL, "a word"),
	COSI_SECRET(struct settings, secret, 0, "a secret"),
	COSI_SECRET_LIST(struct settings, secrets, "secrets"),
	COSI_URL(struct settings, url, 0, NULL, "a URL"),
	COSI_ENUM(struct settings, choice, "one", "one two three", "a choice"),
	COSI_PATH(struct settings, path, 0, NULL, "a path"),
	COSI_BOOL(struct settings, yes, "true", "yes or no"),
	COSI_INT(struct settings, number, 0, "7", "a number"),
	COSI_SIZE(struct settings, bytes, 0, "5Mi", "a size"),
	COSI_MSEC(struct settings, time, 0, "10s", "a time"),
};
static const struct cosi_module modules[] = {
	{ .name = "remote",
	  .flags = COSI_NETWORK,
	  .protocols = COSI_S3,
	  .config = COSI_SCHEMA(struct settings, keys) },
	{ .name = "local", .protocols = COSI_AZURE, .config = COSI_SCHEMA(struct settings, keys) },
};

static void
check_diag(struct diag *diag)
{
	must(diag->nlines <= DIAG_MAX && diag->nlines <= diag->nerrors + diag->nwarnings);
	for (size_t i = 0; i < diag->nlines; i++) {
		size_t len = strlen(diag->lines[i]);

		must(len > 0 && len <= DIAG_TEXT_MAX && input_is_clean(diag->lines[i], len));
		must(strchr(diag->lines[i], '\n') == NULL);
	}
	diag_done(diag);
}

static void
check_text(const char *text)
{
	must(text != NULL && input_is_clean(text, strlen(text)) && strchr(text, '\n') == NULL);
}

/* ---- the configuration ---- */

static void
check_backend(const struct config *config, const struct config_backend *backend)
{
	for (const struct config_backend *other = config->backends; other < backend; other++)
		must(strcmp(other->name, backend->name) != 0);
	must(syntax_backend_name(backend->name) == NULL);
	must(backend->nflaws > 0 || backend->existing_buckets != NULL);
	for (size_t i = 0; i < sizeof modules / sizeof modules[0]; i++) {
		struct config_settings *settings = NULL;
		struct settings out = { 0 };
		struct diag diag = { 0 };

		if (config_settings(backend, &modules[i], i == 0, &out, &settings, &diag) == 0) {
			must(backend->nflaws == 0 && diag.nerrors == 0);
			check_text(out.word);
			check_text(out.choice);
			must(out.number >= 0 && out.bytes >= 0 && out.time >= 0);
			must(out.secrets != NULL);
		} else {
			must(settings == NULL && (backend->nflaws > 0 || diag.nerrors > 0));
		}
		config_settings_free(settings);
		check_diag(&diag);
	}
}

/* What may be served. */
static void
check_served(const struct config *config)
{
	must(syntax_driver_name(config->driver_name) == NULL &&
	     syntax_owner(config->owner) == NULL);
	must(config->socket_path[0] == '/' && config->admin_path[0] == '/');
	must(config->socket_mode <= 0777 && config->module_dir[0] == '/');
	must(config->call_timeout_ms > 0 && config->create_settle_ms >= 0 && config->workers > 0);
	must(config->log_level >= COSI_ERROR && config->log_level <= COSI_DEBUG);
	must(config->nbackends <= LOAD_BACKENDS_MAX && config->nroutes <= LOAD_ROUTES_MAX);
	for (size_t i = 0; i < config->nroutes; i++)
		must(strlen(config->routes[i].match) <= LOAD_GLOB_MAX);
	for (size_t i = 0; i < config->nbackends; i++)
		must(config->backends[i].nflaws == 0 && config->backends[i].retries >= 0);
}

static void
check_config(const struct config *running)
{
	struct diag diag = { 0 };
	struct config *config = config_load("/proc/self/cwd/cosid.conf", &diag);

	must(config != NULL || diag.nerrors > 0);
	if (config != NULL && diag.nerrors == 0)
		check_served(config);
	for (size_t i = 0; config != NULL && i < config->nbackends; i++)
		check_backend(config, &config->backends[i]);
	check_diag(&diag);
	if (config == NULL)
		return;
	config_take_env(config);
	config_keep(config, running, &diag);
	must(diag.nerrors == 0);
	check_diag(&diag);
	config_forget(config_ref(config));
	config_unref(config);
	config_unref(config);
}

/* The one that every input would be loaded in place of. */
static struct config *
load_running(void)
{
	static const char text[] = "driver_name = \"a\"; owner = \"b\";\n"
				   "endpoint = \"unix:///run/a/b.sock\";\n"
				   "admin_endpoint = \"unix:///run/b/b.sock\";\n";
	struct diag diag = { 0 };
	struct config *config;

	files_write("cosid.conf", text, sizeof text - 1);
	config = config_load("/proc/self/cwd/cosid.conf", &diag);
	must(config != NULL && diag.nerrors == 0);
	diag_done(&diag);
	return config;
}

/* ---- parameters ---- */

/* The canonical spelling is its own canonical spelling. */
static void
check_canonical(struct arena *arena, const struct cosi_kv *param, const char *canonical)
{
	const struct cosi_schema schema = COSI_SCHEMA(struct settings, keys);
	const struct cosi_key *key = value_key(&schema, param->key);
	struct settings again = { 0 };
	const char *reason;

	if (key->type == COSI_T_SECRET || key->type == COSI_T_SECRET_LIST)
		return;
	if (key->type == COSI_T_SIZE || key->type == COSI_T_MSEC)
		canonical = arena_printf(arena, "%s%s", canonical,
					 key->type == COSI_T_MSEC ? "ms" : "");
	reason = value_parse(arena, key, canonical, &again);
	must(reason == NULL || arena_failed(arena));
}

static void
check_params(char *text)
{
	enum { MOST = 16 };
	const struct cosi_schema schema = COSI_SCHEMA(struct settings, keys);
	const char *canonical[MOST] = { NULL }, *error = NULL;
	struct cosi_kv params[MOST];
	struct settings out = { 0 };
	struct arena arena;
	size_t n = 0;
	char *save = NULL;

	for (char *line = strtok_r(text, "\n", &save); line != NULL && n < MOST;
	     line = strtok_r(NULL, "\n", &save)) {
		char *equals = strchr(line, '=');

		if (equals == NULL)
			continue;
		*equals = '\0';
		params[n++] = (struct cosi_kv){ line, equals + 1 };
	}
	arena_init(&arena, 1 << 20);
	if (config_params(&schema, params, n, true, &out, &arena, canonical, &error) < 0) {
		must(error != NULL && error[0] != '\0');
	} else {
		check_text(out.word);
		for (size_t i = 0; i < n; i++)
			check_canonical(&arena, &params[i], canonical[i]);
	}
	arena_done(&arena);
}

/* ---- words ---- */

static void
check_words(const char *text)
{
	char type[128];
	int64_t number = -1;
	unsigned mode = 0;
	uint32_t c;

	if (parse_size(text, &number) == 0 || parse_duration(text, &number) == 0)
		must(number >= 0);
	if (parse_mode(text, &mode) == 0)
		must(mode <= 0777);
	must(parse_glob_match("*", text));
	must(parse_glob_match(text, text) || strpbrk(text, "?*") != NULL);
	must(chars_clean_len(text, strlen(text)) <= strlen(text));
	must(parse_utf8_char(text, strlen(text), &c) <= 4);
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
		value_describe_type(&keys[i], type, sizeof type);
		check_text(type);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct config *running;
	static const char *const names[] = { "cosid.conf", "conf.d/a.conf", "secret" };
	struct input in = { data, data + size };
	const uint8_t *piece;
	size_t len;
	char *text;

	if (running == NULL) {
		files_begin();
		must(mkdir("conf.d", 0700) == 0);
		must(setenv("CREDENTIALS_DIRECTORY", files_root, 1) == 0);
		running = load_running();
	}
	must(setenv("FUZZ_SECRET", "planted", 1) == 0);
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		len = input_piece(&in, &piece);
		files_write(names[i], piece, len);
		must(chmod(names[i], len % 2 == 0 ? 0600 : 0604) == 0);
	}
	check_config(running);
	text = input_text(&in);
	check_words(text);
	check_params(text);
	free(text);
	return 0;
}
