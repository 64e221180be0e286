# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# processes.sh - the processes that a script has started; scripts that start and end stores source it.
#
# A started process is noted in the file `pids` of its folder as "NAME PID START".  START is the
# kernel's start time, so that another process that has got the same number is never signalled.

# start_guard OWNER FOLDER: all that this script starts from now on is ended when the process OWNER
# has ended, even by SIGKILL, and FOLDER is removed.
start_guard() {
	# -f: not a child of this script, because ctest kills the script with all of its children.
	env -i PATH="$PATH" setsid -f "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/guard" "$1" "$2" </dev/null >/dev/null 2>&1
	export COSID_TEST_RUN=$2
}

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
