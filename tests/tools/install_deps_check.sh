#!/usr/bin/env bash
# tools/install-deps with a make-believe apt: what it asks for, when it is
# silent, and what it says when it cannot install.
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

[ -z "$(run empty)" ] || fail 'a group that needs nothing is not silent'
touch "$folder/broken"
said=$(run build) && fail 'it succeeded though apt failed'
grep -q 'could not install absent other; as root, run: apt-get' <<<"$said" || fail "no remedy: $said"
rm "$folder/broken" "$folder/apt.log"
[ "$(run build)" = 'Installing absent other ...' ] || fail 'it does not say what it installs'
grep -q -- '--no-install-recommends install absent other' "$folder/apt.log" || fail 'it asks for something else'
[ -z "$(run build)" ] || fail 'it is not silent when nothing is missing'
said=$(run nonsense) && fail 'it accepts unknown groups'
grep -q "no group 'nonsense'" <<<"$said" || fail "it does not name the group: $said"
said=$(run) && fail 'it accepts no group at all'
grep -q 'usage:.*build empty' <<<"$said" || fail "it does not list the groups: $said"
