# SPDX-License-Identifier: Apache-2.0
# cosictl.fish - completion of cosictl(1) for fish.

set -l commands info create get delete grant revoke status reload list
complete -c cosictl -f
complete -c cosictl -s e -l endpoint -x -a 'unix:///run/cosid/cosi.sock unix:///run/cosid-admin/admin.sock' -d 'the socket'
complete -c cosictl -s o -l output -x -a 'text json env' -d 'form of the answer'
complete -c cosictl -l api -x -a 'v1alpha1 v1alpha2' -d 'dialect of COSI'
complete -c cosictl -l timeout -x -d 'how long to wait'
complete -c cosictl -l protocol -x -a 's3 azure gcs' -d 'protocol of the bucket or access'
complete -c cosictl -l mode -x -a 'readWrite readOnly writeOnly' -d 'what the account may do'
complete -c cosictl -l account -x -n '__fish_seen_subcommand_from grant' -d 'name of the account'
complete -c cosictl -l account-id -x -n '__fish_seen_subcommand_from revoke' -d 'what grant answered'
complete -c cosictl -s h -l help -d 'summary of the options'
complete -c cosictl -l version -d version
complete -c cosictl -n "not __fish_seen_subcommand_from $commands" -a info -d 'the driver'
complete -c cosictl -n "not __fish_seen_subcommand_from $commands" -a create -d 'make a bucket'
complete -c cosictl -n "not __fish_seen_subcommand_from $commands" -a get -d 'look a bucket up'
complete -c cosictl -n "not __fish_seen_subcommand_from $commands" -a delete -d 'delete a bucket'
complete -c cosictl -n "not __fish_seen_subcommand_from $commands" -a grant -d 'give access'
complete -c cosictl -n "not __fish_seen_subcommand_from $commands" -a revoke -d 'take access away'
complete -c cosictl -n "not __fish_seen_subcommand_from $commands" -a status -d 'how the daemon fares'
complete -c cosictl -n "not __fish_seen_subcommand_from $commands" -a reload -d 'read everything again'
complete -c cosictl -n "not __fish_seen_subcommand_from $commands" -a list -d 'our buckets and accounts in the stores'
complete -c cosictl -n '__fish_seen_subcommand_from delete' -a 'whenNotEmpty=purge whenNotEmpty=refuse'
