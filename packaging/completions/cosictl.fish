# SPDX-License-Identifier: Apache-2.0
# cosictl.fish - completion of cosictl(1) for fish.

set -l commands info create get delete grant revoke status reload list
complete -c cosictl -f
complete -c cosictl -s e -l endpoint -x -a 'unix:///run/cosid/cosi.sock unix:///run/cosid-admin/admin.sock' -d 'socket'
complete -c cosictl -s o -l output -x -a 'text json env' -d 'output format'
complete -c cosictl -l api -x -a 'v1alpha1 v1alpha2' -d 'version of the COSI API'
complete -c cosictl -l timeout -x -d 'time to wait for the answer'
complete -c cosictl -l protocol -x -a 's3 azure gcs' -d 'protocol of the bucket or access'
complete -c cosictl -l mode -x -a 'readWrite readOnly writeOnly' -d 'what the account may do'
complete -c cosictl -l account -x -n '__fish_seen_subcommand_from grant' -d 'name of the request'
complete -c cosictl -l account-id -x -n '__fish_seen_subcommand_from revoke' -d 'account id that grant printed'
complete -c cosictl -l yes -n '__fish_seen_subcommand_from delete' -d 'purge without a question'
complete -c cosictl -s h -l help -d 'print a summary of the options'
complete -c cosictl -l version -d 'print the version'
complete -c cosictl -n "not __fish_seen_subcommand_from $commands" -a info -d 'print name and protocols of the driver'
complete -c cosictl -n "not __fish_seen_subcommand_from $commands" -a create -d 'create a bucket'
complete -c cosictl -n "not __fish_seen_subcommand_from $commands" -a get -d 'look up a bucket'
complete -c cosictl -n "not __fish_seen_subcommand_from $commands" -a delete -d 'delete a bucket'
complete -c cosictl -n "not __fish_seen_subcommand_from $commands" -a grant -d 'grant access'
complete -c cosictl -n "not __fish_seen_subcommand_from $commands" -a revoke -d 'revoke access'
complete -c cosictl -n "not __fish_seen_subcommand_from $commands" -a status -d 'print the state of the daemon'
complete -c cosictl -n "not __fish_seen_subcommand_from $commands" -a reload -d 'reload the configuration'
complete -c cosictl -n "not __fish_seen_subcommand_from $commands" -a list -d 'print everything cosid created in the stores'
complete -c cosictl -n '__fish_seen_subcommand_from delete' -a 'whenNotEmpty=purge whenNotEmpty=refuse'
