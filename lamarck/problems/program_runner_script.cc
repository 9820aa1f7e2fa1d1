#include "lamarck/problems/program_runner_script.h"

namespace lamarck::problems {

const std::string_view kProgramRunnerScript = R"py(
import json
import math
import os
import sys

PROGRAM = 'program.py'
RESULT = 3


class ProgramFailed(Exception):
    """The program raised an exception or exited."""


def sentence(error, file):
    try:
        words = str(error)
    except BaseException:
        words = ''
    line = None
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            line = trace.tb_lineno
        trace = trace.tb_next
    if isinstance(error, SyntaxError) and error.filename == file:
        words, line = error.msg, error.lineno
    text = type(error).__name__ + (': ' + words if words else '')
    return text + (' (line %d of %s)' % (line, file) if line else '')


def load(name, source):
    module = type(sys)(name)
    module.__file__ = name + '.py'
    sys.modules[name] = module
    exec(compile(source, module.__file__, 'exec'), module.__dict__)
    if 'random' in sys.modules:
        sys.modules['random'].seed(0)
    return module


def program_source():
    with open(PROGRAM, encoding='utf-8') as file:
        return file.read()


def serve(reader, writer):
    """Serves calls in the program's process, one line per request and reply."""
    # The program must not read the request or write the result.
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    os.close(RESULT)

    def answer(make):
        try:
            reply = json.dumps({'value': make()})
        except BaseException as error:
            reply = json.dumps({'error': sentence(error, PROGRAM)})
        writer.write(reply + '\n')
        writer.flush()

    modules = []
    answer(lambda: modules.append(load('program', program_source())))
    for line in reader if modules else ():
        name, arguments = json.loads(line)
        answer(lambda: getattr(modules[0], name)(*arguments))


class Program:
    """A proxy in the process of evaluate.py: sends its calls to serve()."""

    def __init__(self, reader, writer):
        self._reader = reader
        self._writer = writer
        self._receive()

    def __getattr__(self, name):
        if name.startswith('__'):
            raise AttributeError(name)

        def call(*arguments):
            try:
                self._writer.write(json.dumps([name, arguments]) + '\n')
                self._writer.flush()
            except BrokenPipeError:
                raise ProgramFailed('ended early') from None
            return self._receive()

        self.__dict__[name] = call
        return call

    def _receive(self):
        line = self._reader.readline()
        if not line:
            raise ProgramFailed('ended early')
        reply = json.loads(line)
        if 'error' in reply:
            raise ProgramFailed('raised ' + str(reply['error']))
        return reply['value']


def separate_program():
    asked, ask = os.pipe()
    answered, answer = os.pipe()
    if os.fork() == 0:
        os.close(ask)
        os.close(answered)
        try:
            serve(os.fdopen(asked), os.fdopen(answer, 'w'))
        finally:
            os._exit(0)
    os.close(asked)
    os.close(answer)
    return lambda: Program(os.fdopen(answered), os.fdopen(ask, 'w'))


def shared_program():
    os.dup2(2, 1)
    try:
        return load('program', program_source())
    except BaseException as error:
        raise ProgramFailed('raised ' + sentence(error, PROGRAM)) from None


def number(value):
    if isinstance(value, (bool, str, bytes)) or not hasattr(value, '__float__'):
        raise TypeError('a score must be a number, got ' + type(value).__name__)
    value = float(value)
    # JSON has no NaN or infinity; as strings they are rejected outside.
    return value if math.isfinite(value) else str(value)


def check(request, start):
    import ast

    def names(one):
        every = one.posonlyargs + one.args
        every += [one.vararg] if one.vararg else []
        every += one.kwonlyargs + ([one.kwarg] if one.kwarg else [])
        return [argument.arg for argument in every]

    try:
        tree = ast.parse(program_source(), PROGRAM)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ProgramFailed(sentence(error, PROGRAM)) from None
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return [[one.name, names(one.args)] for one in tree.body
            if isinstance(one, kinds)]


def inputs(request, start):
    module = load('evaluate', request['evaluate'])
    if not callable(getattr(module, 'evaluate', None)):
        raise NameError('it must define a function evaluate')
    if not hasattr(module, 'inputs'):
        return None
    return [str(name) for name in module.inputs()]


def evaluate(request, start):
    module = load('evaluate', request['evaluate'])
    chosen = request['input']
    program = start()
    if chosen is not None:
        return number(module.evaluate(program, chosen))
    scores = module.evaluate(program)
    if isinstance(scores, dict):
        scores = scores.values()
    elif not isinstance(scores, (list, tuple)):
        scores = [scores]
    return [number(score) for score in scores]


def call(request, start):
    function = getattr(start(), request['function'])
    return [number(function(*row)) for row in request['rows']]


def main():
    mode = {'check': check, 'inputs': inputs, 'evaluate': evaluate,
            'call': call}[sys.argv[1]]
    # Forks before the request is read, so that the program's process never has
    # the nonce or the source of evaluate.py in its memory.
    start = shared_program
    if mode in (evaluate, call) and 'shared' not in sys.argv:
        start = separate_program()
    with open(0, 'rb') as file:
        request = json.loads(file.read())
    nonce = request.pop('nonce')
    try:
        reply = {'value': mode(request, start)}
    except ProgramFailed as error:
        reply = {'error': str(error)}
    except BaseException as error:
        reply = {'error': 'evaluate.py: ' + sentence(error, 'evaluate.py')}
    with open(RESULT, 'wb') as file:
        file.write((nonce + '\n' + json.dumps(reply)).encode())
    os._exit(0)


main()
)py";

}  // namespace lamarck::problems
