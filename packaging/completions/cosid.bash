# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# cosid.bash - completion of cosid(8) for bash.
# shellcheck disable=SC2034  # _init_completion sets them

_cosid() {
	local cur prev words cword module
	_init_completion || return
	case $prev in
	-c | --config)
		_filedir conf
		return
		;;
	--describe)
		for module in /usr/lib*/cosid/modules/*.so /usr/lib/*/cosid/modules/*.so; do
			module=${module##*/}
			[[ ${module%.so} != "$cur"* || $module == '*.so' ]] || COMPREPLY+=("${module%.so}")
		done
		return
		;;
	esac
	mapfile -t COMPREPLY < <(
		compgen -W '--config --check --probe --describe --version --help' -- "$cur"
	)
}
complete -F _cosid cosid
