// The program `lamarck`, so that a wheel needs no second binary.

#include <pybind11/stl.h>

#include <unistd.h>

#include <iostream>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

#include "lamarck/cli/command_table.h"
#include "lamarck/cli/program.h"
#include "python/bindings/bindings.h"

namespace lamarck::python {
namespace py = pybind11;
using namespace pybind11::literals;

namespace {

// Runs a command line in this process, which must be one of its own: it handles
// Ctrl-C itself.
int run_program(const std::vector<std::string>& words) {
  const py::gil_scoped_release release;
  const cli::ProgramStreams streams{
      .out = std::cout,
      .err = std::cerr,
      .out_is_terminal = isatty(STDOUT_FILENO) != 0,
      .err_is_terminal = isatty(STDERR_FILENO) != 0};
  const int code = cli::run_program(words, cli::command_table(),
                                    cli::process_environment(), streams);
  std::cout.flush();
  return code;
}

struct ProgramOutput {
  int code;
  std::string out;
  std::string err;
};

// Runs a command line and returns what it prints. Calls wait for each other,
// because a command handles Ctrl-C while it runs.
ProgramOutput capture_program(const std::vector<std::string>& words) {
  static std::mutex mutex;
  const py::gil_scoped_release release;
  const std::lock_guard lock(mutex);
  std::ostringstream out;
  std::ostringstream err;
  const cli::ProgramStreams streams{.out = out, .err = err};
  const int code = cli::run_program(words, cli::command_table(),
                                    cli::process_environment(), streams);
  return {code, out.str(), err.str()};
}

}  // namespace

void bind_program(py::module_& module) {
  module.def("run_program", &run_program, "words"_a);
  module.def(
      "capture_program",
      [](const std::vector<std::string>& words) {
        ProgramOutput output = capture_program(words);
        return py::make_tuple(output.code, output.out, output.err);
      },
      "words"_a);
}

}  // namespace lamarck::python
