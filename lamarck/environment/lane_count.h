// The number of environments and networks that are computed in parallel by SIMD
// code.

#pragma once

#include <cstddef>

namespace lamarck::environment {

inline constexpr std::size_t kLanes = 16;

}  // namespace lamarck::environment
