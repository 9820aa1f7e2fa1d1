// Short names for leaves, for tests that write out trees.

#pragma once

#include <cstddef>

#include "lamarck/gp/gp_tree.h"

namespace lamarck::gp {

inline GpTree x(std::size_t input = 0) { return gp_input(input); }
inline GpTree c(double value) { return gp_constant(value); }

}  // namespace lamarck::gp
