// The straight-line guess about a series: least squares on its last values.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace lamarck::table {

class Autoregression {
 public:
  // Fits value[t + horizon] to a constant and the last `lags` values up to t;
  // fewer lags if the series is short.
  Autoregression(std::span<const double> series, std::size_t horizon,
                 std::size_t lags = 16);

  // Of the value `horizon` after the last one. Before there are enough values
  // it is the last one.
  double predict(std::span<const double> past) const;

 private:
  std::vector<double> coefficients_;  // Of the last value first; then 1.
  double shift_ = 0;                  // Taken off first, for accuracy.
};

}  // namespace lamarck::table
