#!/usr/bin/env bash
# docs/operations.md is what the list of operations says: PROGRAM PAGE
set -euo pipefail
if ! "$1" ops --markdown | diff -u "$2" -; then
  echo 'docs/operations.md is out of date; run: lamarck ops --markdown > docs/operations.md'
  exit 1
fi
