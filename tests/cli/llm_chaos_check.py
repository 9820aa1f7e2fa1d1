#!/usr/bin/env python3
"""Whatever a model server does, a run must end within its budget with its best
result so far. It fails, in one sentence, only if the model never answered.

  llm_chaos_check.py LAMARCK
"""

import json
import pathlib
import subprocess
import sys
import tempfile

SERVER = pathlib.Path(__file__).parent.parent / "llm" / "scripted_server.py"
SCENES = {
    "stalls": {"reply": "hello", "stall": 300},
    "floods": {"flood": True},
    "drips": {"reply": "def equation(x): return x", "drip": 1},
    "dies": {"reset": True},
    "breaks off": {"truncated": "def equation("},
    "is overloaded": {"status": 503, "body": "busy"},
    "refuses": {"status": 401, "body": "no"},
    "asks for patience": {"status": 429, "body": "later",
                          "headers": {"Retry-After": "600"}},
    "chatters": {"reply": "I cannot help with that."},
    "writes code that is not a formula": {
        "reply": "```python\ndef equation(x):\n    import os\n"
                 "    return os.system('true')\n```"},
}
# In these scenes the model answers, although not usefully.
ANSWERING = ("chatters", "writes code that is not a formula")
# Much longer than a run of one second takes, even under a sanitizer.
TIMEOUT_S = 100


def run(lamarck, folder, name, scene):
    script = folder / "scenes.json"
    script.write_text(json.dumps([scene]))
    done = subprocess.run(
        [sys.executable, SERVER, "--script", script, "--", lamarck, "evolve",
         "fn", "line.csv", "--target", "y", "--engine", "llm", "--islands", "2",
         "--budget", "1s", "--progress", "none", "--json", "--out", "run"],
        cwd=folder, capture_output=True, text=True, timeout=TIMEOUT_S,
        check=False)
    if name in ANSWERING:
        assert done.returncode == 0, (name, done.stderr)
    else:
        assert done.returncode == 1, (name, done.returncode, done.stderr)
        errors = [line for line in done.stderr.splitlines()
                  if not line.startswith("Note: ")]
        assert len(errors) == 1 and "never answered" in errors[0], (
            name, done.stderr)
    result = json.loads(done.stdout)
    assert result["best"]["formula"] == "20", (name, result["best"])
    assert result["reason"].endswith("."), (name, result["reason"])
    journal = (folder / "run" / "journal.jsonl").read_text()
    assert all(json.loads(line) for line in journal.splitlines()), name
    subprocess.run(["rm", "-r", folder / "run"], check=True)


def main():
    lamarck = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        rows = [f"{x},{2 * x + 1}" for x in range(20)]
        (folder / "line.csv").write_text("x,y\n" + "\n".join(rows) + "\n")
        for name, scene in SCENES.items():
            run(lamarck, folder, name, scene)
    print(f"{len(SCENES)} misbehaving servers; every run ended correctly.")


if __name__ == "__main__":
    main()
