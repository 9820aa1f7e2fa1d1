// Dropout without a stored mask: whether an element is dropped is a function of
// a key and its position.

#pragma once

#include <cstddef>
#include <cstdint>

namespace lamarck {

struct Dropout {
  std::uint64_t key = 0;    // Identifies one mask.
  float probability = 0;    // Chance to drop an element; in [0, 1].
  bool accumulate = false;  // Add to y instead of overwriting it.
};

// y = x / (1 - probability) for elements that are kept, and 0 for the others.
// The mask is the same on every machine, and the same for a value and its
// gradient.
void drop_out(const Dropout& dropout, const float* x, float* y,
              std::size_t count);

}  // namespace lamarck
