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

unit_tests() { # NAME PRESET
	part "$1" ctest --test-dir "build/$2" --output-on-failure --no-tests=error --timeout 120 \
		-j "$(nproc)" --output-junit "$PWD/$results/$1.xml"
}

# A part that hangs is interrupted, so that it still ends its stores.
python_tests() { # NAME PRESET ARGUMENT...
	local name=$1 preset=$2
	shift 2
	part "$name" timeout --foreground -s INT -k 60 "$part_seconds" "$python" -m pytest \
		-c tests/pytest.ini --rootdir . "--build=build/$preset" --junitxml "$results/$name.xml" "$@"
}

gate=(lint unit cli contract scenario packages)
sanitized="not unsanitized"

# What each part must have installed, on top of a build.
part_needs() {
	case $1 in
	lint) echo lint ;;
	unit | cli | posix) ;;
	ceph) echo ceph ;;
	minio) echo minio ;;
	azure) echo azure ;;
	packages) echo "package machine ceph" ;;
	contract | scenario | tests/*) echo "ceph minio azure" ;;
	*) usage ;;
	esac
}

one_part() {
	case $1 in
	lint) python_tests lint asan tests/lint ;;
	unit) unit_tests unit asan ;;
	cli) python_tests cli asan tests/cli ;;
	contract) python_tests contract asan tests/contract ;;
	scenario) python_tests scenario asan tests/scenario -m "$sanitized" ;;
	posix | ceph | minio | azure) python_tests "$1" asan tests/contract tests/scenario -m "$1 and $sanitized" ;;
	packages) python_tests packages asan tests/packages ;;
	tests/*) python_tests some asan "$1" ;;
	esac
}

# What takes longer than a gate may: every step of the sweeps, other builds, valgrind.
long_parts() {
	part_seconds=7200
	python_tests whole-sweeps asan tests/scenario -m "$sanitized" --whole-sweeps
	python_tests unsanitized dev tests/scenario -m unsanitized
	python_tests valgrind-unit dev tests/unit/valgrind.py
	python_tests valgrind-contract dev tests/contract --valgrind
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
	need build test $needs
	build asan
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

run_tests() {
	local each long='' parts=("$@")
	if [ "$*" = all ]; then
		parts=(lint unit cli contract packages) long=1 # the whole sweeps are all scenarios
	elif [ $# -eq 0 ]; then
		parts=("${gate[@]}")
	fi
	for each in "${parts[@]}"; do
		part_needs "$each" >/dev/null
	done
	unshare --user true 2>/dev/null ||
		heading "user namespaces are refused here (in a chroot they are): tests of peers in one will fail"
	rm -rf "$results"
	mkdir -p "$results"
	(prepare "${parts[@]}") || no_test_ran
	export_without
	[ -z "$long" ] || (need valgrind && build dev && build tsan) || no_test_ran
	for each in "${parts[@]}"; do
		one_part "$each"
	done
	[ -z "$long" ] || long_parts
	"$python" tests/results.py "$results"
}
