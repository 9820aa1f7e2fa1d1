#!/usr/bin/env bash
# Checks the completions that fish offers.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export HOME=$folder XDG_CONFIG_HOME=$folder XDG_DATA_HOME=$folder
"$1" completion fish >"$folder/lamarck.fish"

expect() {
  local typed=$1 wanted=$2 got
  got=$(fish --no-config -c "source $folder/lamarck.fish; complete -C '$typed'" | cut -f 1 | xargs)
  if [ "$got" != "$wanted" ]; then
    echo "After '$typed' fish offers '$got', expected '$wanted'."
    exit 1
  fi
}

expect 'lamarck doc' 'doctor'
expect 'lamarck doctor --js' '--json'
expect 'lamarck completion fi' 'fish'
expect 'lamarck evolve pro' 'program'
expect 'lamarck evolve net --gr' '--grain'
expect 'lamarck evolve fn --gr' ''
expect 'lamarck --progress li' 'lines'
expect 'lamarck doctor --progress li' 'lines'
