// The one place where a run may get a seed from the machine. Whoever uses it
// shows the seed, so that the run can be repeated.

#pragma once

#include <cstdint>

namespace lamarck {

std::uint64_t entropy_seed();

}  // namespace lamarck
