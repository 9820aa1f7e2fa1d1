#!/usr/bin/env bash
# Checks that an independent reader, written from docs/formats/model.md, reads
# exactly what the C++ library wrote.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
"$1" "$folder/model.lamarck" >"$folder/written"
PYTHONIOENCODING=utf-8 "$(dirname "$0")/read_model.py" "$folder/model.lamarck" >"$folder/read"
if ! diff -u "$folder/written" "$folder/read"; then
  echo 'The file (+) differs from what was written (-). If the format changed,'
  echo 'update docs/formats/model.md and tests/formats/read_model.py together.'
  exit 1
fi
