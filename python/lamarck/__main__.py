"""The program: `python3 -m lamarck evolve net iris.csv --target species`."""

import sys


def main():
    from lamarck import _core, _program

    _program.path()
    return _core.run_program(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
