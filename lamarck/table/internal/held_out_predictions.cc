#include "lamarck/table/internal/held_out_predictions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lamarck/data/class_labels.h"
#include "lamarck/data/confusion_matrix.h"

namespace lamarck::table {

using data::Dataset;
using data::TableEncoding;

namespace {

ConfusionCounts count_confusions(const Tensor& outputs, const Tensor& targets,
                                 const TableEncoding& encoding) {
  const auto actual = data::class_indices(targets);
  const auto predicted = data::predicted_classes(outputs);
  const std::size_t count = encoding.target().classes.size();
  const data::ConfusionMatrix matrix(predicted, actual, count);
  ConfusionCounts result{.classes = encoding.target().classes, .counts = {}};
  for (std::size_t row = 0; row < count; ++row) {
    result.counts.emplace_back();
    for (std::size_t column = 0; column < count; ++column) {
      result.counts.back().push_back(matrix.count(row, column));
    }
  }
  return result;
}

}  // namespace

Baseline constant_baseline(const Dataset& train, const Dataset& test,
                           const TablePlan& plan) {
  const TableEncoding& encoding = plan.encoding;
  const data::Metric& metric = plan.metric;
  Tensor guesses = test.targets().clone();
  if (encoding.target().has_classes()) {
    const auto& counts = encoding.target().class_counts;
    const auto frequent = std::ranges::max_element(counts) - counts.begin();
    guesses.fill(0);
    for (std::int64_t row = 0; row < guesses.size(0); ++row) {
      guesses.at({row, frequent}) = 1;
    }
    return {"always the most frequent class",
            metric.function(guesses, test.targets())};
  }
  double sum = 0;
  for (const float value : train.targets().data()) sum += double{value};
  guesses.fill(static_cast<float>(sum / static_cast<double>(train.size())));
  return {"always the mean",
          plan.in_units(metric.function(guesses, test.targets()))};
}

Tensor replace_non_finite(const Tensor& outputs,
                          std::vector<std::string>& remarks) {
  Tensor numbers = outputs.contiguous().clone();
  std::size_t count = 0;
  for (std::int64_t row = 0; row < numbers.size(0); ++row) {
    bool is_finite = true;
    for (std::int64_t i = 0; i < numbers.size(1); ++i) {
      float& value = numbers.at({row, i});
      if (std::isfinite(value)) continue;
      value = 0;
      is_finite = false;
    }
    count += is_finite ? 0 : 1;
  }
  if (count > 0) {
    remarks.push_back(fmt::format(
        "The network's output is not finite for {} row{}, whose values are far "
        "from the training data; 0 is used instead.",
        count, count == 1 ? "" : "s"));
  }
  return numbers;
}

void add_predictions(TableEvolutionOutcome& outcome, const Tensor& outputs,
                     const Dataset& test) {
  const TableEncoding& encoding = outcome.encoding;
  if (encoding.target().has_classes()) {
    outcome.confusion = count_confusions(outputs, test.targets(), encoding);
    return;
  }
  const auto predicted = encoding.decode_numbers(outputs);
  const auto actual = encoding.decode_numbers(test.targets());
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    outcome.numbers.push_back({.actual = actual[i], .predicted = predicted[i]});
  }
}

}  // namespace lamarck::table
