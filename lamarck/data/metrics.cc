#include "lamarck/data/metrics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "lamarck/base/ensure.h"
#include "lamarck/base/one_line.h"
#include "lamarck/base/string_split.h"
#include "lamarck/base/suggestion.h"
#include "lamarck/data/class_labels.h"
#include "lamarck/data/rows.h"

namespace lamarck::data {
namespace {

// The numbers of predictions and targets, checked to match in row count and row
// size. [n] and [n, 1] match.
struct Pairs {
  Pairs(std::string_view operation, const Tensor& predictions,
        const Tensor& targets)
      : width(row_size(targets, operation)),
        predicted(predictions.to_vector()),
        actual(targets.to_vector()) {
    if (row_count(predictions, operation) != row_count(targets, operation) ||
        row_size(predictions, operation) != width) {
      throw_shape_mismatch(operation, predictions.shape(), targets.shape(),
                           "there must be one prediction for each target");
    }
    if (actual.empty()) {
      throw_invalid_shape(operation, targets.shape(),
                          "there must be at least one number");
    }
  }

  std::size_t width;
  std::vector<float> predicted;
  std::vector<float> actual;
};

template <class Cost>
double mean_cost(const Pairs& pairs, Cost cost) {
  double sum = 0;
  for (std::size_t i = 0; i < pairs.actual.size(); ++i) {
    sum += cost(double{pairs.predicted[i]} - double{pairs.actual[i]});
  }
  return sum / static_cast<double>(pairs.actual.size());
}

double column_r2(const Pairs& pairs, std::size_t column) {
  double mean = 0;
  double unexplained = 0;
  bool is_constant = true;
  std::size_t count = 0;
  for (std::size_t i = column; i < pairs.actual.size(); i += pairs.width) {
    // Doubles, because sums of float squares lose precision.
    const double error = double{pairs.predicted[i]} - pairs.actual[i];
    unexplained += error * error;
    mean += pairs.actual[i];
    if (pairs.actual[i] != pairs.actual[column]) is_constant = false;
    ++count;
  }
  // Compared exactly: the rounded mean of equal numbers would leave a tiny,
  // meaningless variance.
  if (is_constant) return unexplained == 0 ? 1 : 0;
  mean /= static_cast<double>(count);
  double total = 0;
  for (std::size_t i = column; i < pairs.actual.size(); i += pairs.width) {
    const double difference = pairs.actual[i] - mean;
    total += difference * difference;
  }
  return 1 - unexplained / total;
}

double macro_precision(const Tensor& predictions, const Tensor& targets) {
  return precision(predictions, targets);
}
double macro_recall(const Tensor& predictions, const Tensor& targets) {
  return recall(predictions, targets);
}
double macro_f1(const Tensor& predictions, const Tensor& targets) {
  return f1(predictions, targets);
}

// In the order of the constants of Metric, which are initialized by index
// below.
constexpr std::array kMetrics = {
    Metric{.name = "accuracy",
           .what = "fraction of rows with the correct class",
           .higher_is_better = true,
           .is_of_classes = true,
           .unit_power = 0,
           .function = accuracy},
    Metric{
        .name = "precision",
        .what = "correct fraction of a class's predictions; mean over classes",
        .higher_is_better = true,
        .is_of_classes = true,
        .unit_power = 0,
        .function = macro_precision},
    Metric{
        .name = "recall",
        .what = "fraction of a class's rows that are found; mean over classes",
        .higher_is_better = true,
        .is_of_classes = true,
        .unit_power = 0,
        .function = macro_recall},
    Metric{.name = "f1",
           .what = "harmonic mean of precision and recall; mean over classes",
           .higher_is_better = true,
           .is_of_classes = true,
           .unit_power = 0,
           .function = macro_f1},
    Metric{.name = "r2",
           .what = "fraction of the targets' variance that is explained",
           .higher_is_better = true,
           .is_of_classes = false,
           .unit_power = 0,
           .function = r2},
    Metric{.name = "mse",
           .what = "mean squared error",
           .higher_is_better = false,
           .is_of_classes = false,
           .unit_power = 2,
           .function = mean_squared_error},
    Metric{.name = "rmse",
           .what = "square root of the mean squared error",
           .higher_is_better = false,
           .is_of_classes = false,
           .unit_power = 1,
           .function = root_mean_squared_error},
    Metric{.name = "mae",
           .what = "mean absolute error",
           .higher_is_better = false,
           .is_of_classes = false,
           .unit_power = 1,
           .function = mean_absolute_error},
};

}  // namespace

double accuracy(const Tensor& predictions, const Tensor& targets) {
  return accuracy(predicted_classes(predictions), class_indices(targets));
}

double accuracy(std::span<const std::size_t> predicted,
                std::span<const std::size_t> actual) {
  REQUIRE(predicted.size() == actual.size() && !actual.empty(),
          "accuracy: there must be rows and one prediction for each, got {} "
          "predictions for {} rows.",
          predicted.size(), actual.size());
  std::size_t right = 0;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (predicted[i] == actual[i]) ++right;
  }
  return static_cast<double>(right) / static_cast<double>(actual.size());
}

double precision(const Tensor& predictions, const Tensor& targets,
                 Average average) {
  return ConfusionMatrix(predictions, targets).precision(average);
}

double recall(const Tensor& predictions, const Tensor& targets,
              Average average) {
  return ConfusionMatrix(predictions, targets).recall(average);
}

double f1(const Tensor& predictions, const Tensor& targets, Average average) {
  return ConfusionMatrix(predictions, targets).f1(average);
}

double mean_squared_error(const Tensor& predictions, const Tensor& targets) {
  return mean_cost(Pairs("mean_squared_error", predictions, targets),
                   [](double error) { return error * error; });
}

double root_mean_squared_error(const Tensor& predictions,
                               const Tensor& targets) {
  return std::sqrt(mean_squared_error(predictions, targets));
}

double mean_absolute_error(const Tensor& predictions, const Tensor& targets) {
  return mean_cost(Pairs("mean_absolute_error", predictions, targets),
                   [](double error) { return std::abs(error); });
}

double r2(const Tensor& predictions, const Tensor& targets) {
  const Pairs pairs("r2", predictions, targets);
  double sum = 0;
  for (std::size_t i = 0; i < pairs.width; ++i) sum += column_r2(pairs, i);
  return sum / static_cast<double>(pairs.width);
}

// constinit avoids the static initialization order problem.
constinit const Metric Metric::Accuracy = kMetrics[0];
constinit const Metric Metric::Precision = kMetrics[1];
constinit const Metric Metric::Recall = kMetrics[2];
constinit const Metric Metric::F1 = kMetrics[3];
constinit const Metric Metric::R2 = kMetrics[4];
constinit const Metric Metric::MeanSquaredError = kMetrics[5];
constinit const Metric Metric::RootMeanSquaredError = kMetrics[6];
constinit const Metric Metric::MeanAbsoluteError = kMetrics[7];

std::span<const Metric> metric_table() { return kMetrics; }

Result<Metric> find_metric(std::string_view name) {
  std::vector<std::string> names;
  for (const Metric& metric : kMetrics) {
    if (metric.name == name) return metric;
    names.emplace_back(metric.name);
  }
  const auto nearest = nearest_word(name, names);
  return Error(ErrorCode::InvalidArgument,
               "Unknown metric " + in_quotes(name) +
                   (nearest ? "; did you mean '" + *nearest + "'?"
                            : "; use one of " + join_text(names, ", ") + "."),
               {{"name", std::string(name)}});
}

}  // namespace lamarck::data
