# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# cosictl.bash - completion of cosictl(1) for bash.

_cosictl() {
	local cur prev words cword word command=''
	_init_completion -n =: || return
	case $prev in
	-e | --endpoint)
		mapfile -t COMPREPLY < <(compgen -W 'unix:///run/cosid/cosi.sock unix:///run/cosid-admin/admin.sock' -- "$cur")
		return
		;;
	-o | --output)
		mapfile -t COMPREPLY < <(compgen -W 'text json env' -- "$cur")
		return
		;;
	--api)
		mapfile -t COMPREPLY < <(compgen -W 'v1alpha1 v1alpha2' -- "$cur")
		return
		;;
	--protocol)
		mapfile -t COMPREPLY < <(compgen -W 's3 azure gcs' -- "$cur")
		return
		;;
	--mode)
		mapfile -t COMPREPLY < <(compgen -W 'readWrite readOnly writeOnly' -- "$cur")
		return
		;;
	--timeout | --account | --account-id) return ;;
	esac
	for word in "${words[@]:1:cword-1}"; do
		case $word in
		info | create | get | delete | grant | revoke | status | reload | list) command=$word ;;
		esac
	done
	word='--endpoint --output --api --timeout --help --version'
	case $command in
	'') word+=' info create get delete grant revoke status reload list' ;;
	create) word+=' --protocol backend= whenNotEmpty=' ;;
	get) word+=' --protocol' ;;
	delete) word+=' --yes whenNotEmpty=refuse whenNotEmpty=purge' ;;
	grant) word+=' --protocol --mode --account' ;;
	revoke) word+=' --protocol --account-id' ;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$word" -- "$cur")
	[[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace
}
complete -F _cosictl cosictl
