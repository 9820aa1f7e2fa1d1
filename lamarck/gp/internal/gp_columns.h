// Buffers of the fitter.

#pragma once

#include <cstddef>

#include "lamarck/gp/gp_data.h"

namespace lamarck::gp {

// Aligned vectors of equal length in one buffer, which only grows.
class GpColumns {
 public:
  void resize(std::size_t count, std::size_t rows) {
    const std::size_t stride = (padded_rows(rows) + 7) / 8 * 8;
    if (count * stride > capacity_) {
      capacity_ = count * stride;
      values_ = GpColumn(capacity_);
    }
    stride_ = stride;
  }
  double* operator[](std::size_t i) { return values_.data() + i * stride_; }

 private:
  GpColumn values_;
  std::size_t capacity_ = 0;
  std::size_t stride_ = 0;
};

}  // namespace lamarck::gp
