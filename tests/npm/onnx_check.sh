#!/usr/bin/env bash
# Runs our ONNX files with ONNX Runtime and compares its results with ours.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
"$root/tools/install-deps" onnx
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$1" "$folder"
NODE_PATH="$root/build/npm/node_modules" node "$root/tests/npm/onnx_check.js" "$folder"
