#!/usr/bin/env bash
# Tests tools/install-deps with a fake apt: what it installs, when it prints
# nothing, and its message when it cannot install.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/tree/tools" "$folder/bin"
cp "$root/tools/install-deps" "$folder/tree/tools/"
cat >"$folder/tree/tools/dependencies" <<'TEXT'
# comment
build: present absent tool=sh other=no-such-command
empty:
TEXT
# The only installed package is `present`, and those that apt "installed".
cat >"$folder/bin/dpkg-query" <<TEXT
#!/bin/sh
for last; do :; done
grep -qx "\$last" "$folder/installed" && printf installed
TEXT
cat >"$folder/bin/apt-get" <<TEXT
#!/bin/sh
echo "\$*" >>"$folder/apt.log"
[ -e "$folder/broken" ] && { echo 'E: no network' ; exit 100; }
case "\$*" in *install*) printf 'absent\nother\n' >>"$folder/installed" ;; esac
TEXT
chmod +x "$folder/bin/"*
echo present >"$folder/installed"
export PATH="$folder/bin:$PATH"
run() { "$folder/tree/tools/install-deps" "$@" 2>&1; }
fail() { echo "$1"; exit 1; }

[ -z "$(run empty)" ] || fail 'expected no output for an empty group'
touch "$folder/broken"
printed=$(run build) && fail 'expected a failure, because apt failed'
grep -q 'could not install absent other; as root, run: apt-get' <<<"$printed" || fail "expected a remedy in: $printed"
rm "$folder/broken" "$folder/apt.log"
[ "$(run build)" = 'Installing absent other ...' ] || fail 'expected a line that names the packages'
grep -q -- '--no-install-recommends install absent other' "$folder/apt.log" || fail 'apt-get was called with other packages'
[ -z "$(run build)" ] || fail 'expected no output if nothing is missing'
printed=$(run nonsense) && fail 'expected a failure for an unknown group'
grep -q "no group 'nonsense'" <<<"$printed" || fail "expected the name of the group in: $printed"
printed=$(run) && fail 'expected a failure without a group'
grep -q 'usage:.*build empty' <<<"$printed" || fail "expected the list of groups in: $printed"

# Tarballs: unpacked after their checksum matches, once; otherwise a remedy.
mkdir -p "$folder/registry/@scope/small/-" "$folder/package" "$folder/tree/cmake"
cp "$root/cmake/FetchPackage.cmake" "$folder/tree/cmake/"
echo '{"name": "small"}' >"$folder/package/package.json"
tar -C "$folder" -czf "$folder/registry/@scope/small/-/small-1.2.3.tgz" package
checksum=$(sha256sum "$folder/registry/@scope/small/-/small-1.2.3.tgz" | cut -d ' ' -f 1)
echo "good: tarball:@scope/small@1.2.3#$checksum" >>"$folder/tree/tools/dependencies"
echo "bad: tarball:@scope/small@1.2.3#${checksum//[0-9]/a}" >>"$folder/tree/tools/dependencies"
export NPM_CONFIG_REGISTRY="file://$folder/registry/"
printed=$(run bad) && fail 'expected a failure, because the checksum is wrong'
grep -q 'SHA-256' <<<"$printed" || fail "expected the checksums in: $printed"
[ ! -e "$folder/tree/build/packages/@scope/small" ] || fail 'a package with a wrong checksum was unpacked'
[ "$(run good)" = 'Fetching @scope/small 1.2.3 ...' ] || fail 'expected a line that names the package'
[ -e "$folder/tree/build/packages/@scope/small/package.json" ] || fail 'the package was not unpacked'
[ -z "$(run good)" ] || fail 'expected no output if the package is there'
export NPM_CONFIG_REGISTRY="file://$folder/nowhere"
rm -r "$folder/tree/build"
printed=$(run good) && fail 'expected a failure, because the registry cannot be reached'
grep -q 'NPM_CONFIG_REGISTRY' <<<"$printed" || fail "expected a remedy in: $printed"
