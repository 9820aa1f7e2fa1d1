#include "lamarck/formula/gram_matrix.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lamarck/formula/gram_matrix.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "lamarck/base/cholesky.h"

HWY_BEFORE_NAMESPACE();
namespace lamarck::formula::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<double, 8>;
using V = hn::Vec<D>;
constexpr D kTag{};

// to[k] += the dot product of `a` and the k-th column, for `Columns` columns.
template <std::size_t Columns>
HWY_INLINE void add_products(const double* a, const double* b,
                             std::size_t stride, std::size_t rows, double* to) {
  V sums[Columns];
  for (std::size_t k = 0; k < Columns; ++k) sums[k] = hn::Zero(kTag);
  const std::size_t lanes = hn::Lanes(kTag);
  std::size_t i = 0;
  for (; i + lanes <= rows; i += lanes) {
    const V first = hn::LoadU(kTag, a + i);
    for (std::size_t k = 0; k < Columns; ++k) {
      sums[k] = hn::MulAdd(first, hn::LoadU(kTag, b + k * stride + i), sums[k]);
    }
  }
  for (std::size_t k = 0; k < Columns; ++k) {
    double sum = hn::GetLane(hn::SumOfLanes(kTag, sums[k]));
    for (std::size_t j = i; j < rows; ++j) sum += a[j] * b[k * stride + j];
    to[k] += sum;
  }
}

}  // namespace

// Computes the lower triangle; groups of four columns may reach beyond it.
void add_gram_kernel(const double* columns, std::size_t count,
                     std::size_t stride, std::size_t rows, double* gram) {
  for (std::size_t i = 0; i < count; ++i) {
    const double* a = columns + i * stride;
    double* to = gram + i * count;
    std::size_t j = 0;
    for (; j + 4 <= count && j <= i; j += 4) {
      add_products<4>(a, columns + j * stride, stride, rows, to + j);
    }
    for (; j <= i; ++j) {
      add_products<1>(a, columns + j * stride, stride, rows, to + j);
    }
  }
}

}  // namespace lamarck::formula::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lamarck::formula {

HWY_EXPORT(add_gram_kernel);

void gram_matrix(const double* columns, std::size_t count, std::size_t rows,
                 std::span<double> gram) {
  constexpr std::size_t kBlockRows = 256;
  std::fill(gram.begin(), gram.end(), 0.0);
  const auto add_gram = HWY_DYNAMIC_DISPATCH(add_gram_kernel);
  // In blocks of rows, so that all columns of a block stay in the cache.
  for (std::size_t row = 0; row < rows; row += kBlockRows) {
    add_gram(columns + row, count, rows, std::min(kBlockRows, rows - row),
             gram.data());
  }
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      gram[j * count + i] = gram[i * count + j];
    }
  }
}

namespace {

// A smaller pivot of a matrix with unit diagonal is only rounding error.
constexpr double kMinPivot = 1e-14;

}  // namespace

bool DampedSolver::solve(std::span<const double> gram, std::size_t stride,
                         std::size_t b_column,
                         std::span<const std::uint8_t> wanted, double damping,
                         std::span<double> x) {
  pick(gram, stride, wanted);
  factor(damping);
  std::vector<double> y(picked_.size());
  for (std::size_t i = 0; i < y.size(); ++i) {
    y[i] = gram[picked_[i] * stride + b_column] / scale_[i];
  }
  solve_cholesky(factor_.data(), y.size(), y.data());
  std::fill(x.begin(), x.end(), 0.0);
  for (std::size_t i = 0; i < y.size(); ++i) x[picked_[i]] = y[i] / scale_[i];
  return std::all_of(x.begin(), x.end(),
                     [](double value) { return std::isfinite(value); });
}

// Selects the usable unknowns and scales their equations to unit diagonal,
// which makes the pivots comparable.
void DampedSolver::pick(std::span<const double> gram, std::size_t stride,
                        std::span<const std::uint8_t> wanted) {
  picked_.clear();
  scale_.clear();
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const double square = gram[i * stride + i];
    if (wanted[i] == 0 || !(square > 0) || !std::isfinite(square)) continue;
    picked_.push_back(i);
    scale_.push_back(std::sqrt(square));
  }
  const std::size_t n = picked_.size();
  factor_.resize(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      factor_[i * n + j] =
          gram[picked_[i] * stride + picked_[j]] / scale_[i] / scale_[j];
    }
  }
}

// A column that depends linearly on earlier ones gets an infinite pivot, which
// makes its unknown 0.
void DampedSolver::factor(double damping) {
  const std::size_t n = picked_.size();
  for (std::size_t i = 0; i < n; ++i) {
    factor_[i * n + i] += damping * factor_[i * n + i];
  }
  factor_cholesky(factor_.data(), n, [](double square) {
    return square > kMinPivot ? std::sqrt(square) : HUGE_VAL;
  });
}

}  // namespace lamarck::formula
#endif
