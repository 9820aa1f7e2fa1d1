// The Python script that runs a program and its evaluate.py in the sandbox.

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
// The program runs in a separate process, forked before the request is read, so
// that it cannot see evaluate.py or the nonce. With a second argument "shared"
// it runs in the process of evaluate.py.
extern const std::string_view kProgramRunnerScript;

}  // namespace lamarck::problems
