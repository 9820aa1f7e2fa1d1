// Initial values of parameters.

#pragma once

#include "lamarck/base/rng.h"
#include "lamarck/tensor/tensor.h"

namespace lamarck {

// Describes a distribution; `generate` draws from it.
class Init {
 public:
  static Init constant(float value) { return {Kind::Uniform, value, value}; }
  static Init zeros() { return constant(0); }
  static Init ones() { return constant(1); }
  static Init uniform(float low, float high) {
    return {Kind::Uniform, low, high};
  }
  static Init normal(float mean, float deviation) {
    return {Kind::Normal, mean, deviation};
  }
  // Normal with variance 2 / fan-in, which preserves the scale of activations
  // through relu (He et al. 2015).
  static Init kaiming() { return {Kind::Kaiming, 0, 0}; }
  // Normal with variance 2 / (fan-in + fan-out), for tanh and sigmoid (Glorot
  // and Bengio 2010).
  static Init xavier() { return {Kind::Xavier, 0, 0}; }

  // Fan-in is the first size of a matrix [in, out], and the product of all
  // sizes but the first of a convolution weight [out, in, height, width].
  Tensor generate(const Shape& shape, Rng& rng) const;

 private:
  enum class Kind { Uniform, Normal, Kaiming, Xavier };
  Init(Kind kind, float first, float second)
      : kind_(kind), first_(first), second_(second) {}

  Kind kind_;
  float first_;
  float second_;
};

}  // namespace lamarck
