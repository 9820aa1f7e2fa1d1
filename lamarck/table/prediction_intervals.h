// How far predictions are from the truth, measured on rows that the network
// was not trained on: the base of intervals with a known coverage (conformal
// prediction).

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lamarck/base/result.h"
#include "lamarck/data/dataset.h"

namespace lamarck::table {

class PredictionIntervals {
 public:
  // The error of a number is its distance to the prediction; that of a class is
  // 1 - its probability. Keeps at most 200 quantiles. REQUIRES: not empty.
  explicit PredictionIntervals(std::vector<double> errors);

  // The distance that new rows exceed in at most 1 - level of the cases, if
  // they are like the measured ones. REQUIRES: 0 < level < 1.
  double bound(double level) const;

  std::size_t rows() const { return rows_; }

  // The note "intervals" of a model file, JSON.
  std::string to_text() const;
  static Result<PredictionIntervals> parse(std::string_view text);

  friend bool operator==(const PredictionIntervals&,
                         const PredictionIntervals&) = default;

 private:
  PredictionIntervals() = default;

  std::vector<double> quantiles_;  // Of the errors, ascending.
  std::size_t rows_ = 0;           // That the errors were measured on.
};

// The finite errors of outputs, in units of `scale` for numbers. Classes are
// one-hot, or one column with the probability of the second of two.
std::vector<double> prediction_errors(const Tensor& outputs,
                                      const Tensor& targets, bool has_classes,
                                      double scale);

}  // namespace lamarck::table
