#!/usr/bin/env python3
"""Runs CLI transcripts: run_transcripts.py PROGRAMS FILE...

With --approve, a transcript whose output changed is rewritten; review the change:

    tests/run_transcripts.py --approve build/dev/bin tests/cli/*.transcript
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / 'tools'))
import transcript  # noqa: E402


def main():
    words = [word for word in sys.argv[1:] if word != '--approve']
    programs = pathlib.Path(words[0]).resolve()
    failures = steps = 0
    for name in words[1:]:
        path = pathlib.Path(name)
        text = []
        for command, expected, actual, is_same in transcript.run(
                path.read_text(encoding='utf-8').splitlines(), programs):
            steps += 1
            text += ['$ ' + command, *(expected if is_same else actual)]
            if not is_same:
                failures += 1
                print(transcript.complaint(path, command, expected, actual))
        if '--approve' in sys.argv:
            path.write_text('\n'.join(text) + '\n', encoding='utf-8')
    print(f'{steps} commands, {failures} with unexpected output.')
    return 1 if failures and '--approve' not in sys.argv else int(steps == 0)


if __name__ == '__main__':
    sys.exit(main())
