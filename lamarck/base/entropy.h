// The only source of nondeterministic seeds. Callers report the seed, so that
// the run can be repeated.

#pragma once

#include <cstdint>

namespace lamarck {

// 64 random bits from the kernel.
std::uint64_t entropy_seed();

}  // namespace lamarck
