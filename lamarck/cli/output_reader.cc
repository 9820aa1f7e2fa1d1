#include "lamarck/cli/output_reader.h"

#include <poll.h>
#include <unistd.h>

#include <iostream>

namespace lamarck::cli {

bool has_reader(int file) {
  pollfd state{.fd = file, .events = 0, .revents = 0};
  if (poll(&state, 1, 0) <= 0) return true;
  return (state.revents & (POLLERR | POLLHUP)) == 0;
}

bool has_reader(const std::ostream& out) {
  return out.rdbuf() != std::cout.rdbuf() || has_reader(STDOUT_FILENO);
}

}  // namespace lamarck::cli
