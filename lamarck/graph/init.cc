#include "lamarck/graph/init.h"

#include <cmath>

namespace lamarck {
namespace {

// The number of inputs and outputs that one unit is connected to.
struct Fans {
  double in = 1;
  double out = 1;
};

Fans compute_fans(const Shape& shape) {
  if (shape.rank() == 0) return {};
  if (shape.rank() == 1) return {static_cast<double>(shape[0]), 1};
  if (shape.rank() == 2) {
    return {static_cast<double>(shape[0]), static_cast<double>(shape[1])};
  }
  // A convolution [out, in, ...] connects each unit to a whole window.
  double window = 1;
  for (std::size_t i = 2; i < shape.rank(); ++i) {
    window *= static_cast<double>(shape[i]);
  }
  return {static_cast<double>(shape[1]) * window,
          static_cast<double>(shape[0]) * window};
}

Tensor normal_tensor(const Shape& shape, double mean, double deviation,
                     Rng& rng) {
  Tensor tensor = Tensor::uninitialized(shape);
  for (float& value : tensor.data()) {
    value = static_cast<float>(rng.normal(mean, deviation));
  }
  return tensor;
}

}  // namespace

Tensor Init::generate(const Shape& shape, Rng& rng) const {
  const Fans fans = compute_fans(shape);
  switch (kind_) {
    case Kind::Normal:
      return normal_tensor(shape, first_, second_, rng);
    case Kind::Kaiming:
      return normal_tensor(shape, 0, std::sqrt(2 / fans.in), rng);
    case Kind::Xavier:
      return normal_tensor(shape, 0, std::sqrt(2 / (fans.in + fans.out)), rng);
    case Kind::Uniform:
      break;
  }
  if (first_ == second_) return Tensor::full(shape, first_);
  Tensor tensor = Tensor::uninitialized(shape);
  for (float& value : tensor.data()) {
    value = static_cast<float>(rng.uniform(first_, second_));
  }
  return tensor;
}

}  // namespace lamarck
