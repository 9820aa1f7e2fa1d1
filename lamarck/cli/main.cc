#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <iostream>
#include <string>
#include <vector>

#include "lamarck/cli/command_table.h"
#include "lamarck/cli/program.h"

namespace {

// With a closed 0, 1 or 2 the next file or pipe would get that number and our
// words would end up in it. Writing to what stands in for 1 and 2 fails.
void keep_standard_files_open() {
  for (const int number : {0, 1, 2}) {
    if (fcntl(number, F_GETFD) == -1) open("/dev/null", O_RDONLY);
  }
}

}  // namespace

int main(int argc, char** argv) {
  using namespace lamarck::cli;
  keep_standard_files_open();
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
