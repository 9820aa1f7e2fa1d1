#!/usr/bin/env bash
# Tests the page in Chromium against real servers: browser_check.sh LAMARCK SUITE
# Screenshots go to $LAMARCK_SCREENSHOTS if it is set.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
program=$(realpath "$1")
suite=$2
"$root/tools/install-deps" browser
if ! "$program" serve --help >/dev/null; then exit 1; fi
export NODE_PATH=$root/build/npm/node_modules
exec node "$root/tests/web/$suite.cjs" "$program"
