#!/usr/bin/env bash
# Checks the types of web/ with the TypeScript compiler.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
"$root/tools/install-deps" page types
exec node "$root/build/npm/node_modules/typescript/bin/tsc" -p "$root/web/tsconfig.json"
