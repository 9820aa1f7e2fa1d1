#!/usr/bin/env python3
"""Breaks each rule once and checks the messages of the tools.

    checks_check.py          # layers, names, self-contained sources
    checks_check.py --tidy   # a wrong name, with clang-tidy, which it installs
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def run(script, *words):
    done = subprocess.run([sys.executable, ROOT / 'tools' / script, *words],
                          capture_output=True, text=True)
    return done.returncode, done.stdout


class Tree:
    """A small project that follows the rules; tests then break one."""

    def __init__(self, folder):
        self.root = pathlib.Path(folder)
        self.write('lamarck/LAYERS', 'base:\ntensor: base\ngraph: base tensor\n')
        for folder in ('tensor', 'graph'):
            (self.root / 'lamarck' / folder).mkdir(parents=True)
        self.write('lamarck/base/rng.h', '#pragma once\nint draw();\n')
        self.write('lamarck/base/rng.cc',
                   '#include "lamarck/base/rng.h"\nnamespace {\n'
                   'constexpr int kSeed = 1;\n}  // namespace\n'
                   'int draw() { return kSeed; }\n')

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


# Broken rule, script, file, its text, words that the message must contain.
CASES = [
    ('an include of a higher layer', 'check_layers.py', 'lamarck/base/bad.cc',
     '#include "lamarck/graph/graph.h"\n',
     ['lamarck/base/bad.cc:1', 'base may not include graph', 'Move']),
    ('an include of another folder\'s internal header', 'check_layers.py',
     'lamarck/tensor/bad.cc', '#include "lamarck/base/internal/x.h"\n',
     ['lamarck/tensor/bad.cc:1', 'public headers']),
    ('a folder that is not in LAYERS', 'check_layers.py',
     'lamarck/extra/x.cc', 'int x;\n', ['lamarck/extra', 'add a line']),
    ('a layer that names a higher one', 'check_layers.py', 'lamarck/LAYERS',
     'base: tensor\ntensor: base\n', ['LAYERS:1', 'line above']),
    ('a layer without a folder', 'check_layers.py', 'lamarck/LAYERS',
     'base:\ntensor: base\ngraph: base\nsound: base\n',
     ['LAYERS:4', 'lamarck/sound does not exist', 'remove the line']),
    ('an include of an inside below a sub-folder', 'check_layers.py',
     'lamarck/tensor/bad.cc', '#include "lamarck/base/sums/internal/x.h"\n',
     ['lamarck/tensor/bad.cc:1', 'public headers']),
    ('two files with the same name', 'check_names.py', 'lamarck/tensor/rng.h',
     '#pragma once\n', ['lamarck/base/rng.h', 'same name', 'rename']),
    ('a vague name', 'check_names.py', 'lamarck/base/string_utils.h',
     '#pragma once\n', ['string_utils.h', 'concept']),
    ('a name in capitals', 'check_names.py', 'lamarck/base/MyFile.h',
     '#pragma once\n', ['MyFile.h', 'snake_case']),
    ('a header without #pragma once', 'check_names.py', 'lamarck/base/x.h',
     'int x();\n', ['x.h', '#pragma once']),
    ('commented-out code', 'check_names.py', 'lamarck/base/x.cc',
     'int x;\n// int y = f(x);\n// return g(y);\n', ['x.cc:3', 'delete']),
    ('a standard distribution', 'check_names.py', 'lamarck/base/x.cc',
     'std::normal_distribution<double> d;\n', ['x.cc:1', 'use Rng']),
    ('the system clock inside an algorithm', 'check_names.py',
     'lamarck/base/x.cc', 'auto t = std::chrono::steady_clock::now();\n',
     ['x.cc:1', 'Clock&']),
    ('a library that prints', 'check_names.py', 'lamarck/base/x.cc',
     'void f() { std::cout << 1; }\n', ['x.cc:1', 'never prints']),
    ('a source that hides an incomplete header', 'check_names.py',
     'lamarck/base/rng.cc', '#include <vector>\n#include "lamarck/base/rng.h"\n',
     ['rng.cc', 'own header comes first']),
    ('two sources that cannot be compiled together', 'check_names.py',
     'lamarck/base/x.cc',
     'namespace {\nconstexpr int kSeed = 2;\n}  // namespace\n',
     ['x.cc:2', 'kSeed', 'rename one']),
    ('a using directive that affects other sources', 'check_names.py',
     'lamarck/base/x.cc', 'using namespace std;\n',
     ['x.cc:1', 'into a function']),
    ('a message without the value', 'check_words.py', 'lamarck/base/x.cc',
     'void f(int n) { REQUIRE(n > 0, "f: n must be at least 1."); }\n',
     ['x.cc:1', 'show what was']),
    ('a message that is not a sentence', 'check_words.py', 'lamarck/base/x.cc',
     'void f(int n) { REQUIRE(n > 0, "positive {}", n); }\n',
     ['x.cc:1', 'is a sentence']),
    ('a limit with a name of its own', 'check_words.py', 'lamarck/base/x.cc',
     'constexpr int kMostRows = 1;\n', ['x.cc:1', 'kMax']),
    ('a quaint phrase', 'check_words.py', 'lamarck/base/x.cc',
     '// The run is gone on with.\n', ['x.cc:1', 'resume']),
    ('a module that does not list a member', 'check_modules.py',
     'examples/net.cc',
     'struct Layer : nn::Module {};\nstruct Net : nn::Module {\n'
     '  std::vector<const Module*> children() const override {\n'
     '    return {&first};\n  }\n  Layer first, second;\n};\n',
     ['examples/net.cc:2', 'Net does not list its member second', 'children()']),
]


def check_scripts():
    for rule, script, name, text, wanted in CASES:
        with tempfile.TemporaryDirectory() as folder:
            tree = Tree(folder)
            code, printed = run(script, folder)
            if code != 0:
                yield f'{script} complains about a valid tree:\n{printed}'
            tree.write(name, text)
            code, printed = run(script, folder)
            if code == 0 or not all(word in printed for word in wanted):
                yield f'{script} on {rule} printed (exit {code}):\n{printed}'


def check_folder_size():
    with tempfile.TemporaryDirectory() as folder:
        tree = Tree(folder)
        for i in range(99):
            tree.write(f'lamarck/base/number_{i}.md', '')
        code, said = run('check_names.py', folder)
        if code == 0 or 'lamarck/base: 101 files' not in said:
            yield f'check_names.py on a large folder said (exit {code}):\n{said}'


def check_alone():
    """A header that relies on includes of its sources must be reported."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Tree(folder)
        shutil.copytree(ROOT / 'tools', tree.root / 'tools')
        tree.write('lamarck/base/points.h', '#pragma once\nstd::vector<int> points();\n')
        source = tree.root / 'lamarck/base/rng.cc'
        (tree.root / 'compile_commands.json').write_text(json.dumps([{
            'directory': folder, 'file': str(source),
            'command': f'ccache c++ -std=c++20 -I{folder} -o rng.o -c {source}'}]))
        done = subprocess.run(
            [sys.executable, tree.root / 'tools' / 'check_alone.py', folder],
            capture_output=True, text=True,
            env={'PATH': '/usr/bin:/bin', 'HOME': folder})
        wanted = ['lamarck/base/points.h', 'add the missing #include lines']
        if done.returncode == 0 or not all(w in done.stdout for w in wanted):
            yield f'check_alone.py on a missing include printed:\n{done.stdout}'
        if 'rng.cc' in done.stdout:
            yield f'check_alone.py complains about a complete source:\n{done.stdout}'


