"""Commands of the program, run in this process, with their JSON answers."""

import json

from . import _core, _program


class Record(dict):
    """An answer: its members are also attributes, `record.steps`."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"the answer has no member {name!r}") from None

    def __repr__(self):
        return f"{type(self).__name__}({dict.__repr__(self)})"


def call(*words, **options):
    """Runs `lamarck WORDS --name value --json`; returns the answer.

    An option that is None or False is left out; True is a flag, and a list
    repeats its option.
    """
    return json.loads(_output(words, options), object_hook=Record)


def call_lines(*words, **options):
    """The same for a command that prints an answer in each line."""
    return [json.loads(line, object_hook=Record)
            for line in _output(words, options).splitlines()]


def _output(words, options):
    _program.path()
    return _core.output_of_program([*words, *_flags(options), "--json"])


def _flags(options):
    words = []
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(flag)
            continue
        for each in value if isinstance(value, (list, tuple)) else [value]:
            words += [flag, str(each)]
    return words
