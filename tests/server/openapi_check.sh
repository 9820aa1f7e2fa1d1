#!/usr/bin/env bash
# Validates /api/v1/openapi.json with the npm package
# @seriousme/openapi-schema-validator.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
"$root/tools/install-deps" openapi
folder=$(mktemp -d)
"$1" serve --port 0 --db :memory: --json > "$folder/up.json" 2> "$folder/err.txt" &
server=$!
trap 'kill "$server" 2> /dev/null || true; rm -rf "$folder"' EXIT
for _ in $(seq 600); do
  [ -s "$folder/up.json" ] && break
  sleep 0.1
done
python3 - "$folder" << 'PYTHON'
import json, pathlib, sys, urllib.request
folder = pathlib.Path(sys.argv[1])
api = json.loads((folder / 'up.json').read_text())['api']
(folder / 'openapi.json').write_bytes(
    urllib.request.urlopen(api + '/openapi.json').read())
PYTHON
cp "$root/tests/server/openapi_check.mjs" "$folder/check.mjs"
ln -s "$root/build/npm/node_modules" "$folder/node_modules"
node "$folder/check.mjs" "$folder/openapi.json"
