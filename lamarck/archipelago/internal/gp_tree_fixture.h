// Short names for leaves, for tests that write trees.

#pragma once

#include <cstddef>

#include "lamarck/archipelago/gp_tree.h"

namespace lamarck::archipelago {

inline GpTree x(std::size_t input = 0) { return gp_input(input); }
inline GpTree c(double value) { return gp_constant(value); }

}  // namespace lamarck::archipelago
