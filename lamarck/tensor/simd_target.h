#pragma once

#include <string>
#include <vector>

namespace lamarck {

// The instruction set that our kernels use on this machine, chosen at run time
// among those they were compiled for: "AVX2", "AVX3_ZEN4", "NEON".
std::string simd_target();

// All those they were compiled for, best first.
std::vector<std::string> compiled_simd_targets();

}  // namespace lamarck
