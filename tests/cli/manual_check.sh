#!/usr/bin/env bash
# The man page must be free of groff warnings and contain its main parts.
set -euo pipefail
page=$("$1" manual)
warnings=$(groff -man -Tutf8 -ww -z <<<"$page" 2>&1)
if [ -n "$warnings" ]; then
  echo "$warnings"
  exit 1
fi
text=$(groff -man -Tascii -P-c -P-b -P-u <<<"$page")
for word in NAME SYNOPSIS COMMANDS 'lamarck doctor' '--json' LAMARCK_THREADS 'EXIT STATUS' 130; do
  grep -qF -- "$word" <<<"$text" || { echo "The manual lacks $word."; exit 1; }
done
