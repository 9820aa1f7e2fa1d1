#!/usr/bin/env python3
"""Checks that every command of the program has a transcript.

  transcript_coverage_check.py LAMARCK TRANSCRIPT...
"""
import pathlib
import re
import subprocess
import sys


def listed_commands(lamarck, *words):
    """The commands that the help of `words` lists, with their subcommands."""
    text = subprocess.run([lamarck, *words, '--help'], capture_output=True,
                          text=True, check=True).stdout
    found = re.search(r'^Subcommands:\n((?:  .*\n?)+)', text, re.MULTILINE)
    for line in found.group(1).splitlines() if found else []:
        command = (*words, line.split()[0])
        inner = list(listed_commands(lamarck, *command))
        yield from inner or [command]


def main():
    lamarck, *transcripts = sys.argv[1:]
    text = '\n'.join(pathlib.Path(name).read_text() for name in transcripts)
    commands = list(listed_commands(lamarck))
    missing = [' '.join(command) for command in commands
               if f'\n$ lamarck {" ".join(command)}' not in text]
    if not commands or missing:
        print(f'Commands without a transcript in tests/cli: {missing or "the help lists none"}.')
        return 1
    print(f'All {len(commands)} commands have transcripts.')
    return 0


if __name__ == '__main__':
    sys.exit(main())
