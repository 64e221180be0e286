# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# progress.sh - long steps that print nothing by themselves: sourced by dev and by the scripts that fetch stores.

progress_every_s=15

# progress_ticks LOG: every 15 s how long it has taken, and the log's last line, until it is killed or
# the script that started it has ended.
progress_ticks() {
	local begun=$SECONDS never line
	exec {never}<> <(:) # a sleep without a process, which would outlive this one
	while ! read -r -t "$progress_every_s" -u "$never" && kill -0 $$ 2>/dev/null; do
		line=$(tail -n 1 "$1" 2>/dev/null | tr -d '\r' | cut -c1-90)
		printf '   %d s%s\n' $((SECONDS - begun)) "${line:+: $line}" >&2
	done
}

# quietly LOG COMMAND...: its output goes to LOG; what takes long says so on stderr.
quietly() {
	local log=$1 status=0 ticks
	shift
	: >"$log" || return 1
	progress_ticks "$log" </dev/null >/dev/null &
	ticks=$!
	"$@" >"$log" 2>&1 || status=$?
	kill "$ticks" 2>/dev/null
	wait "$ticks" 2>/dev/null
	return "$status"
}

# full_disks DIR...: prints a line for each of these whose disk is full: that is why things fail there.
full_disks() {
	local dir free
	for dir; do
		free=$(df -Pk "$dir" 2>/dev/null | awk 'NR == 2 { print $4 }')
		[ -z "$free" ] || [ "$free" -ge 10240 ] ||
			printf 'the disk is full: %s KiB left for %s\n' "$free" "$dir"
	done
}
