// The SIMD instruction set that the kernels use.
//
// The same inputs and seed give the same bits on every machine with the same
// instruction set. A different one adds sums in a different order.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/result.h"

namespace lamarck {

// The instruction set in use: "avx512", "avx2", "sse4" or "scalar", or "neon"
// on ARM. It is the best one that this machine supports, unless
// choose_simd_target selected another.
std::string simd_target();

// The instruction sets that the kernels were compiled for, best first.
std::vector<std::string> compiled_simd_targets();

// Those that this machine also supports, best first.
std::vector<std::string> supported_simd_targets();

// Sets the instruction set of this process; "auto" selects the best one. Call
// it before any computation, while no other thread computes.
Result<void> choose_simd_target(std::string_view name);

}  // namespace lamarck
