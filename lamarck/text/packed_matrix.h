// A matrix of weights, laid out for products with a few rows at a time, as when
// a model reads one sentence. (gemm packs its operands in each call, which pays
// off for large products only.)

#pragma once

#include <cstddef>
#include <vector>

#include "lamarck/tensor/storage.h"

namespace lamarck::text {

class PackedMatrix {
 public:
  static constexpr std::size_t kPanel = 32;  // Columns that lie together.

  PackedMatrix() = default;
  // `weights` is [outputs, inputs] in row-major order, as PyTorch stores it.
  PackedMatrix(const float* weights, std::size_t outputs, std::size_t inputs);

  std::size_t inputs() const { return inputs_; }
  std::size_t outputs() const { return outputs_; }

  // y = x W^T + bias for `rows` rows; `bias` may be null.
  void multiply(const float* x, std::size_t rows, const float* bias,
                float* y) const;

 private:
  std::size_t inputs_ = 0;
  std::size_t outputs_ = 0;
  FloatBuffer panels_;  // [panel][input][column of the panel]
};

// x = gelu(x), exact to 2e-7: the error function of Abramowitz and Stegun,
// 7.1.26.
void gelu_in_place(float* x, std::size_t count);

}  // namespace lamarck::text
