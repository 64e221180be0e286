/* SPDX-License-Identifier: Apache-2.0
 * mode.c - which numbering, and what it means. */
#include "rpc/mode.h"

#include "banned.h"

enum new_mode { NEW_ANY = 1, NEW_READ_WRITE, NEW_READ_ONLY, NEW_WRITE_ONLY };

bool
mode_is_new(const struct mode_ask *ask)
{
	return ask->object_metadata != MODE_ABSENT || ask->bucket_metadata != MODE_ABSENT;
}

static int
resolve_old(int mode, uint32_t *out_mode, struct status *status)
{
	static const uint32_t modes[] = { 0, COSI_READ_WRITE, COSI_READ_ONLY, COSI_WRITE_ONLY };

	if (mode < 1 || mode > 3)
		return status_fail(
			status, COSI_INVALID,
			"field 'access_mode' must be READ_WRITE, READ_ONLY or WRITE_ONLY, it is %d",
			mode == MODE_ABSENT ? 0 : mode);
	*out_mode = modes[mode];
	return 0;
}

static int
resolve_data(int mode, uint32_t *out_mode, struct status *status)
{
	switch (mode) {
	case NEW_ANY:
	case NEW_READ_ONLY:
		*out_mode = COSI_READ_ONLY;
		return 0;
	case NEW_READ_WRITE:
		*out_mode = COSI_READ_WRITE;
		return 0;
	case NEW_WRITE_ONLY:
		*out_mode = COSI_WRITE_ONLY;
		return 0;
	default:
		return status_fail(status, COSI_INVALID,
				   "field 'object_data' must be ANY, READ_WRITE, READ_ONLY or "
				   "WRITE_ONLY, it is %d",
				   mode == MODE_ABSENT ? 0 : mode);
	}
}

static int
check_metadata(const char *field, int mode, uint32_t data, struct status *status)
{
	if (mode == MODE_ABSENT || mode == NEW_ANY)
		return 0;
	if (mode < NEW_ANY || mode > NEW_WRITE_ONLY)
		return status_fail(status, COSI_INVALID,
				   "field '%s' must be ANY or READ_ONLY, it is %d", field, mode);
	if (mode != NEW_READ_ONLY)
		return status_fail(status, COSI_INVALID,
				   "field '%s' must be ANY or READ_ONLY: no store lets metadata be "
				   "written apart from its objects",
				   field);
	if (data == COSI_WRITE_ONLY)
		return status_fail(
			status, COSI_INVALID,
			"field '%s' cannot be READ_ONLY where object_data is WRITE_ONLY: "
			"no store lets metadata be read apart from its objects",
			field);
	return 0;
}

int
mode_resolve(const struct mode_ask *ask, bool newer, uint32_t *out_mode, struct status *status)
{
	uint32_t mode = 0;

	if (!newer)
		return resolve_old(ask->data, out_mode, status);
	if (resolve_data(ask->data, &mode, status) != 0 ||
	    check_metadata("object_metadata", ask->object_metadata, mode, status) != 0 ||
	    check_metadata("bucket_metadata", ask->bucket_metadata, mode, status) != 0)
		return -1;
	*out_mode = mode;
	return 0;
}
