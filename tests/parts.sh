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
# libgrpc is not instrumented: what it does within itself would be reported.
export TSAN_OPTIONS=exitcode=99:second_deadlock_stack=1:ignore_noninstrumented_modules=1

# part NAME COMMAND...: runs it and notes its exit status; it leaves $results/NAME.xml.
part() {
	local name=$1 begun=$SECONDS status=0
	shift
	heading "$name"
	"$@" || status=$?
	echo "$status" >"$results/$name.status"
	printf -- '-- %s: %d s\n' "$name" $((SECONDS - begun))
}

# Where unit tests keep their files: in memory, because what the posix module writes is synced (47 s of
# 48 on a disk).  Not where programs cannot run from there, as in many containers.
memory_dir() {
	local probe
	probe=$(mktemp /dev/shm/cosid.XXXXXX 2>/dev/null) || return 1
	printf '#!/bin/sh\n' >"$probe" && chmod +x "$probe" && "$probe" 2>/dev/null
	local status=$?
	rm -f "$probe"
	[ "$status" -eq 0 ] && echo /dev/shm
}

unit_tests() { # NAME PRESET [OPTION of ctest]...
	part "$1" env "TMPDIR=$(memory_dir || echo "${TMPDIR:-/tmp}")" ctest --test-dir "build/$2" --output-on-failure --no-tests=error --timeout 120 \
		-j "$(nproc)" --output-junit "$PWD/$results/$1.xml" "${@:3}"
}

# A part that hangs is interrupted, so that it still ends its stores.
python_tests() { # NAME PRESET ARGUMENT...
	local name=$1 preset=$2
	shift 2
	part "$name" timeout --foreground -s INT -k 60 "$part_seconds" "$python" -m pytest \
		-c tests/pytest.ini --rootdir . "--build=build/$preset" --junitxml "$results/$name.xml" "$@"
}

gate=(lint checks unit fuzz cli contract scenario plain packages)
sanitized="not unsanitized"
fuzz_seconds=2 # of each target, in the gate, after its seeds

