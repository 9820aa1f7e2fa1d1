#!/usr/bin/env bash
# Our ids judged by npm's uuid, which knows nothing of us.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
"$root/tools/install-deps" npm
"$1" | NODE_PATH="$root/build/npm/node_modules" node "$root/tests/npm/ids_check.js"
