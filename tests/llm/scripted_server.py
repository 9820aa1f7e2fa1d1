#!/usr/bin/env python3
"""A model server for tests: serves the OpenAI-compatible protocol on a free local
port and plays a script.

  scripted_server.py --script scenes.json      scenes in order; the last one repeats
  scripted_server.py --improve functions.py    the functions of the file in turn
  scripted_server.py ... -- COMMAND [ARG...]   runs the command with the server

Prints its base URL and serves until its standard input ends. With a command it
prints nothing, sets LAMARCK_LLM_BASE_URL and LAMARCK_LLM_MODEL for the command,
and exits with its status.

--by-prompt selects the function by the prompt instead of the order of arrival, so
that the result does not depend on threads. --log FILE writes one line of JSON for
each request: its path, headers, body, and how many requests are being answered.

A scene is an object: {"reply": TEXT} or {"stream": [TEXT...]} or {"status": N,
"body": TEXT, "headers": {...}} or {"truncated": TEXT} or {"flood": true} or
{"reset": true}. "stall": SECONDS waits before the reply, "drip": SECONDS before
each byte.
"""

import argparse
import hashlib
import http.server
import json
import os
import re
import socket
import struct
import subprocess
import sys
import threading
import time

MODEL = "scripted"


def functions_of(text):
    """Returns the source of each top-level function of a Python text."""
    parts = re.split(r"(?m)^(?=def )", text)
    return [part.rstrip() + "\n" for part in parts if part.startswith("def ")]


def wanted_name(messages):
    """Returns the name of the function that a prompt asks for."""
    found = re.findall(r"Write the whole function (\w+)",
                       "\n".join(str(m.get("content")) for m in messages))
    return found[-1] if found else "equation"


def estimated_tokens(text):
    return len(text) // 4 + 1


class Script:
    """Decides what comes next; shared by all connections."""

    def __init__(self, scenes, functions, by_prompt):
        self.scenes = scenes
        self.functions = functions
        self.by_prompt = by_prompt
        self.turn = 0
        self.active = 0
        self.lock = threading.Lock()

    def next_turn(self):
        with self.lock:
            self.turn += 1
            return self.turn - 1

    def scene(self, request):
        if self.functions:
            return {"reply": self.improved(request)}
        return self.scenes[min(self.next_turn(), len(self.scenes) - 1)]

    def improved(self, request):
        messages = request.get("messages", [])
        turn = self.next_turn()
        if self.by_prompt:
            key = json.dumps([messages, request.get("seed")]).encode()
            turn = int.from_bytes(hashlib.sha256(key).digest()[:8], "big")
        function = self.functions[turn % len(self.functions)]
        name = wanted_name(messages)
        return "```python\n" + re.sub(r"^def \w+", "def " + name,
                                      function) + "```\n"


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    script = None
    log = None

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            request = json.loads(body)
        except ValueError:
            return self.answer(400, '{"error": {"message": "not JSON"}}')
        with self.script.lock:
            self.script.active += 1
        try:
            self.reply(request)
        finally:
            with self.script.lock:
                self.script.active -= 1

    def reply(self, request):
        self.note(request)
        if self.path.endswith("/embeddings"):
            return self.answer(200, json.dumps(embeddings(request)))
        if not self.path.endswith("/chat/completions"):
            return self.answer(404, '{"error": {"message": "no such path"}}')
        try:
            self.play(self.script.scene(request), request)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def note(self, request):
        if self.log is None:
            return
        line = {"path": self.path, "headers": dict(self.headers), "body": request}
        with self.script.lock, open(self.log, "a", encoding="utf-8") as file:
            line["active"] = self.script.active
            file.write(json.dumps(line) + "\n")

    def play(self, scene, request):
        time.sleep(scene.get("stall", 0))
        drip = scene.get("drip", 0)
        if scene.get("reset"):
            self.hang_up()
        elif scene.get("flood"):
            self.flood()
        elif "truncated" in scene:
            self.truncate(scene["truncated"])
        elif "status" in scene:
            self.answer(scene["status"], scene.get("body", ""),
                        scene.get("headers", {}), drip)
        elif "stream" in scene or request.get("stream"):
            pieces = scene.get("stream", [scene.get("reply", "")])
            self.answer(200, events(pieces, request), {}, drip,
                        "text/event-stream")
        else:
            self.answer(200, json.dumps(completion(scene["reply"], request)),
                        {}, drip)

    def answer(self, status, body, headers=None, drip=0,
               kind="application/json"):
        data = body.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        for name, value in (headers or {}).items():
            self.send_header(name, str(value))
        self.end_headers()
        if drip == 0:
            self.wfile.write(data)
            return
        for i in range(len(data)):
            time.sleep(drip)
            self.wfile.write(data[i:i + 1])
            self.wfile.flush()

    def truncate(self, text):
        data = text.encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data) + 1000))
        self.end_headers()
        self.wfile.write(data)
        self.close_connection = True

    def flood(self):
        self.send_response(200)
        self.end_headers()
        self.close_connection = True
        while True:
            self.wfile.write(b"x" * 65536)

    def hang_up(self):
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER,
                                   struct.pack("ii", 1, 0))
        self.close_connection = True


