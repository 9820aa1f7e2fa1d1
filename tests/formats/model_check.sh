#!/usr/bin/env bash
# A reader that knows only docs/formats/model.md finds what C++ wrote.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT
"$1" "$folder/model.lamarck" >"$folder/written"
PYTHONIOENCODING=utf-8 "$(dirname "$0")/read_model.py" "$folder/model.lamarck" >"$folder/read"
if ! diff -u "$folder/written" "$folder/read"; then
  echo 'The file holds (+) something else than what was written (-): mend'
  echo 'docs/formats/model.md and tests/formats/read_model.py together.'
  exit 1
fi
