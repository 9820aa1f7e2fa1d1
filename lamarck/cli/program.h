// The program `lamarck`: parses a command line,
// runs the command and returns the exit code.

#pragma once

#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "lamarck/base/error.h"
#include "lamarck/cli/command.h"

namespace lamarck::cli {

// Exit codes.
inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;
inline constexpr int kWrongUsage = 2;
inline constexpr int kInterrupted = 130;

struct ProgramStreams {
  std::ostream& out;
  std::ostream& err;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
  std::size_t err_width = 80;  // Columns of the terminal.
  // If not null, receives the error that `err` explains to a person.
  std::optional<Error>* error = nullptr;
};

// Runs one command line, given without the program's name, and returns the exit
// code. Throws nothing: every failure becomes one sentence on `streams.err`.
// REQUIRES: no concurrent calls in a process, because it handles Ctrl-C.
int run_program(const std::vector<std::string>& words,
                std::span<const Command> commands,
                const Environment& environment, const ProgramStreams& streams);

}  // namespace lamarck::cli
