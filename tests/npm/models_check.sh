#!/usr/bin/env bash
# Fetches MiniLM with the program, serves it and asks for a vector.
# Usage: models_check.sh LAMARCK
set -euo pipefail
lamarck=$1
folder=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$folder"' EXIT
export LAMARCK_DATA_DIR=$folder/data
"$lamarck" models fetch minilm
"$lamarck" models list | grep -q "minilm.*: fetched"
[ "$(find "$folder/data/models" -type f | wc -l)" -eq 3 ]
"$lamarck" models serve minilm --port 0 >"$folder/out" &
server=$!
for _ in $(seq 300); do
  url=$(sed -n 's/^minilm.* at //p' "$folder/out")
  [ -z "$url" ] || break
  sleep 0.1
done
curl -sS --fail "$url/embeddings" -d '{"input": ["a small cat", "a kitten", "a bank transfer"]}' >"$folder/reply"
python3 - "$folder/reply" <<'END'
import json, sys
a, b, c = [row["embedding"] for row in json.load(open(sys.argv[1]))["data"]]
cosine = lambda x, y: sum(i * j for i, j in zip(x, y))
assert len(a) == 384 and abs(cosine(a, a) - 1) < 1e-4
assert cosine(a, b) > 0.6 > 0.2 > cosine(a, c), (cosine(a, b), cosine(a, c))
END