# What each part must have installed.
part_needs() {
	case $1 in
	lint) echo "test lint" ;;
	checks) echo "build test checks" ;;
	unit) echo "build test ceph" ;;
	fuzz) echo "build test fuzz" ;;
	cli | posix) echo "build test" ;;
	plain) echo "build test plain" ;;
	ceph) echo "build test ceph" ;;
	minio) echo "build test minio" ;;
	azure) echo "build test azure" ;;
	packages) echo "build test package machine ceph" ;;
	contract | scenario) echo "build test ceph minio azure" ;;
	tests/unit/*.c) echo "build test ceph" ;;
	tests/*)
		[ -e "${1%%::*}" ] || wrong "test: no such file: '${1%%::*}'"
		echo "build test ceph minio azure"
		;;
	*) wrong "test: no such part: '$1'" ;;
	esac
}

# unit_name FILE: ctest's name of the program of tests/unit/LAYER/test_X.c.
unit_name() {
	local file=${1#tests/unit/}
	echo "${file%.c}"
}

one_part() {
	case $1 in
	lint) python_tests lint asan tests/lint ;;
	checks) python_tests checks asan tests/checks ;;
	unit) unit_tests unit asan ;;
	fuzz)
		# shellcheck disable=SC2046  # words
		part fuzz "$python" tests/fuzz/run.py --seconds "$fuzz_seconds" --fresh --junit "$results/fuzz.xml" $(fuzz_targets)
		part stateful "$python" tests/fuzz/stateful.py --seconds 5 --seed 1 --junit "$results/stateful.xml"
		;;
	cli) python_tests cli asan tests/cli ;;
	contract) python_tests contract asan tests/contract ;;
	# Most of a scenario is waiting: two files at once, each with stores of its own.
	scenario) python_tests scenario asan tests/scenario -m "$sanitized" -n 2 --dist loadfile ;;
	plain) python_tests plain dev tests/scenario -m unsanitized ;;
	posix | ceph | minio | azure) python_tests "$1" asan tests/contract tests/scenario -m "$1 and $sanitized" ;;
	packages) python_tests packages asan tests/packages ;;
	esac
}

# What takes longer than a gate may: every step of the sweeps, other builds, valgrind.
long_parts() {
	part_seconds=7200
	python_tests whole-sweeps asan tests/scenario -m "$sanitized" --whole-sweeps
	python_tests valgrind-unit dev tests/unit/valgrind.py
	python_tests valgrind-contract dev tests/contract --valgrind
	# shellcheck disable=SC2046  # words
	part fuzz-coverage "$python" tests/fuzz/run.py --coverage --junit "$results/fuzz-coverage.xml" $(fuzz_targets)
	unit_tests tsan-unit tsan
	python_tests tsan-contract tsan tests/contract
	python_tests tsan-scenario tsan tests/scenario -m "$sanitized"
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

# Once: it stays.
build_azurite() {
	heading "fetch Azurite"
	tests/stores/azurite-build || die "cannot fetch Azurite"
}

# try_store NAME COMMAND...: what cannot be fetched fails the tests that need it, each with that
# reason, and no others: Minio.up() and its like ask for COSID_WITHOUT_NAME.
try_store() {
	local name=$1
	shift
	("$@") 2>&1 | tee "$results/without-$name"
	if [ "${PIPESTATUS[0]}" -eq 0 ]; then
		rm "$results/without-$name"
	else
		heading "going on without $name: what needs it fails"
	fi
}

# prepare PART...: installs and builds; ends the shell that it runs in when that fails.
prepare() {
	local each needs=""
	for each; do
		needs+=" $(part_needs "$each")"
	done
	# shellcheck disable=SC2086  # a list of words
	need ${needs//plain/}
	case $needs in *plain*) build dev ;; esac
	case $needs in *build*) build asan ;; esac
	# shellcheck disable=SC2046  # words
	case $needs in *fuzz*) build_fuzz fuzz $(fuzz_targets) ;; esac
	case $needs in *minio*) try_store minio build_minio ;; esac
	case $needs in *azure*) try_store azurite build_azurite ;; esac
}

# What prepare, in a shell of its own, could not fetch.
export_without() {
	local each
	for each in "$results"/without-*; do
		[ ! -e "$each" ] || export "COSID_WITHOUT_${each##*/without-}=$(tail -n 3 "$each" | paste -sd "|")"
	done
}

# What a change must pass each time: no store, no sanitizer, within a minute once it is built.
quick_tests() {
	fresh_results
	(need build test lint && build dev) || no_test_ran
	python_tests lint dev tests/lint
	unit_tests unit dev -L unit
	python_tests cli dev tests/cli
	"$python" tests/results.py "$results"
}

fresh_results() {
	rm -rf "$results"
	mkdir -p "$results" || die "cannot make '$results'"
}

# Files and parts can be named together: the Python files are one part, the C files another.
run_named() { # PART|FILE...
	local each files=() units=''
	for each; do
		case $each in
		tests/unit/*.c) units+="|$(unit_name "$each")" ;;
		tests/*) files+=("$each") ;;
		*) one_part "$each" ;;
		esac
	done
	[ -z "$units" ] || unit_tests unit-files asan -R "^(${units#|})\$"
	[ ${#files[@]} -eq 0 ] || python_tests files asan "${files[@]}"
}

run_tests() {
	local each long='' parts=("$@")
	if [ "$*" = quick ]; then
		quick_tests
		return
	elif [ "$*" = all ]; then
		parts=(lint checks unit fuzz cli contract plain packages) long=1 # the whole sweeps are all scenarios
	elif [ $# -eq 0 ]; then
		parts=("${gate[@]}")
	fi
	for each in "${parts[@]}"; do
		part_needs "$each" >/dev/null || exit
	done
	[ "${parts[*]}" = lint ] || unshare --user true 2>/dev/null ||
		heading "user namespaces are refused here (in a chroot they are): tests of peers in one will fail"
	fresh_results
	(prepare "${parts[@]}") || no_test_ran
	export_without
	# shellcheck disable=SC2046  # words
	[ -z "$long" ] || (need valgrind && build dev && build tsan && build_fuzz fuzz-coverage $(fuzz_targets)) || no_test_ran
	run_named "${parts[@]}"
	[ -z "$long" ] || long_parts
	"$python" tests/results.py "$results"
}
