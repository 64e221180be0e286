/* SPDX-License-Identifier: Apache-2.0
 * layout.c - module API 1.1 where pointers have 64 bits, to the byte.  Add lines; never change one.
 *
 * A module that was built once must find every field where it was.  Appending a field to a struct
 * that is not frozen adds a line here and raises the minor.
 */
#include "cosi_module.h"

#define AT(s, m, o)     _Static_assert(offsetof(struct s, m) == (o), "struct " #s ": " #m " moved")
#define FROZEN(s, size) _Static_assert(sizeof(struct s) == (size), "struct " #s " is frozen")
#define IS(name, value) _Static_assert((name) == (value), #name " changed")

_Static_assert(sizeof(void *) == 8 && sizeof(size_t) == 8 && sizeof(bool) == 1, "not LP64");

AT(cosi_kv, key, 0);
AT(cosi_kv, value, 8);
FROZEN(cosi_kv, 16);

AT(cosi_bytes, data, 0);
AT(cosi_bytes, len, 8);
FROZEN(cosi_bytes, 16);

AT(cosi_bucket_params, set, 0);
AT(cosi_bucket_params, anonymous, 4);
AT(cosi_bucket_params, region, 8);
AT(cosi_bucket_params, quota_size, 16);
AT(cosi_bucket_params, quota_objects, 24);
AT(cosi_bucket_params, versioning, 32);
AT(cosi_bucket_params, object_lock, 33);
AT(cosi_bucket_params, purge, 34);

AT(cosi_mark, owner, 0);
AT(cosi_mark, name, 8);
AT(cosi_mark, params, 16);
FROZEN(cosi_mark, 24);

AT(cosi_bucket_req, native, 0);
AT(cosi_bucket_req, mark, 8);
AT(cosi_bucket_req, protocols, 32);
AT(cosi_bucket_req, common, 40);
AT(cosi_bucket_req, params, 48);

AT(cosi_bucket_ref, native, 0);
AT(cosi_bucket_ref, mode, 8);

AT(cosi_access_req, native, 0);
AT(cosi_access_req, mark, 8);
AT(cosi_access_req, protocol, 32);
AT(cosi_access_req, auth, 36);
AT(cosi_access_req, service_account, 40);
AT(cosi_access_req, params, 48);
AT(cosi_access_req, nbuckets, 56);
AT(cosi_access_req, buckets, 64);

AT(cosi_bucket, ours, 0);
AT(cosi_bucket, unfinished, 1);
AT(cosi_bucket, protocols, 4);
AT(cosi_bucket, name, 8);
AT(cosi_bucket, endpoint, 16);
AT(cosi_bucket, region, 24);
AT(cosi_bucket, style, 32);
AT(cosi_bucket, azure_account, 40);
AT(cosi_bucket, gcs_project, 48);
AT(cosi_bucket, params, 56);

AT(cosi_access, buckets, 0);
AT(cosi_access, key_id, 8);
AT(cosi_access, key_secret, 16);
AT(cosi_access, token, 24);
AT(cosi_access, token_expires, 32);
AT(cosi_access, key_name, 40);
AT(cosi_access, service_account, 48);

AT(cosi_found, size, 0);
AT(cosi_found, kind, 8);
AT(cosi_found, native, 16);
AT(cosi_found, mark, 24);
AT(cosi_found, created, 48);

AT(cosi_http, size, 0);
AT(cosi_http, method, 8);
AT(cosi_http, path, 16);
AT(cosi_http, query, 24);
AT(cosi_http, base, 32);
AT(cosi_http, host_label, 40);
AT(cosi_http, flags, 48);
AT(cosi_http, timeout_ms, 56);
AT(cosi_http, nheaders, 64);
AT(cosi_http, headers, 72);
AT(cosi_http, body, 80);
AT(cosi_http, max_reply, 96);
AT(cosi_http, id_header, 104);

AT(cosi_http_reply, status, 0);
AT(cosi_http_reply, body, 8);
AT(cosi_http_reply, nheaders, 24);
AT(cosi_http_reply, headers, 32);

AT(cosi_url, scheme, 0);
AT(cosi_url, host, 8);
AT(cosi_url, path, 16);

AT(cosi_token, value, 0);
AT(cosi_token, expires, 8);

AT(cosi_host, minor, 0);
AT(cosi_host, log, 8);
AT(cosi_host, fail, 16);
AT(cosi_host, alloc, 24);
AT(cosi_host, printf, 32);
AT(cosi_host, now, 40);
AT(cosi_host, time_left_ms, 48);
AT(cosi_host, random, 56);
AT(cosi_host, http, 64);
AT(cosi_host, url, 72);
AT(cosi_host, public_url, 80);
AT(cosi_host, token, 88);
AT(cosi_host, token_drop, 96);
AT(cosi_host, failed, 104);
AT(cosi_host, wait, 112);

