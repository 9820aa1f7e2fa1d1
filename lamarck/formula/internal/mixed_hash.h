// Combines a hash with another number. The order of the numbers matters.

#pragma once

#include <cstdint>

#include "lamarck/base/hash.h"

namespace lamarck::formula {

constexpr std::uint64_t mixed_hash(std::uint64_t hash, std::uint64_t value) {
  return mix64(hash * 0x9e3779b97f4a7c15 + value + 1);
}

}  // namespace lamarck::formula
