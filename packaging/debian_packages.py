"""The Debian packages lamarck and python3-lamarck."""

import os
import re
import shutil

from package_stage import (OUT, ROOT, fresh_folder, install_program,
                           install_python, run, version)

DESCRIPTION = """Evolves networks, laws, programs, thoughts and skills
 The program `lamarck` evolves neural networks and formulas for tables, and
 programs for tasks; it serves thoughts and skills to MCP clients and shows
 its runs on a page."""

PYTHON_DESCRIPTION = """Evolves networks, laws and programs from Python
 Estimators for scikit-learn, graphs and optimizers for NumPy, and evolution
 with a task of your own."""


def build_debian_packages():
    return [_build_program(), _build_python()]


def _build_program():
    folder = fresh_folder("deb", "lamarck")
    install_program(os.path.join(folder, "usr"))
    unit = os.path.join(folder, "usr", "lib", "systemd", "system")
    os.makedirs(unit)
    shutil.copy(os.path.join(ROOT, "packaging", "lamarck.service"), unit)
    binary = os.path.join(folder, "usr", "bin", "lamarck")
    return _pack(folder, "lamarck", _depends(folder, binary), DESCRIPTION,
                 recommends="python3, bubblewrap")


def _build_python():
    folder = fresh_folder("deb", "python3-lamarck")
    module = install_python(os.path.join(folder, "usr/lib/python3/dist-packages"))
    depends = _depends(folder, module)
    tag = re.search(r"cpython-(\d)(\d+)", module)
    depends += (f", python3 (>= {tag[1]}.{tag[2]}), "
                f"python3 (<< {tag[1]}.{int(tag[2]) + 1}), python3-numpy")
    return _pack(folder, "python3-lamarck", depends, PYTHON_DESCRIPTION,
                 recommends="python3-sklearn, python3-pandas",
                 suggests="python3-sympy, python3-tqdm")


def _depends(folder, binary):
    """The packages of the libraries that a binary needs, with versions."""
    control = os.path.join(folder, "debian")
    os.makedirs(control)
    with open(os.path.join(control, "control"), "w", encoding="utf-8") as file:
        file.write("Source: lamarck\n\nPackage: lamarck\nArchitecture: any\n")
    output = run("dpkg-shlibdeps", "-O", binary, cwd=folder)
    shutil.rmtree(control)
    return re.search(r"shlibs:Depends=(.*)", output)[1]


def _pack(folder, name, depends, description, *, recommends, suggests=None):
    architecture = run("dpkg", "--print-architecture").strip()
    documents = os.path.join(folder, "usr", "share", "doc", name)
    os.makedirs(documents, exist_ok=True)
    shutil.copy(os.path.join(ROOT, "LICENSE"),
                os.path.join(documents, "copyright"))
    size = run("du", "-sk", folder).split()[0]
    control = os.path.join(folder, "DEBIAN")
    os.makedirs(control)
    lines = [f"Package: {name}", f"Version: {version()}",
             f"Architecture: {architecture}", "Maintainer: The Lamarck authors",
             f"Installed-Size: {size}", f"Depends: {depends}",
             f"Recommends: {recommends}"]
    if suggests:
        lines.append(f"Suggests: {suggests}")
    lines += ["Section: science", "Priority: optional",
              f"Description: {description}"]
    with open(os.path.join(control, "control"), "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    path = os.path.join(OUT, f"{name}_{version()}_{architecture}.deb")
    run("dpkg-deb", "--root-owner-group", "-Zxz", "--build", folder, path)
    return path
