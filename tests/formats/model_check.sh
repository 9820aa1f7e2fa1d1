#!/usr/bin/env bash
# An independent reader, based only on docs/formats/model.md, must find what C++
# wrote.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
"$1" "$folder/model.lamarck" >"$folder/written"
PYTHONIOENCODING=utf-8 "$(dirname "$0")/read_model.py" "$folder/model.lamarck" >"$folder/read"
if ! diff -u "$folder/written" "$folder/read"; then
  echo 'The file content (+) differs from what was written (-): update'
  echo 'docs/formats/model.md and tests/formats/read_model.py together.'
  exit 1
fi
