#!/usr/bin/env bash
# Validates our ids with the npm package uuid, an independent implementation.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
"$root/tools/install-deps" npm
"$1" | NODE_PATH="$root/build/npm/node_modules" node "$root/tests/npm/ids_check.js"
