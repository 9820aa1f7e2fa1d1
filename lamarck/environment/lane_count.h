// How many poles and networks are computed side by side.

#pragma once

#include <cstddef>

namespace lamarck::environment {

inline constexpr std::size_t kLanes = 16;

}  // namespace lamarck::environment
