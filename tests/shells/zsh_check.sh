#!/usr/bin/env bash
# Checks the completions that an interactive zsh offers in a pseudo-terminal.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1" completion zsh >"$folder/_lamarck"
zsh -n "$folder/_lamarck"

# zpty gives the inner zsh a terminal; its output is read until the wanted text
# appears.
cat >"$folder/ask.zsh" <<'ZSH'
zmodload zsh/zpty
zpty -b asked zsh -f -i || { print 'cannot open a pseudo-terminal'; exit 1 }
zpty -w asked "PS1=; fpath=($1 \$fpath); autoload -U compinit; compinit -u -d $1/dump; setopt nobeep; echo rea''dy"
wait_for() {
  local piece
  while [[ $read != *$1* ]]; do
    if zpty -r -t asked piece; then read+=$piece; else sleep 0.05; fi
  done
}
read=''
wait_for ready
zpty -n -w asked "$2"$'\t'
wait_for "$3"
zpty -d asked
ZSH

expect() {
  if ! timeout 30 zsh -f "$folder/ask.zsh" "$folder" "$1" "$2"; then
    echo "After '$1' zsh does not offer '$2'."
    exit 1
  fi
}

expect 'lamarck doc' 'lamarck doctor'
expect 'lamarck doctor --js' 'doctor --json'
expect 'lamarck completion fi' 'completion fish'
expect 'lamarck evolve pro' 'evolve program'
expect 'lamarck evolve net --gr' 'evolve net --grain'
expect 'lamarck evolve fn --seed-e' 'evolve fn --seed-equation'
expect 'lamarck --progress li' '--progress lines'
