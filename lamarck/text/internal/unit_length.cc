#include "lamarck/text/internal/unit_length.h"

#include <cmath>

#include "lamarck/base/ensure.h"
#include "lamarck/tensor/vector_math.h"

namespace lamarck::text {

void make_unit_length(std::span<float> vector) {
  double sum = 0;
  for (const float x : vector) sum += double{x} * double{x};
  if (sum <= 0) return;
  scale(static_cast<float>(1 / std::sqrt(sum)), vector.data(), vector.data(),
        vector.size());
}

double inner_product(std::span<const float> a, std::span<const float> b) {
  REQUIRE(a.size() == b.size(),
          "inner_product: the sizes must be equal, got {} and {}.", a.size(),
          b.size());
  return dot(a.data(), b.data(), a.size());
}

}  // namespace lamarck::text
