"""What goes into packages: the installed files and the libraries they need."""

import os
import re
import shutil
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.join(ROOT, "build", "release")
OUT = os.path.join(ROOT, "build", "packages-out")

# Part of every Linux system; those of another version would not work.
SYSTEM_LIBRARIES = re.compile(
    r"^(linux-vdso|ld-linux|libc|libm|libdl|libpthread|librt|libresolv)\b")


def run(*words, **options):
    """Runs a program; its failure ends the build with its output."""
    done = subprocess.run([str(word) for word in words], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          **options)
    if done.returncode != 0:
        raise SystemExit(f"{words[0]} failed:\n{done.stdout}")
    return done.stdout


def version():
    """The version of the project, which CMakeLists.txt states."""
    with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as file:
        return re.search(r"project\(lamarck VERSION ([\d.]+)", file.read())[1]


def fresh_folder(*parts):
    """An empty folder under build/release/stage."""
    folder = os.path.join(BUILD, "stage", *parts)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    return folder


def install_program(prefix):
    """Installs the program, its manual and completions; no headers."""
    run("cmake", "--install", BUILD, "--prefix", prefix)
    for folder in ("include", os.path.join("lib", "x86_64-linux-gnu")):
        shutil.rmtree(os.path.join(prefix, folder), ignore_errors=True)
    shutil.rmtree(os.path.join(prefix, "lib"), ignore_errors=True)
    run("strip", os.path.join(prefix, "bin", "lamarck"))


def libraries_of(binary):
    """{name: path} of the shared libraries that a bundle must have."""
    found = {}
    for line in run("ldd", binary).splitlines():
        match = re.match(r"\s*(\S+) => (\S+) \(", line)
        if match and not SYSTEM_LIBRARIES.match(match[1]):
            found[match[1]] = os.path.realpath(match[2])
        elif "not found" in line:
            raise SystemExit(f"{binary}: {line.strip()}")
    return found


def bundle_libraries(binary, folder):
    """Copies the libraries of a binary; both then find them by $ORIGIN."""
    os.makedirs(folder, exist_ok=True)
    libraries = libraries_of(binary)
    for name, path in libraries.items():
        target = os.path.join(folder, name)
        shutil.copy(path, target)
        os.chmod(target, 0o644)
        run("patchelf", "--set-rpath", "$ORIGIN", target)
    there = os.path.relpath(folder, os.path.dirname(binary))
    run("patchelf", "--set-rpath", "$ORIGIN/" + there, binary)
    return libraries


def python_module():
    """The path of the built module."""
    folder = os.path.join(BUILD, "python", "lamarck")
    for name in os.listdir(folder):
        if name.startswith("_core.") and name.endswith(".so"):
            return os.path.join(folder, name)
    raise SystemExit("The Python module is not built; run make python.")


def install_python(folder):
    """Copies the Python package with its stripped module into `folder`."""
    package = os.path.join(folder, "lamarck")
    os.makedirs(package)
    source = os.path.join(ROOT, "python", "lamarck")
    for name in sorted(os.listdir(source)):
        if name.endswith((".py", ".pyi")) or name in ("py.typed", "program"):
            shutil.copy(os.path.join(source, name), package)
    shutil.copytree(os.path.join(source, "_core"),
                    os.path.join(package, "_core"))
    module = shutil.copy(python_module(), package)
    run("strip", "--strip-unneeded", module)
    return module
