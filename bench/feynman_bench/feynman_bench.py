#!/usr/bin/env python3
"""Measures which laws of bench/feynman_laws.csv `lamarck evolve fn` finds.

    bench/feynman_bench/feynman_bench.py LAMARCK                # all 117 laws
    bench/feynman_bench/feynman_bench.py LAMARCK --laws I.9.18,I.29.16
    bench/feynman_bench/feynman_bench.py LAMARCK --sample 12    # drawn at random
    ... --budget 30s --seed 5 --threads 1 --noise 0.01 --units --json

Makes 2,000 rows from each formula and its ranges, runs the search, and judges
the marked law: it is exact if its NMSE is below 1e-12 on new rows of the same
ranges and below 1e-10 on rows of ranges 1.5 times as wide, and short if it has
at most two nodes more than the formula of the list. With noise, a law counts
if it is short and close to the rows without noise.

Each result is appended to --results, and what is there already is not run
again, so an interrupted run continues. Needs no package.
"""
import argparse
import ast
import csv
import json
import math
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
LIST = HERE.parent / 'feynman_laws.csv'
ROWS = 2000
EXTRA_NODES = 2
NAMES = {name: getattr(math, name) for name in (
    'sin', 'cos', 'tan', 'exp', 'log', 'sqrt', 'tanh', 'sinh', 'cosh', 'pi', 'e',
    'floor', 'log1p', 'expm1')}
NAMES.update({'abs': abs, 'minimum': min, 'maximum': max,
              'arcsin': math.asin, 'arccos': math.acos, 'arctan': math.atan,
              'arctan2': math.atan2, 'cbrt': lambda x: math.copysign(abs(x) ** (1 / 3), x),
              'square': lambda x: x * x})


class Law:
    def __init__(self, row):
        self.name, self.target = row['name'], row['target']
        self.formula = row['formula']
        self.units = ','.join(row['units'].split())
        self.inputs = {}
        for word in row['inputs'].split():
            name, low, high = word.split(':')
            self.inputs[name] = (float(low), float(high))

    def widened(self):
        """Half as wide again; inputs that are positive stay so."""
        wide = {}
        for name, (low, high) in self.inputs.items():
            margin = (high - low) / 4
            wide[name] = (max(low - margin, low / 2) if low > 0 else low, high + margin)
        return wide


def values(formula, names, rows):
    """The formula's value for each row; NaN where it has none."""
    code = compile(ast.parse(formula.replace('^', '**'), mode='eval'), '<law>', 'eval')
    result = []
    for row in rows:
        try:
            value = eval(code, {'__builtins__': {}}, {**NAMES, **dict(zip(names, row))})
            result.append(float(value) if not isinstance(value, complex) else math.nan)
        except (ArithmeticError, ValueError):
            result.append(math.nan)
    return result


def make_rows(law, part, ranges):
    """Rows and targets; rows where the law has no value are dropped."""
    draw = random.Random(f'{law.name}/{part}')
    rows = [[draw.uniform(*ranges[name]) for name in ranges] for _ in range(ROWS)]
    kept = [(row, y) for row, y in zip(rows, values(law.formula, list(ranges), rows))
            if math.isfinite(y)]
    return [row for row, _ in kept], [y for _, y in kept]


def variance(ys):
    mean = math.fsum(ys) / len(ys)
    return math.fsum((y - mean) ** 2 for y in ys) / len(ys)


def nmse(found, names, rows, ys):
    got = values(found, names, rows)
    error = math.fsum((a - b) ** 2 for a, b in zip(got, ys)) / len(ys)
    return error / variance(ys) if math.isfinite(error) else math.inf


def nodes(formula):
    """Numbers, names, operations and calls; the sign of a number is none."""
    tree = ast.parse(formula.replace('^', '**'), mode='eval')
    count = 0
    for node in ast.walk(tree):
        if isinstance(node, (ast.Constant, ast.BinOp, ast.Call, ast.Name)):
            count += 1
        if isinstance(node, ast.UnaryOp) and not isinstance(node.operand, ast.Constant):
            count += 1
        if isinstance(node, ast.Call):
            count -= 1  # The name of the function.
    return count


def write_table(path, law, noise):
    rows, ys = make_rows(law, 'train', law.inputs)
    draw = random.Random(f'{law.name}/noise')
    scale = noise * math.sqrt(variance(ys))
    with open(path, 'w', encoding='utf-8') as file:
        print(','.join([*law.inputs, 'target']), file=file)
        for row, y in zip(rows, ys):
            y += draw.gauss(0, 1) * scale if noise > 0 else 0
            print(','.join(repr(cell) for cell in [*row, y]), file=file)


