#!/usr/bin/env bash
# Tests `lamarck mcp` with the official TypeScript client: sdk_check.sh LAMARCK
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
"$root/tools/install-deps" mcp
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# Node searches modules in the folder of the script and its parents.
cp "$root/tests/mcp/sdk_flow.mjs" "$folder"
ln -s "$root/build/npm/node_modules" "$folder/node_modules"
node "$folder/sdk_flow.mjs" "$1" "$folder"
