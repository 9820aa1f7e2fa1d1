// A linear autoregressive model, fitted by least squares. It is a baseline for
// networks that predict a series.

#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace lamarck::table {

class Autoregression {
 public:
  // Fits value[t + horizon] to a constant and the last `lags` values up to t.
  // A short series gets fewer lags.
  Autoregression(std::span<const double> series, std::size_t horizon,
                 std::size_t lags = 16);

  // Predicts the value `horizon` steps after the last one. Returns the last
  // value if there are fewer values than lags. REQUIRES: `past` is not empty.
  double predict(std::span<const double> past) const;

 private:
  std::vector<double> coefficients_;  // Latest value first, the constant last.
  double shift_ = 0;  // The mean; subtracted before the fit for accuracy.
};

}  // namespace lamarck::table