def search(law, flags):
    """The result of `lamarck evolve fn` and the CPU seconds it took."""
    with tempfile.TemporaryDirectory() as folder:
        write_table(os.path.join(folder, 'rows.csv'), law, flags.noise)
        words = [os.path.abspath(flags.lamarck), 'evolve', 'fn', 'rows.csv', '--target',
                 'target', '--json', '--progress', 'none', '--seed', str(flags.seed),
                 '--budget', flags.budget, '--out', 'out', '--runs-record', 'off']
        if flags.threads:
            words += ['--parallel', str(flags.threads)]
        if flags.units:
            words += ['--units', law.units]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode != 0:
            sys.exit(f'{law.name}: lamarck failed: {done.stderr.strip()}')
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return json.loads(done.stdout), cpu


def judge(law, found, noise):
    names = list(law.inputs)
    near = nmse(found, names, *make_rows(law, 'near', law.inputs))
    wide = law.widened()
    far = nmse(found, names, *make_rows(law, 'far', wide))
    limits = (1e-12, 1e-10) if noise == 0 else (noise ** 2 / 10, noise ** 2)
    size, textbook = nodes(found), nodes(law.formula)
    return {'near': near, 'far': far, 'found': near < limits[0] and far < limits[1],
            'size': size, 'textbook': textbook, 'short': size <= textbook + EXTRA_NODES}


def measure(law, flags):
    result, cpu = search(law, flags)
    best = result['best']['formula']
    return {'law': law.name, 'setting': setting(flags), **judge(law, best, flags.noise),
            'formula': best, 'evaluations': result['evaluations'],
            'seconds': result['seconds'], 'cpu_seconds': cpu, 'reason': result['reason']}


def setting(flags):
    text = f'{flags.budget} seed {flags.seed}'
    text += f' noise {flags.noise}' if flags.noise else ''
    return text + (' units' if flags.units else '')


def chosen_laws(flags):
    with open(LIST, encoding='utf-8', newline='') as file:
        laws = [Law(row) for row in csv.DictReader(file)]
    if flags.laws:
        wanted = flags.laws.split(',')
        known = {law.name for law in laws}
        unknown = [name for name in wanted if name not in known]
        if unknown:
            sys.exit(f'{LIST.name} has no law {unknown[0]!r}.')
        return [law for law in laws if law.name in wanted]
    if flags.sample:
        return random.Random(f'sample {flags.sample_seed}').sample(laws, flags.sample)
    return laws


def known_results(flags):
    path = pathlib.Path(flags.results)
    if not path.exists():
        return {}
    lines = [json.loads(line) for line in path.read_text(encoding='utf-8').splitlines()]
    return {line['law']: line for line in lines if line['setting'] == setting(flags)}


def line_text(line):
    mark = 'found' if line['found'] else 'MISSED'
    mark += '' if line['short'] else ', long'
    return (f"{line['law']:9} {mark:12} near {line['near']:.1e} far {line['far']:.1e} "
            f"size {line['size']:2} ({line['textbook']}) {line['cpu_seconds']:5.1f} s CPU "
            f"{line['evaluations']:8} evaluations  {line['formula']}")


def summary(lines):
    found = [line for line in lines if line['found']]
    return {'laws': len(lines), 'found': len(found),
            'found_and_short': sum(line['short'] for line in found),
            'cpu_seconds': round(sum(line['cpu_seconds'] for line in lines), 1)}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('lamarck', help='the program, such as build/release/bin/lamarck')
    parser.add_argument('--laws', help='names, separated by commas (default: all)')
    parser.add_argument('--sample', type=int, help='this many laws, drawn at random')
    parser.add_argument('--sample-seed', type=int, default=1)
    parser.add_argument('--budget', default='30s', help='as of evolve fn (default: 30s)')
    parser.add_argument('--seed', type=int, default=5)
    parser.add_argument('--threads', type=int, default=0, help='default: one per core')
    parser.add_argument('--noise', type=float, default=0, help='share of the deviation')
    parser.add_argument('--units', action='store_true', help='give the units of the columns')
    parser.add_argument('--results', default='feynman_results.jsonl')
    parser.add_argument('--json', action='store_true', help='print the summary as JSON')
    flags = parser.parse_args()
    known = known_results(flags)
    lines = []
    for law in chosen_laws(flags):
        line = known.get(law.name)
        if line is None:
            line = measure(law, flags)
            with open(flags.results, 'a', encoding='utf-8') as file:
                print(json.dumps(line), file=file)
        lines.append(line)
        if not flags.json:
            print(line_text(line), flush=True)
    total = summary(lines)
    print(json.dumps({**total, 'results': lines}) if flags.json else
          f"{total['found']} of {total['laws']} laws found, {total['found_and_short']} of them "
          f"short, in {total['cpu_seconds']} s of CPU time")


if __name__ == '__main__':
    main()
