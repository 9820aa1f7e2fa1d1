#include "lamarck/cli/output_reader.h"

#include <poll.h>

namespace lamarck::cli {

bool has_reader(int descriptor) {
  // poll() reports POLLERR and POLLHUP even if no events are requested.
  pollfd state{.fd = descriptor, .events = 0, .revents = 0};
  if (poll(&state, 1, 0) <= 0) return true;
  return (state.revents & (POLLERR | POLLHUP)) == 0;
}

}  // namespace lamarck::cli
