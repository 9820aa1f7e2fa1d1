// The instruction set that our kernels use.
//
// The same inputs and seed give the same bits on every machine with the same
// instruction set; another one adds up sums in another order.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/result.h"

namespace lamarck {

// The instruction set in use: "avx512", "avx2", "sse4", "scalar"; "neon" on
// ARM. The best one that this machine has, unless choose_simd_target said
// otherwise.
std::string simd_target();

// The instruction sets that kernels were compiled for, best first.
std::vector<std::string> compiled_simd_targets();

// Those of them that this machine has, best first.
std::vector<std::string> supported_simd_targets();

// Fixes the instruction set of this process; "auto" is the best one. Call it
// before anything is computed and while no other thread computes.
Result<void> choose_simd_target(std::string_view name);

}  // namespace lamarck
