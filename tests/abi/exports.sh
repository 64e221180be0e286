#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# exports.sh MODULE.so... - each shows cosi_module alone and needs only what the daemon keeps loaded.
set -eu
failed=0
for module in "$@"; do
	shown=$(nm -D --defined-only "$module" | awk '{ print $3 }' | sort | tr '\n' ' ')
	if [ "$shown" != "cosi_module " ]; then
		echo "$module shows: $shown"
		failed=1
	fi
	others=$(readelf -d "$module" | sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p' |
		grep -Ev '^(libc|libcrypto|libjansson|libexpat|ld-linux[-a-z0-9]*)\.so\.' || true)
	if [ -n "$others" ]; then
		echo "$module needs: $others"
		failed=1
	fi
done
exit $failed
