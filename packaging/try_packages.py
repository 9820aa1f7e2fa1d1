#!/usr/bin/python3
"""Tries the packages of build/packages-out, each on a bare system of its kind.

    packaging/try_packages.py [tar] [wheel] [npm] [deb]

Without names, all but `deb`, which needs root and debootstrap.
"""

import glob
import json
import os
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
OUT = os.path.join(ROOT, "build", "packages-out")
BARE = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LC_ALL": "C.UTF-8"}
DATA = os.path.join(ROOT, "tests", "data", "iris.csv")

FIT = """
import lamarck, numpy, pickle
X = numpy.linspace(-1, 1, 60)[:, None]
net = lamarck.NetworkRegressor(budget="3gen", random_state=1).fit(X, X[:, 0])
assert net.score(X, X[:, 0]) > 0.99
assert lamarck.__file__.startswith({prefix!r}), lamarck.__file__
"""


def package(pattern):
    found = glob.glob(os.path.join(OUT, pattern))
    if len(found) != 1:
        sys.exit(f"try_packages.py: there must be one {pattern} in "
                 f"build/packages-out, got {len(found)}; run make package.")
    return found[0]


def run(*words, **options):
    done = subprocess.run([str(word) for word in words], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, timeout=900, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))} failed:\n{done.stdout}")
    return done.stdout


def check_program(*program, **options):
    """The program evolves a network."""
    with tempfile.TemporaryDirectory() as folder:
        text = run(*program, "evolve", "net", DATA, "--target", "species",
                   "--budget", "1gen", "--out", folder + "/net", "--db",
                   folder + "/journal.db", **options)
        assert "accuracy" in text, text


def check_mcp(*program, **options):
    """Returns the seconds until an MCP client has its first answer."""
    request = {"jsonrpc": "2.0", "id": 1, "method": "initialize",
               "params": {"protocolVersion": "2025-11-25", "capabilities": {},
                          "clientInfo": {"name": "try", "version": "1"}}}
    begin = time.monotonic()
    process = subprocess.Popen([*program, "mcp", "--db", ":memory:"],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, text=True, **options)
    process.stdin.write(json.dumps(request) + "\n")
    process.stdin.flush()
    answer = json.loads(process.stdout.readline())
    seconds = time.monotonic() - begin
    process.communicate(timeout=60)
    assert answer["result"]["serverInfo"]["name"], answer
    return seconds


def try_tar():
    with tempfile.TemporaryDirectory() as folder:
        run("tar", "-C", folder, "-xf", package("*.tar.zst"))
        binary = glob.glob(folder + "/*/bin/lamarck")[0]
        libraries = run("ldd", binary, env=BARE)
        outside = [line for line in libraries.splitlines()
                   if "libcurl" in line and folder not in line]
        assert not outside, libraries
        check_program(binary, env={**BARE, "HOME": folder})
        return f"first answer of MCP in {check_mcp(binary, env=BARE):.3f} s"


def try_wheel():
    with tempfile.TemporaryDirectory() as folder:
        # Debian's NumPy and scikit-learn, because there is no network.
        run("/usr/bin/python3", "-m", "venv", "--system-site-packages", folder)
        python = folder + "/bin/python3"
        run(python, "-m", "pip", "install", "--no-index", "--no-deps",
            package("*.whl"), env=BARE, cwd=folder)
        run(python, "-c", FIT.format(prefix=folder), env=BARE, cwd=folder)
        check_program(folder + "/bin/lamarck", env={**BARE, "HOME": folder})
        size = sum(os.path.getsize(path) for path in glob.glob(
            folder + "/lib/python3*/site-packages/lamarck*/**", recursive=True)
            if os.path.isfile(path))
        begin = time.monotonic()
        run(python, "-c", "import lamarck; lamarck.Graph", env=BARE, cwd=folder)
        seconds = time.monotonic() - begin
        return (f"{size / 1e6:.1f} MB installed, {1000 * seconds:.0f} ms to "
                "start Python and import everything native")


def try_npm():
    with tempfile.TemporaryDirectory() as folder:
        environment = {**BARE, "HOME": folder}
        run("npm", "install", "--offline", "--no-audit", "--no-fund",
            package("*.tgz"), env=environment, cwd=folder)
        check_program("npx", "--offline", "lamarck", env=environment,
                      cwd=folder)
        seconds = check_mcp("npx", "--offline", "lamarck", env=environment,
                            cwd=folder)
        return f"npx to the first answer of MCP in {seconds:.3f} s"


def try_deb():
    """Installs both packages on a minimal Debian 12 and runs them there."""
    run(os.path.join(ROOT, "tools", "install-deps"), "fresh")
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        mirror = run("sh", "-c", "apt-get indextargets --format "
                     "'$(RELEASE) $(REPO_URI)' 'Created-By: Packages' | "
                     "sed -n 's/^bookworm //p' | head -n 1").strip()
        run("debootstrap", "--variant=minbase", "--include=ca-certificates",
            "bookworm", folder, mirror)
        run("cp", package("lamarck_*.deb"), package("python3-lamarck_*.deb"),
            DATA, folder + "/root/")
        run("cp", "/etc/resolv.conf", folder + "/etc/")
        script = """
        set -e
        export DEBIAN_FRONTEND=noninteractive
        apt-get update >/dev/null
        before=$(df --output=used -k / | tail -1)
        apt-get install -y --no-install-recommends /root/lamarck_*.deb >/dev/null
        after=$(df --output=used -k / | tail -1)
        cd /root && lamarck evolve net iris.csv --target species --budget 1gen --out net
        apt-get install -y --no-install-recommends /root/python3-lamarck_*.deb python3-sklearn >/dev/null
        python3 -c "import lamarck; print(lamarck.__version__)"
        echo "$(((after - before) / 1024)) MB with dependencies"
        """
        text = run("chroot", folder, "sh", "-c", script, env={
            **BARE, "HOME": "/root", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})
        assert "accuracy" in text, text
        return text.strip().splitlines()[-1]


KINDS = {"tar": try_tar, "wheel": try_wheel, "npm": try_npm, "deb": try_deb}


def main():
    wanted = sys.argv[1:] or ["tar", "wheel", "npm"]
    for kind in wanted:
        if kind not in KINDS:
            sys.exit(f"try_packages.py: {kind!r} is not a kind of package; "
                     f"use {', '.join(KINDS)}.")
        print(f"{kind:6} {KINDS[kind]()}", flush=True)


if __name__ == "__main__":
    main()
