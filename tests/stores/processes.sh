# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# processes.sh - which processes are ours: sourced by the scripts that start and end stores.
#
# A started process is noted in the file `pids` of its folder as "NAME PID START".  START is the
# kernel's start time, so that a number which the kernel gave to somebody else since is never
# signalled.

# start_time PID: prints it, or nothing when there is no such process (a zombie counts as none).
start_time() {
	local line
	line=$(cat "/proc/$1/stat" 2>/dev/null) || return 0
	line=${line##*) }
	# shellcheck disable=SC2086  # the fields are wanted one by one
	set -- $line
	[ "$1" = Z ] || echo "${20}"
}

is_ours() { # PID START
	[ -n "$2" ] && [ "$(start_time "$1")" = "$2" ]
}

# kill_noted FILE: the last started goes first; nothing that it does is worth a clean shutdown.
kill_noted() {
	local pid start
	while read -r _ pid start; do
		is_ours "$pid" "$start" && kill -KILL "$pid"
	done < <(tac "$1")
	return 0
}
