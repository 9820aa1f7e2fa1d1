#include "lamarck/table/internal/autoregression.h"

#include <algorithm>
#include <cmath>

#include "lamarck/base/cholesky.h"
#include "lamarck/base/ensure.h"

namespace lamarck::table {
namespace {

// Solves a x = b for a symmetric positive definite matrix.
std::vector<double> solve_positive_definite(std::vector<double> a,
                                            std::vector<double> b) {
  factor_cholesky(a.data(), b.size(), [](double square) {
    return std::sqrt(std::max(square, 1e-300));
  });
  solve_cholesky(a.data(), b.size(), b.data());
  return b;
}

}  // namespace

Autoregression::Autoregression(std::span<const double> series,
                               std::size_t horizon, std::size_t lags) {
  REQUIRE(horizon > 0 && series.size() > horizon,
          "Autoregression: horizon must be positive and less than the length "
          "of the series ({}), got {}.",
          series.size(), horizon);
  // At least about four examples for every coefficient.
  lags = std::clamp<std::size_t>((series.size() - horizon) / 4, 1, lags);
  for (const double value : series) {
    shift_ += value / static_cast<double>(series.size());
  }
  const std::size_t n = lags + 1;
  std::vector<double> matrix(n * n, 0.0);
  std::vector<double> right(n, 0.0);
  double scale = 0;
  std::vector<double> row(n, 1.0);
  for (std::size_t t = lags - 1; t + horizon < series.size(); ++t) {
    for (std::size_t i = 0; i < lags; ++i) row[i] = series[t - i] - shift_;
    const double wanted = series[t + horizon] - shift_;
    for (std::size_t i = 0; i < n; ++i) {
      right[i] += row[i] * wanted;
      for (std::size_t j = 0; j < n; ++j) matrix[i * n + j] += row[i] * row[j];
    }
    scale += row[0] * row[0];
  }
  // A small ridge keeps the system solvable for periodic and constant series.
  for (std::size_t i = 0; i < n; ++i) {
    matrix[i * n + i] += 1e-9 * scale + 1e-12;
  }
  coefficients_ = solve_positive_definite(std::move(matrix), std::move(right));
}

double Autoregression::predict(std::span<const double> past) const {
  const std::size_t lags = coefficients_.size() - 1;
  if (past.size() < lags) return past.back();
  double sum = shift_ + coefficients_.back();
  for (std::size_t i = 0; i < lags; ++i) {
    sum += coefficients_[i] * (past[past.size() - 1 - i] - shift_);
  }
  return sum;
}

}  // namespace lamarck::table
