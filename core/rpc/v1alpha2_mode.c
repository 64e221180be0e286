/* SPDX-License-Identifier: Apache-2.0
 * v1alpha2_mode.c - v1alpha2's access modes, in the two numberings that share one package name.
 *
 *   old  UNKNOWN 0, READ_WRITE 1, READ_ONLY 2, WRITE_ONLY 3
 *        tag 2 of AccessedBucket
 *   new  UNKNOWN 0, ANY 1, READ_WRITE 2, READ_ONLY 3, WRITE_ONLY 4
 *        tags 2 (object data), 3 (object metadata) and 4 (bucket metadata)
 *
 * The wire type does not tell them apart, but new clients always fill tags 3 and 4, which old ones
 * do not know: one of them anywhere in a request makes the whole request new.
 */
#include "rpc/v1alpha2.h"

#include "banned.h"

enum new_mode { NEW_ANY = 1, NEW_READ_WRITE, NEW_READ_ONLY, NEW_WRITE_ONLY };

bool
mode_is_new(const struct mode_numbers *numbers)
{
	return numbers->object_metadata != MODE_ABSENT || numbers->bucket_metadata != MODE_ABSENT;
}

static int
mode_resolve_old(int mode, uint32_t *out_mode, struct status *status)
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
mode_resolve_data(int mode, uint32_t *out_mode, struct status *status)
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
mode_check_metadata(const char *field, int mode, uint32_t data, struct status *status)
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
mode_resolve(const struct mode_numbers *numbers, bool newer, uint32_t *out_mode,
	     struct status *status)
{
	uint32_t mode = 0;

	if (!newer)
		return mode_resolve_old(numbers->data, out_mode, status);
	if (mode_resolve_data(numbers->data, &mode, status) < 0 ||
	    mode_check_metadata("object_metadata", numbers->object_metadata, mode, status) < 0 ||
	    mode_check_metadata("bucket_metadata", numbers->bucket_metadata, mode, status) < 0)
		return -1;
	*out_mode = mode;
	return 0;
}
