// Notices an agent that repeats itself: the same tool, arguments and result.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "lamarck/base/json.h"

namespace lamarck::agent {

enum class LoopVerdict : std::uint8_t {
  Proceed,
  Refuse,  // The call would be the third identical one; it is not made.
  End,     // The fifth: the run ends.
};

// Deterministic, and rebuilt from the recorded calls when a run is resumed.
class LoopGuard {
 public:
  // Before a call. Counts refused calls too.
  LoopVerdict check(std::string_view tool, const Json& arguments);
  // After a call. Another result than last time starts the count again, so
  // that waiting for a change is not a loop.
  void record(std::string_view tool, const Json& arguments, const Json& result);

 private:
  struct Seen {
    std::string result;
    int count = 0;
  };
  std::map<std::string, Seen, std::less<>> seen_;  // By hash of the call.
};

}  // namespace lamarck::agent
