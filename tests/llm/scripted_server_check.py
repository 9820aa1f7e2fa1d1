#!/usr/bin/env python3
"""Checks the scripted server that other tests use: scripted_server_check.py"""

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
# Requests are local, so any proxy is bypassed.
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
        check(server.wait(20) == 0, "the server must end when its input ends")


def check_scenes(address):
    check(json.loads(ask(address))["choices"][0]["message"]["content"] == "hi",
          "wrong reply")
    check(ask(address, stream=True).endswith("data: [DONE]\n\n"), "the stream must end with [DONE]")
    try:
        ask(address)
        check(False, "expected status 429")
    except urllib.error.HTTPError as error:
        check(error.code == 429 and error.headers["Retry-After"] == "1",
              "expected status 429 with Retry-After 1")
    for what in ("reset", "truncated"):
        try:
            ask(address)
            check(False, f"expected a {what} reply to fail")
        except Exception:
            pass
    check(json.loads(ask(address))["usage"]["completion_tokens"] > 0,
          "the last scene must repeat and count tokens")
    check(len(json.loads(post(address, "/embeddings", {"input": ["a", "b"]}))
              ["data"]) == 2, "expected two embeddings")


def check_improvements(address):
    replies = [json.loads(ask(address))["choices"][0]["message"]["content"]
               for _ in range(3)]
    check(replies[0].startswith("```python\ndef equation_v3(x, params):"),
          "the reply must use the requested function name")
    check(replies[0] != replies[1] and replies[0] == replies[2],
          "functions must be used in turn")


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
        check(len(log.read_text().splitlines()) == 7, "the log must have a line for each request")
        with_server(["--improve", functions], check_improvements)
        ran = subprocess.run(
            [SERVER, "--improve", functions, "--by-prompt", "--", "sh", "-c",
             "echo $LAMARCK_LLM_BASE_URL; exit 3"],
            capture_output=True, text=True, check=False, timeout=60)
        check(ran.returncode == 3 and ran.stdout.startswith("http://127.0.0.1:"),
              "the command must run with the server's address")


if __name__ == "__main__":
    main()
