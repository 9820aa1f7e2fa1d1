#!/usr/bin/env bash
# `lamarck mcp` used by the official TypeScript client: sdk_check.sh LAMARCK
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
"$root/tools/install-deps" mcp
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# Modules are looked for from the script's own place upward.
cp "$root/tests/mcp/sdk_flow.mjs" "$folder"
ln -s "$root/build/npm/node_modules" "$folder/node_modules"
node "$folder/sdk_flow.mjs" "$1" "$folder"