def usage(text, request):
    prompt = "".join(str(m.get("content")) for m in request.get("messages", []))
    return {"prompt_tokens": estimated_tokens(prompt),
            "completion_tokens": estimated_tokens(text)}


def completion(text, request):
    return {"object": "chat.completion", "model": MODEL,
            "choices": [{"index": 0, "finish_reason": "stop",
                         "message": {"role": "assistant", "content": text}}],
            "usage": usage(text, request)}


def events(pieces, request):
    chunks = [{"choices": [{"index": 0, "delta": {"content": piece},
                            "finish_reason": None}]} for piece in pieces]
    chunks.append({"choices": [{"index": 0, "delta": {},
                                "finish_reason": "stop"}]})
    chunks.append({"choices": [], "usage": usage("".join(pieces), request)})
    lines = ["data: " + json.dumps(chunk) + "\n\n" for chunk in chunks]
    return "".join(lines) + "data: [DONE]\n\n"


def embeddings(request):
    texts = request.get("input", [])
    texts = [texts] if isinstance(texts, str) else texts
    vectors = [[byte / 255 for byte in hashlib.sha256(t.encode()).digest()[:8]]
               for t in texts]
    return {"data": [{"index": i, "embedding": vector}
                     for i, vector in enumerate(vectors)],
            "usage": {"prompt_tokens": sum(map(estimated_tokens, texts))}}


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        pass  # Clients that disconnect are expected.


def run_command(command, address):
    environment = dict(os.environ, LAMARCK_LLM_BASE_URL=address,
                       LAMARCK_LLM_MODEL=MODEL)
    return subprocess.run(command, env=environment, check=False).returncode


def main():
    arguments = sys.argv[1:]
    command = []
    if "--" in arguments:
        at = arguments.index("--")
        arguments, command = arguments[:at], arguments[at + 1:]
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--script", type=argparse.FileType())
    source.add_argument("--improve", type=argparse.FileType())
    parser.add_argument("--by-prompt", action="store_true")
    parser.add_argument("--log")
    options = parser.parse_args(arguments)
    scenes = json.load(options.script) if options.script else []
    functions = functions_of(options.improve.read()) if options.improve else []
    if not scenes and not functions:
        sys.exit("scripted_server.py: the file must have a scene or a function.")
    Handler.script = Script(scenes, functions, options.by_prompt)
    Handler.log = options.log
    server = Server(("127.0.0.1", 0), Handler)
    address = f"http://127.0.0.1:{server.server_address[1]}/v1"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    if command:
        sys.exit(run_command(command, address))
    print(address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
