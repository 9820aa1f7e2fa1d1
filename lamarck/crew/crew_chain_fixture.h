// For tests of crews: a computation whose result shows every mistake.
//
// Each of several chains goes on from its own last value, which stays where it
// was computed. A lost, repeated or misplaced piece changes the result.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "lamarck/crew/crew.h"

namespace lamarck::crew {

struct Chains {
  std::size_t count = 8;
  std::uint64_t steps = 20;
  std::function<void()> work;  // Called for each piece. May be empty.
};

// The result without a crew.
std::uint64_t chain_result(const Chains& chains);
// The same by a crew, for the leader and for members.
Result<std::uint64_t> share_chains(Crew& crew, const Chains& chains);

}  // namespace lamarck::crew
