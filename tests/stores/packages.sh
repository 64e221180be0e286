# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# packages.sh - the Debian packages that each job needs, and their installation: sourced by dev.

# shellcheck disable=SC2034  # read by name in need()
{
	packages_build="gcc libc6-dev cmake ninja-build pkg-config libgrpc-dev libprotobuf-c-dev
		protobuf-c-compiler libcurl4-openssl-dev libssl-dev libconfig-dev libjansson-dev
		libexpat1-dev libsystemd-dev"
	packages_test="libcmocka-dev python3 python3-pytest python3-pytest-timeout
		python3-pytest-xdist python3-grpcio python3-protobuf python3-cryptography
		python3-yaml curl openssl jq"
	packages_format="clang-format-14"
	packages_lint="$packages_format mandoc codespell shellcheck git protobuf-c-compiler"
	packages_checks="clang-tidy-14"
	packages_ceph="ceph-mon ceph-osd radosgw ceph-common curl"
	packages_minio="python3-venv curl awscli"
	packages_azure="python3-venv curl"
	packages_bench="libnghttp2-dev"
	packages_fuzz="clang libclang-rt-14-dev"
	packages_coverage="llvm-14"
	packages_valgrind="valgrind"
	packages_machine="mmdebstrap systemd-container python3-venv"
	packages_package="build-essential debhelper lintian rpm rpmlint debugedit elfutils git
		python3"
}

# missing PACKAGE...: prints those that are not installed.
missing() {
	local package
	for package; do
		[ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
			echo "$package"
	done
}

as_root() {
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	else
		sudo "$@"
	fi
}

apt() {
	as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300 \
		-o Dpkg::Use-Pty=0 "$@" </dev/null
}

# need JOB...: installs what is missing for these jobs; a machine that has it all is not touched.
need() {
	local job list wanted=""
	command -v dpkg-query >/dev/null || die "cannot install packages: this is not a Debian system"
	for job; do
		list=packages_$job
		wanted+=" ${!list}"
	done
	# shellcheck disable=SC2086  # a list of words
	wanted=$(missing $wanted | sort -u)
	[ -n "$wanted" ] || return 0
	wanted=${wanted//$'\n'/ }
	if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
		die "cannot install packages: not root, and there is no sudo. As root: apt-get install $wanted"
	fi
	heading "installing: $wanted"
	quietly build/install.log apt update || die "cannot update the package lists (build/install.log)"
	# shellcheck disable=SC2086
	quietly build/install.log apt install --no-install-recommends $wanted || {
		tail -n 20 build/install.log >&2
		die "cannot install packages (build/install.log): $wanted"
	}
}
