#!/usr/bin/env bash
# Our exports of sessions, read by Mermaid and by an XML parser: WRITER
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
"$root/tools/install-deps" mermaid
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1" "$folder"
node "$root/tests/thought/mermaid_check.mjs" "$root/build/npm" "$folder"
