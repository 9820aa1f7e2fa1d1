// Identifies the process of a run, so that others can see whether it is alive.

#pragma once

#include <cstdint>
#include <string>

namespace lamarck::runs {

// A process id alone could belong to a later process, and a host name alone to
// a machine that was restarted.
struct ProcessIdentity {
  std::int64_t pid = 0;
  std::uint64_t start = 0;  // In clock ticks since the start of the machine.
  std::string host;         // Name of the machine and its boot.

  friend bool operator==(const ProcessIdentity&,
                         const ProcessIdentity&) = default;
};

ProcessIdentity this_process();
ProcessIdentity find_process(std::int64_t pid);

enum class Liveness : std::uint8_t {
  Alive,
  Dead,
  Elsewhere,  // On another machine, where this one cannot look.
};
Liveness find_liveness(const ProcessIdentity& process);

}  // namespace lamarck::runs
