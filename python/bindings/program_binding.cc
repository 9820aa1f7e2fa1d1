// The program `lamarck`, so that a wheel needs no second binary.

#include <pybind11/stl.h>

#include <unistd.h>

#include <iostream>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "lamarck/cli/command_table.h"
#include "lamarck/cli/program.h"
#include "python/bindings/bindings.h"
#include "python/bindings/python_error.h"

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
  std::optional<Error> error = std::nullopt;
};

// Runs a command line and returns what it prints. Calls wait for each other,
// because a command handles Ctrl-C while it runs.
ProgramOutput capture_program(const std::vector<std::string>& words) {
  static std::mutex mutex;
  const py::gil_scoped_release release;
  const std::lock_guard lock(mutex);
  std::ostringstream out;
  std::ostringstream err;
  std::optional<Error> error;
  const cli::ProgramStreams streams{.out = out, .err = err, .error = &error};
  const int code = cli::run_program(words, cli::command_table(),
                                    cli::process_environment(), streams);
  return {code, out.str(), err.str(), std::move(error)};
}

// The standard output of a command, which Ctrl-C ends.
std::string output_of(const std::vector<std::string>& words) {
  ProgramOutput output = capture_program(words);
  if (output.code == 0) return std::move(output.out);
  if (output.code == cli::kInterrupted) {
    PyErr_SetNone(PyExc_KeyboardInterrupt);
    throw py::error_already_set();
  }
  if (output.error) raise_error(*output.error);
  raise_error(Error(ErrorCode::Internal, output.err));
}

}  // namespace

void bind_program(py::module_& module) {
  module.def("run_program", &run_program, "words"_a);
  module.def("output_of_program", &output_of, "words"_a);
}

}  // namespace lamarck::python
