# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# parts.sh - the parts of ./dev test, and how their results become one line: sourced by dev.

results=build/results
part_seconds=1500
python=/usr/bin/python3 # the packages are Debian's; another python may come first in PATH
export PYTHONDONTWRITEBYTECODE=1
# A report of a sanitizer ends the process with a status that no test expects.
export ASAN_OPTIONS=abort_on_error=0:exitcode=99:detect_stack_use_after_return=1
export UBSAN_OPTIONS=print_stacktrace=1
export TSAN_OPTIONS=exitcode=99:second_deadlock_stack=1

# part NAME COMMAND...: runs it and notes its exit status; it leaves $results/NAME.xml.
part() {
	local name=$1 begun=$SECONDS status=0
	shift
	heading "$name"
	"$@" || status=$?
	echo "$status" >"$results/$name.status"
	printf -- '-- %s: %d s\n' "$name" $((SECONDS - begun))
}

unit_tests() { # NAME PRESET
	part "$1" ctest --test-dir "build/$2" --output-on-failure --no-tests=error --timeout 120 \
		-j "$(nproc)" --output-junit "$PWD/$results/$1.xml"
}

# A part that hangs is interrupted, so that it still ends its stores.
python_tests() { # NAME PRESET ARGUMENT...
	local name=$1 preset=$2
	shift 2
	part "$name" timeout --foreground -s INT -k 60 "$part_seconds" "$python" -m pytest -c tests/pytest.ini --rootdir . "--build=build/$preset" \
		--junitxml "$results/$name.xml" "$@"
}

one_part() {
	case $1 in
	lint) python_tests lint asan tests/lint ;;
	unit) unit_tests unit asan ;;
	cli) python_tests cli asan tests/cli ;;
	contract) python_tests contract asan tests/contract ;;
	scenario) python_tests scenario asan tests/scenario ;;
	posix) python_tests posix asan tests/contract tests/scenario -m posix ;;
	minio) python_tests minio asan tests/contract tests/scenario -m minio ;;
	ceph) python_tests ceph asan tests/contract tests/scenario -m ceph ;;
	tests/*) python_tests some asan "$1" ;;
	*) usage ;;
	esac
}

no_test_ran() {
	echo "0 passed, 1 failed"
	exit 1
}

# Once: the program stays.
build_minio() {
	heading "build MinIO"
	tests/stores/minio-build || die "cannot build MinIO"
}

run_tests() {
	local each parts=("$@")
	[ $# -gt 0 ] || parts=(lint unit cli contract scenario)
	rm -rf "$results"
	mkdir -p "$results"
	# In a shell of its own, because both end it when they fail.
	(need build test lint ceph minio && build asan && build_minio) || no_test_ran
	for each in "${parts[@]}"; do
		one_part "$each"
	done
	"$python" tests/results.py "$results"
}
