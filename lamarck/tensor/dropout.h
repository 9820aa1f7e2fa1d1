// Chance that needs no state: whether an element is dropped follows from a key
// and its position.

#pragma once

#include <cstddef>
#include <cstdint>

namespace lamarck {

struct Dropout {
  std::uint64_t key = 0;    // Of one mask.
  float probability = 0;    // Of being dropped; in [0, 1].
  bool accumulate = false;  // Adds to y instead of writing it.
};

// y = x / (1 - probability) where it is kept, else 0: the same on every
// machine, and for a gradient the same mask as for the value.
void drop_out(const Dropout& dropout, const float* x, float* y,
              std::size_t count);

}  // namespace lamarck
