// Copies between a strided tensor and a dense one in row-major order. Strides
// are in elements.

#pragma once

#include <cstdint>
#include <span>

#include "lamarck/tensor/shape.h"

namespace lamarck {

void copy_to_dense(const float* from, std::span<const std::int64_t> strides,
                   const Shape& shape, float* to);
void copy_from_dense(const float* from, float* to,
                     std::span<const std::int64_t> strides, const Shape& shape);

}  // namespace lamarck