def check_tidy():
    subprocess.run([ROOT / 'tools' / 'install-deps', 'check'], check=True)
    with tempfile.TemporaryDirectory() as folder:
        build = pathlib.Path(folder)
        shutil.copytree(ROOT / 'tools', build / 'tools')
        shutil.copy(ROOT / '.clang-tidy', build)
        source = build / 'wrong.cc'
        source.write_text('int DoThings(int Value) { return Value; }\n')
        (build / 'compile_commands.json').write_text(json.dumps([{
            'directory': folder, 'file': str(source),
            'command': f'c++ -std=c++20 -c {source}'}]))
        done = subprocess.run(
            [sys.executable, build / 'tools' / 'check_tidy.py', folder, source],
            capture_output=True, text=True,
            env={'PATH': '/usr/bin:/bin', 'HOME': folder})
        wanted = ["'DoThings'", 'do_things', 'snake_case', 'CONTRIBUTING.md']
        if done.returncode == 0 or not all(w in done.stdout for w in wanted):
            yield f'check_tidy.py on a wrong name printed:\n{done.stdout}'


def main():
    is_tidy = '--tidy' in sys.argv
    complaints = list(check_tidy()) if is_tidy else [*check_scripts(), *check_folder_size(), *check_alone()]
    count = 1 if is_tidy else len(CASES) + 2
    print('\n'.join(complaints) or f'{count} broken rules are reported.')
    return 1 if complaints else 0


if __name__ == '__main__':
    sys.exit(main())
