#!/usr/bin/env bash
# Checks our ids with the independent npm package uuid.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
"$root/tools/install-deps" npm
"$1" | NODE_PATH="$root/build/npm/node_modules" node "$root/tests/npm/ids_check.js"
