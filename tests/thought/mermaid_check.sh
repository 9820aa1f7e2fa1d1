#!/usr/bin/env bash
# Parses exported sessions with Mermaid and an XML parser: mermaid_check.sh WRITER
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
"$root/tools/install-deps" mermaid
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1" "$folder"
node "$root/tests/thought/mermaid_check.mjs" "$root/build/npm" "$folder"
