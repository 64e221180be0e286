# SPDX-License-Identifier: Apache-2.0
# cosid.fish - completion of cosid(8) for fish.

complete -c cosid -f
complete -c cosid -s c -l config -r -F -d 'configuration file'
complete -c cosid -l check -d 'check the configuration and exit'
complete -c cosid -l probe -d 'with --check: contact the stores, too'
complete -c cosid -l describe -a '(path basename -E /usr/lib*/cosid/modules/*.so /usr/lib/*/cosid/modules/*.so)' \
    -d 'print the settings of a module or of the daemon'
complete -c cosid -l version -d 'print the version'
complete -c cosid -l help -d 'print a summary of the options'
