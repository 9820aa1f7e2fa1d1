#!/usr/bin/env bash
# Installs a build into an empty folder and builds a small project against it.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cmake --install "$1" --prefix "$folder/prefix" >"$folder/log" || { cat "$folder/log"; exit 1; }

for file in bin/lamarck include/lamarck/base/result.h share/man/man1/lamarck.1 \
  share/bash-completion/completions/lamarck share/zsh/site-functions/_lamarck \
  share/fish/vendor_completions.d/lamarck.fish; do
  [ -s "$folder/prefix/$file" ] || { echo "make install did not install $file."; exit 1; }
done
"$folder/prefix/bin/lamarck" --version
"$here/installed_files_check.py" "$folder/prefix" "$1"/bin/lamarck "$1"/*_tests

build() {
  cmake -S "$here" -B "$folder/build" -G Ninja -DCMAKE_PREFIX_PATH="$folder/prefix" && cmake --build "$folder/build"
}
build >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
printed=$("$folder/build/outside")
echo "$printed"
version=$(sed -n "s/^project(lamarck VERSION \([0-9.]*\).*/\1/p" "$here/../../CMakeLists.txt")
[ "$printed" = "{\"drawn\":26,\"simd\":true,\"version\":\"$version\"}" ]
# The sum of all elements of the matrix 1 2 / 3 4 multiplied by itself.
python3 - "$folder/build/liboutside_module.so" <<'PYTHON'
import ctypes
import sys
assert ctypes.CDLL(sys.argv[1]).outside_module_answer() == 54
PYTHON
