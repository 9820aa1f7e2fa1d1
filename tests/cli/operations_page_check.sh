#!/usr/bin/env bash
# docs/operations.md must match the list of operations:
# operations_page_check.sh PROGRAM PAGE
set -euo pipefail
if ! "$1" ops --markdown | diff -u "$2" -; then
  echo 'docs/operations.md is out of date; run: lamarck ops --markdown > docs/operations.md'
  exit 1
fi
