// How good predictions are, in one number.
//
// Predictions come first, targets second. For classes both are [n] or [n, 1]
// of class numbers, or [n, classes] of probabilities or one-hot rows; a single
// column of predictions may also be the probability of class 1. For numbers
// both have the same size. Everything throws LogicError for other shapes,
// without rows, and where a class is asked of NaN.

#pragma once

#include <span>
#include <string_view>

#include "lamarck/base/result.h"
#include "lamarck/data/confusion_matrix.h"
#include "lamarck/tensor/tensor.h"

namespace lamarck::data {

// Of classes; ConfusionMatrix gives them for each class as well.
double accuracy(const Tensor& predictions, const Tensor& targets);
double accuracy(std::span<const std::size_t> predicted,
                std::span<const std::size_t> actual);
double precision(const Tensor& predictions, const Tensor& targets,
                 Average average = Average::Macro);
double recall(const Tensor& predictions, const Tensor& targets,
              Average average = Average::Macro);
double f1(const Tensor& predictions, const Tensor& targets,
          Average average = Average::Macro);

// Of numbers.
double mean_squared_error(const Tensor& predictions, const Tensor& targets);
double root_mean_squared_error(const Tensor& predictions,
                               const Tensor& targets);
double mean_absolute_error(const Tensor& predictions, const Tensor& targets);
// The share of the variance that is explained, the mean over the columns. A
// column whose targets are all the same gives 1 if it is predicted exactly and
// 0 otherwise, as in scikit-learn.
double r2(const Tensor& predictions, const Tensor& targets);

struct Metric {
  std::string_view name;
  std::string_view what;  // For people, in a few words.
  bool higher_is_better;
  bool is_of_classes;  // Else of numbers.
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

// The one list of them; averages over classes are macro.
std::span<const Metric> metric_table();

// The error gives the nearest name.
Result<Metric> metric_named(std::string_view name);

}  // namespace lamarck::data
