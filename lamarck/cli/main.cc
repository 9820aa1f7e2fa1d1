#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <iostream>
#include <string>
#include <vector>

#include "lamarck/cli/command_table.h"
#include "lamarck/cli/program.h"

int main(int argc, char** argv) {
  using namespace lamarck::cli;
  // A reader that goes away must not take a long run with it.
  signal(SIGPIPE, SIG_IGN);
  ProgramStreams streams{.out = std::cout,
                         .err = std::cerr,
                         .err_is_terminal = isatty(STDERR_FILENO) != 0};
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    streams.err_width = size.ws_col;
  }
  return run_program(std::vector<std::string>(argv + 1, argv + argc),
                     command_table(), process_environment(), streams);
}
