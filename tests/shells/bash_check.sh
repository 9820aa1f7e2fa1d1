#!/usr/bin/env bash
# Checks the completions that bash offers.
set -euo pipefail
# shellcheck disable=SC1090
source <("$1" completion bash)

complete_words() {
  COMP_WORDS=("$@")
  COMP_CWORD=$(($# - 1))
  COMPREPLY=()
  _lamarck
  (IFS='|'; echo "${COMPREPLY[*]}")
}

expect() {
  local wanted=$1 got
  shift
  got=$(complete_words "$@")
  if [ "$got" != "$wanted" ]; then
    echo "After '$*' bash offers '$got', expected '$wanted'."
    exit 1
  fi
}

expect 'doctor' lamarck doc
expect '--json' lamarck doctor --js
expect 'bash' lamarck completion ba
expect 'program' lamarck evolve pro
expect '--grain' lamarck evolve net --gr
expect 'layer' lamarck evolve net --grain la
expect '' lamarck evolve fn --gr
expect '--seed-equation' lamarck evolve fn --seed-
expect 'bar' lamarck --progress ba
expect 'lines' lamarck doctor --progress li
expect '--data-dir' lamarck doctor --da
expect '' lamarck --threads 1
expect 'bar' lamarck --progress = b
cd "$(mktemp -d)"
touch 'my file.toml'
expect 'my file.toml' lamarck --config my
rm -r "$PWD"
