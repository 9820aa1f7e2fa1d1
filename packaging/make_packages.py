#!/usr/bin/python3
"""Builds every package into build/packages-out, with checksums and an SBOM.

    packaging/make_packages.py [deb] [tar] [wheel] [npm]

The release build with the Python module must exist; `make package` makes it.
"""

import hashlib
import os
import shutil
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

# pylint: disable=wrong-import-position
from bill_of_materials import write_bill_of_materials
from debian_packages import build_debian_packages
from package_stage import OUT, version
from relocatable_packages import build_npm, build_tarball, build_wheel

KINDS = {
    "deb": build_debian_packages,
    "tar": lambda: [build_tarball()],
    "wheel": lambda: [build_wheel()],
    "npm": lambda: [build_npm()],
}


def write_checksums(paths):
    with open(os.path.join(OUT, "SHA256SUMS"), "w", encoding="utf-8") as file:
        for path in sorted(paths):
            with open(path, "rb") as package:
                digest = hashlib.sha256(package.read()).hexdigest()
            file.write(f"{digest}  {os.path.basename(path)}\n")


def main():
    wanted = sys.argv[1:] or list(KINDS)
    unknown = [kind for kind in wanted if kind not in KINDS]
    if unknown:
        sys.exit(f"make_packages.py: {unknown[0]!r} is not a kind of package; "
                 f"use {', '.join(KINDS)}.")
    shutil.rmtree(OUT, ignore_errors=True)
    os.makedirs(OUT)
    paths = []
    for kind in wanted:
        paths += KINDS[kind]()
    paths.append(write_bill_of_materials(
        os.path.join(OUT, f"lamarck-{version()}.spdx.json")))
    write_checksums(paths)
    for path in paths:
        size = os.path.getsize(path) / 1e6
        print(f"{size:8.1f} MB  {os.path.relpath(path)}")


if __name__ == "__main__":
    main()
