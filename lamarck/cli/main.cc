#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "lamarck/cli/command_table.h"
#include "lamarck/cli/program.h"
#include "lamarck/crew/mpi_transport.h"

namespace {

// If descriptor 0, 1 or 2 is closed, the next file or pipe would get its number
// and our output would end up in it. The read-only stand-in makes writes to 1
// and 2 fail instead.
void keep_standard_files_open() {
  for (const int descriptor : {0, 1, 2}) {
    if (fcntl(descriptor, F_GETFD) == -1) open("/dev/null", O_RDONLY);
  }
}

}  // namespace

int main(int argc, char** argv) {
  using namespace lamarck::cli;
  keep_standard_files_open();
  // A closed pipe must not kill a long run.
  signal(SIGPIPE, SIG_IGN);
  ProgramStreams streams{.out = std::cout,
                         .err = std::cerr,
                         .out_is_terminal = isatty(STDOUT_FILENO) != 0,
                         .err_is_terminal = isatty(STDERR_FILENO) != 0};
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    streams.err_width = size.ws_col;
  }
  // Of the ranks that an MPI launcher started, only the first one speaks.
  std::ofstream nowhere;
  if (lamarck::crew::mpi_place().rank > 0) {
    nowhere.open("/dev/null");
    return run_program(std::vector<std::string>(argv + 1, argv + argc),
                       command_table(), process_environment(),
                       {.out = nowhere, .err = nowhere});
  }
  return run_program(std::vector<std::string>(argv + 1, argv + argc),
                     command_table(), process_environment(), streams);
}
