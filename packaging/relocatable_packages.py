"""Packages that bring their libraries: tar.zst, wheel, npm."""

import json
import os
import platform
import re
import shutil
import sys
import sysconfig

from package_stage import (OUT, ROOT, bundle_libraries, fresh_folder,
                           install_program, install_python, run, version)


def build_tarball():
    """bin/, lib/ and share/ in one folder that works anywhere."""
    name = f"lamarck-{version()}-linux-{platform.machine()}"
    folder = fresh_folder("tar", name)
    _relocatable_program(folder)
    shutil.copy(os.path.join(ROOT, "LICENSE"), folder)
    path = os.path.join(OUT, name + ".tar.zst")
    run("tar", "--sort=name", "--owner=0", "--group=0", "--mtime=@0",
        "-C", os.path.dirname(folder), "-I", "zstd -19 -T0", "-cf", path, name)
    return path


def _relocatable_program(folder):
    install_program(folder)
    bundle_libraries(os.path.join(folder, "bin", "lamarck"),
                     os.path.join(folder, "lib"))


def build_wheel():
    """The Python package; `pip install` of the file needs nothing else."""
    name = f"lamarck-{version()}"
    folder = fresh_folder("wheel", name)
    module = install_python(folder)
    bundle_libraries(module, os.path.join(folder, "lamarck.libs"))
    info = os.path.join(folder, name + ".dist-info")
    os.makedirs(info)
    for file_name, text in _wheel_metadata().items():
        with open(os.path.join(info, file_name), "w", encoding="utf-8") as file:
            file.write(text)
    shutil.copy(os.path.join(ROOT, "LICENSE"), info)
    output = run(sys.executable, "-m", "wheel", "pack", folder, "-d", OUT)
    found = re.search(r"Repacking wheel as (\S+\.whl)", output)
    return found[1] if os.path.isabs(found[1]) else os.path.join(ROOT, found[1])


def _wheel_metadata():
    tag = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    system = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    with open(os.path.join(ROOT, "python", "README.md"),
              encoding="utf-8") as file:
        readme = file.read()
    return {
        "WHEEL": "Wheel-Version: 1.0\nGenerator: lamarck\n"
                 f"Root-Is-Purelib: false\nTag: {tag}-{tag}-{system}\n",
        "METADATA": "Metadata-Version: 2.1\nName: lamarck\n"
                    f"Version: {version()}\n"
                    "Summary: Evolves networks, laws and programs\n"
                    "License: Apache-2.0\n"
                    "Requires-Python: >=3.11\nRequires-Dist: numpy\n"
                    "Requires-Dist: scikit-learn; extra == 'sklearn'\n"
                    "Requires-Dist: pandas; extra == 'sklearn'\n"
                    "Provides-Extra: sklearn\n"
                    "Description-Content-Type: text/markdown\n\n" + readme,
        "entry_points.txt": "[console_scripts]\n"
                            "lamarck = lamarck.__main__:main\n",
    }


LAUNCHER = """#!/usr/bin/env node
// Starts the program of this package.
const { spawn } = require("node:child_process");
const { join } = require("node:path");
const { constants } = require("node:os");

const child = spawn(join(__dirname, "program", "bin", "lamarck"),
  process.argv.slice(2), { stdio: "inherit" });
for (const name of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(name, () => child.kill(name));
}
child.on("error", (error) => {
  console.error(`lamarck: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  process.exit(signal ? 128 + constants.signals[signal] : code);
});
"""


def build_npm():
    """A package with the program inside, so that npx runs it."""
    folder = fresh_folder("npm", "lamarck")
    _relocatable_program(os.path.join(folder, "program"))
    shutil.copy(os.path.join(ROOT, "LICENSE"), folder)
    shutil.copy(os.path.join(ROOT, "packaging", "npm_readme.md"),
                os.path.join(folder, "README.md"))
    with open(os.path.join(folder, "lamarck.js"), "w",
              encoding="utf-8") as file:
        file.write(LAUNCHER)
    os.chmod(os.path.join(folder, "lamarck.js"), 0o755)
    manifest = {
        "name": "lamarck",
        "version": version(),
        "description": "Evolves networks, laws and programs; an MCP server "
                       "for thoughts and skills",
        "license": "Apache-2.0",
        "bin": {"lamarck": "lamarck.js"},
        "os": ["linux"],
        "cpu": ["x64" if platform.machine() == "x86_64" else "arm64"],
        "files": ["lamarck.js", "program"],
    }
    with open(os.path.join(folder, "package.json"), "w",
              encoding="utf-8") as file:
        json.dump(manifest, file, indent=2)
    output = run("npm", "pack", "--pack-destination", OUT, cwd=folder)
    return os.path.join(OUT, output.strip().splitlines()[-1])