AT(cosi_call, host, 0);

AT(cosi_key, name, 0);
AT(cosi_key, type, 8);
AT(cosi_key, flags, 12);
AT(cosi_key, offset, 16);
AT(cosi_key, fallback, 24);
AT(cosi_key, choices, 32);
AT(cosi_key, help, 40);
FROZEN(cosi_key, 48);

AT(cosi_schema, size, 0);
AT(cosi_schema, nkeys, 8);
AT(cosi_schema, keys, 16);
FROZEN(cosi_schema, 24);

AT(cosi_module, magic, 0);
AT(cosi_module, major, 4);
AT(cosi_module, minor, 8);
AT(cosi_module, flags, 12);
AT(cosi_module, size, 16);
AT(cosi_module, name, 24);
AT(cosi_module, version, 32);
AT(cosi_module, summary, 40);
AT(cosi_module, protocols, 48);
AT(cosi_module, auth, 52);
AT(cosi_module, common_params, 56);
AT(cosi_module, config, 64);
AT(cosi_module, bucket_params, 88);
AT(cosi_module, access_params, 112);
AT(cosi_module, endpoint, 136);
AT(cosi_module, open, 144);
AT(cosi_module, close, 152);
AT(cosi_module, probe, 160);
AT(cosi_module, map_name, 168);
AT(cosi_module, create_bucket, 176);
AT(cosi_module, get_bucket, 184);
AT(cosi_module, delete_bucket, 192);
AT(cosi_module, grant, 200);
AT(cosi_module, revoke, 208);
AT(cosi_module, list, 216);

IS(COSI_OK, 0);
IS(COSI_INVALID, 1);
IS(COSI_OUT_OF_RANGE, 2);
IS(COSI_EXISTS, 3);
IS(COSI_NOT_FOUND, 4);
IS(COSI_PRECONDITION, 5);
IS(COSI_DENIED, 6);
IS(COSI_UNAUTHENTICATED, 7);
IS(COSI_BUSY, 8);
IS(COSI_UNAVAILABLE, 9);
IS(COSI_TIMEOUT, 10);
IS(COSI_EXHAUSTED, 11);
IS(COSI_UNSUPPORTED, 12);
IS(COSI_INTERNAL, 13);
IS(COSI_S3, 1u << 0);
IS(COSI_AZURE, 1u << 1);
IS(COSI_GCS, 1u << 2);
IS(COSI_AUTH_KEY, 1u << 0);
IS(COSI_AUTH_SERVICE_ACCOUNT, 1u << 1);
IS(COSI_READ_WRITE, 1);
IS(COSI_READ_ONLY, 2);
IS(COSI_WRITE_ONLY, 3);
IS(COSI_PATH_STYLE, 1);
IS(COSI_VIRTUAL_STYLE, 2);
IS(COSI_BUCKET, 1);
IS(COSI_ACCOUNT, 2);
IS(COSI_ERROR, 3);
IS(COSI_WARNING, 4);
IS(COSI_NOTICE, 5);
IS(COSI_INFO, 6);
IS(COSI_DEBUG, 7);
IS(COSI_P_REGION, 1u << 0);
IS(COSI_P_VERSIONING, 1u << 1);
IS(COSI_P_OBJECT_LOCK, 1u << 2);
IS(COSI_P_QUOTA_SIZE, 1u << 3);
IS(COSI_P_QUOTA_OBJECTS, 1u << 4);
IS(COSI_P_ANONYMOUS, 1u << 5);
IS(COSI_P_WHEN_NOT_EMPTY, 1u << 6);
IS(COSI_ANON_NONE, 0);
IS(COSI_ANON_READ, 1);
IS(COSI_ANON_WRITE, 2);
IS(COSI_ANON_READ_WRITE, 3);
IS(COSI_HTTP_SAFE, 1u << 0);
IS(COSI_HTTP_FINAL, 1u << 1);
IS(COSI_HTTP_SECRET, 1u << 2);
IS(COSI_T_STRING, 1);
IS(COSI_T_SECRET, 2);
IS(COSI_T_SECRET_LIST, 3);
IS(COSI_T_BOOL, 4);
IS(COSI_T_INT, 5);
IS(COSI_T_SIZE, 6);
IS(COSI_T_MSEC, 7);
IS(COSI_T_URL, 8);
IS(COSI_T_ENUM, 9);
IS(COSI_T_PATH, 10);
IS(COSI_REQUIRED, 1u << 0);
IS(COSI_GRANT_WRITES_BUCKET, 1u << 0);
IS(COSI_NETWORK, 1u << 1);
IS(COSI_API_MAGIC, 0x49534f43u);
IS(COSI_API_MAJOR, 1u);
