// Metrics: the quality of predictions as one number.
//
// Predictions come first, targets second. For classification, both are [n] or
// [n, 1] of class indices, or [n, classes] of probabilities or one-hot rows; a
// single column of predictions may also be the probability of class 1. For
// regression, both have the same number of rows and numbers. All functions
// throw LogicError for other shapes, for empty tensors, and if a class must be
// derived from NaN.

#pragma once

#include <span>
#include <string_view>

#include "lamarck/base/result.h"
#include "lamarck/data/confusion_matrix.h"
#include "lamarck/tensor/tensor.h"

namespace lamarck::data {

// Classification. ConfusionMatrix also provides them for each class.
double accuracy(const Tensor& predictions, const Tensor& targets);
double accuracy(std::span<const std::size_t> predicted,
                std::span<const std::size_t> actual);
double precision(const Tensor& predictions, const Tensor& targets,
                 Average average = Average::Macro);
double recall(const Tensor& predictions, const Tensor& targets,
              Average average = Average::Macro);
double f1(const Tensor& predictions, const Tensor& targets,
          Average average = Average::Macro);

// Regression.
double mean_squared_error(const Tensor& predictions, const Tensor& targets);
double root_mean_squared_error(const Tensor& predictions,
                               const Tensor& targets);
double mean_absolute_error(const Tensor& predictions, const Tensor& targets);
// The explained fraction of the variance, averaged over the columns. A column
// of constant targets counts as 1 if it is predicted exactly and as 0
// otherwise, as in scikit-learn.
double r2(const Tensor& predictions, const Tensor& targets);

struct Metric {
  std::string_view name;
  std::string_view what;  // A short description for users.
  bool higher_is_better;
  bool is_of_classes;  // Otherwise it is for regression.
  int unit_power;  // 1 in the target's unit, 2 in its square, 0 without one.
  double (*function)(const Tensor& predictions, const Tensor& targets);

  // NOLINTBEGIN(readability-identifier-naming): they read like enumerators.
  static const Metric Accuracy;
  static const Metric Precision;
  static const Metric Recall;
  static const Metric F1;
  static const Metric R2;
  static const Metric MeanSquaredError;
  static const Metric RootMeanSquaredError;
  static const Metric MeanAbsoluteError;
  // NOLINTEND(readability-identifier-naming)
};

// All metrics. Averages over classes are macro averages.
std::span<const Metric> metric_table();

// Fails with NotFound, suggesting the nearest name.
Result<Metric> find_metric(std::string_view name);

}  // namespace lamarck::data
