#!/usr/bin/python3
"""Writes the typed stubs of the package: __init__.pyi and _core/*.pyi.

    PYTHONPATH=build/release/python python/write_stubs.py [FOLDER]

FOLDER is python/lamarck unless given; a test compares the two.
"""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

import lamarck

PACKAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "lamarck")
HEADER = "# Written by python/write_stubs.py.\n\n"


def init_stub():
    """Re-exports, so that tools see what `import lamarck` finds lazily."""
    lines = [f"from . import {name} as {name}" for name in lamarck._MODULES]
    for name, module in sorted(lamarck._MODULE_OF.items()):
        if name == "__version__":
            lines.append("__version__: str")
        else:
            lines.append(f"from .{module} import {name} as {name}")
    return HEADER + "\n".join(sorted(lines)) + "\n"


def core_stubs():
    """{file name: text} of the native module, as mypy's stubgen sees it."""
    with tempfile.TemporaryDirectory() as folder:
        for module in ("lamarck._core", "lamarck._core.nn",
                       "lamarck._core.optim"):
            # Not in this process, which has imported the module.
            subprocess.run([sys.executable, "-c",
                            "from mypy.stubgen import main; main()", "-m",
                            module, "-o", folder], check=True,
                           stdout=subprocess.DEVNULL, cwd=folder)
        texts = {}
        for path in glob.glob(folder + "/lamarck/_core/*.pyi") + glob.glob(
                folder + "/lamarck/_core.pyi"):
            with open(path, encoding="utf-8") as file:
                name = os.path.relpath(path, folder + "/lamarck").replace(
                    "_core.pyi", "_core/__init__.pyi")
                texts[name] = HEADER + _readable(file.read())
        if "_core/__init__.pyi" not in texts:
            sys.exit("write_stubs.py: stubgen wrote nothing; PYTHONPATH must "
                     "be absolute.")
        return texts


def _readable(text):
    """Anything that NumPy makes an array of may be given for an array."""
    text = re.sub(r"(: |: Optional\[)numpy\.ndarray\[numpy\.\w+\]",
                  r"\1ArrayLike", text)
    text = re.sub(r"(self, value): object", r"\1: ArrayLike", text)
    text = re.sub(r"-> numpy\.ndarray\[numpy\.\w+\]", "-> numpy.ndarray", text)
    if "ArrayLike" in text:
        text = "from numpy.typing import ArrayLike\n" + text
    return re.sub(r"[^\S\n]+$", "", text, flags=re.MULTILINE)


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else PACKAGE
    texts = {"__init__.pyi": init_stub(), **core_stubs()}
    shutil.rmtree(os.path.join(folder, "_core"), ignore_errors=True)
    for name, text in texts.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
