#!/usr/bin/env bash
# Fetches MiniLM and Needle with the program, serves them and asks for a vector
# and for a call of a tool.
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

# Serves a model and sets url.
serve() {
  [ -z "$server" ] || kill "$server"
  "$lamarck" models serve "$1" --port 0 >"$folder/out" &
  server=$!
  for _ in $(seq 300); do
    url=$(sed -n "s/^$1.* at //p" "$folder/out")
    [ -z "$url" ] || break
    sleep 0.1
  done
}

serve minilm
curl -sS --fail "$url/embeddings" -d '{"input": ["a small cat", "a kitten", "a bank transfer"]}' >"$folder/reply"
python3 - "$folder/reply" <<'END'
import json, sys
a, b, c = [row["embedding"] for row in json.load(open(sys.argv[1]))["data"]]
cosine = lambda x, y: sum(i * j for i, j in zip(x, y))
assert len(a) == 384 and abs(cosine(a, a) - 1) < 1e-4
assert cosine(a, b) > 0.6 > 0.2 > cosine(a, c), (cosine(a, b), cosine(a, c))
END

"$lamarck" models fetch needle
serve needle
cat >"$folder/request" <<'END'
{"model": "needle", "messages": [{"role": "user", "content": "Wake me at 6:45 for the train"}],
 "tools": [
  {"type": "function", "function": {"name": "get_weather", "description": "Get the weather of a city.",
   "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}},
  {"type": "function", "function": {"name": "alarm.set", "description": "Set an alarm.",
   "parameters": {"type": "object", "properties": {"time": {"type": "string", "description": "Time as HH:MM."}},
                  "required": ["time"]}}}]}
END
curl -sS --fail "$url/chat/completions" -d @"$folder/request" >"$folder/reply"
curl -sS "$url/chat/completions" -d '{"messages": [{"role": "user", "content": "Hello"}]}' >"$folder/refused"
python3 - "$folder/reply" "$folder/refused" <<'END'
import json, sys
reply = json.load(open(sys.argv[1]))
function = reply["choices"][0]["message"]["tool_calls"][0]["function"]
assert function["name"] == "alarm.set", reply
assert json.loads(function["arguments"]) == {"time": "6:45"}, reply
assert reply["usage"]["prompt_tokens"] > 50 and reply["usage"]["completion_tokens"] > 10, reply
assert "only calls tools" in json.load(open(sys.argv[2]))["error"]["message"]
END
