// The Python text that runs a program beside its evaluate.py.

#pragma once

#include <string_view>

namespace lamarck::problems {

// Started as `python3 runner.py MODE`, with the program as program.py beside it
// and a request as JSON on descriptor 0; writes the request's nonce and then a
// reply, {"value": ...} or {"error": ...}, to descriptor 3. Modes:
//   check     {}                  [[name, [argument, ...]], ...], not executed
//   inputs    {evaluate}          [input, ...], or null
//   evaluate  {evaluate, input}   score, or [score, ...]
//   call      {function, rows}    [number, ...]
// The program runs in a process of its own, forked before the request is read;
// with a second argument "shared", in the evaluator's.
extern const std::string_view kProgramRunnerScript;

}  // namespace lamarck::problems
