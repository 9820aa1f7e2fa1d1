// Scales vectors to length 1.

#pragma once

#include <span>

namespace lamarck::text {

// Leaves zeros as they are.
void make_unit_length(std::span<float> vector);

// The inner product; of unit vectors, their cosine.
double inner_product(std::span<const float> a, std::span<const float> b);

}  // namespace lamarck::text
