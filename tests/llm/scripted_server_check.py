#!/usr/bin/env python3
"""Checks the scripted server that other tests rely on."""

import json
import pathlib
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

SERVER = pathlib.Path(__file__).parent / "scripted_server.py"
FUNCTIONS = """def equation(x, params):
    return params[0] * x


def equation(x, params):
    return params[0] * x + params[1]
"""
# Ignores proxies, since the server is local.
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def post(address, path, body):
    request = urllib.request.Request(
        address + path, json.dumps(body).encode(),
        {"Content-Type": "application/json"})
    with OPENER.open(request, timeout=20) as reply:
        return reply.read().decode()


def ask(address, text="Write the whole function equation_v3", **more):
    body = {"messages": [{"role": "user", "content": text}], **more}
    return post(address, "/chat/completions", body)


def check(condition, what):
    if not condition:
        sys.exit(f"scripted_server_check: {what}")


def with_server(flags, work):
    server = subprocess.Popen([SERVER, *flags], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True)
    try:
        work(server.stdout.readline().strip())
    finally:
        server.stdin.close()
        check(server.wait(20) == 0, "must exit with 0 when its input ends")


def check_scenes(address):
    check(json.loads(ask(address))["choices"][0]["message"]["content"] == "hi",
          "must reply")
    check(ask(address, stream=True).endswith("data: [DONE]\n\n"), "must stream")
    try:
        ask(address)
        check(False, "must answer with status 429")
    except urllib.error.HTTPError as error:
        check(error.code == 429 and error.headers["Retry-After"] == "1",
              "must answer with status 429 and Retry-After")
    for what in ("reset the connection", "truncate the reply"):
        try:
            ask(address)
            check(False, f"must {what}")
        except Exception:
            pass
    check(json.loads(ask(address))["usage"]["completion_tokens"] > 0,
          "must count tokens and repeat the last scene")
    check(len(json.loads(post(address, "/embeddings", {"input": ["a", "b"]}))
              ["data"]) == 2, "must return an embedding for each text")


def check_improvements(address):
    replies = [json.loads(ask(address))["choices"][0]["message"]["content"]
               for _ in range(3)]
    check(replies[0].startswith("```python\ndef equation_v3(x, params):"),
          "must use the requested function name")
    check(replies[0] != replies[1] and replies[0] == replies[2],
          "must use its functions in turn")


def main():
    with tempfile.TemporaryDirectory() as folder:
        scenes = pathlib.Path(folder, "scenes.json")
        scenes.write_text(json.dumps([
            {"reply": "hi"}, {"stream": ["a", "b"]},
            {"status": 429, "headers": {"Retry-After": 1}}, {"reset": True},
            {"truncated": "{"}, {"reply": "last", "stall": 0.01, "drip": 0.001},
        ]))
        functions = pathlib.Path(folder, "functions.py")
        functions.write_text(FUNCTIONS)
        log = pathlib.Path(folder, "log.jsonl")
        with_server(["--script", scenes, "--log", log], check_scenes)
        check(len(log.read_text().splitlines()) == 7, "must log each request")
        with_server(["--improve", functions], check_improvements)
        ran = subprocess.run(
            [SERVER, "--improve", functions, "--by-prompt", "--", "sh", "-c",
             "echo $LAMARCK_LLM_BASE_URL; exit 3"],
            capture_output=True, text=True, check=False, timeout=60)
        check(ran.returncode == 3 and ran.stdout.startswith("http://127.0.0.1:"),
              "must run a command with its base URL")


if __name__ == "__main__":
    main()
