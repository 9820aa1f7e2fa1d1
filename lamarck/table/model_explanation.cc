#include "lamarck/table/model_explanation.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "lamarck/base/rng.h"
#include "lamarck/data/class_labels.h"
#include "lamarck/evolution/training.h"

namespace lamarck::table {
namespace {

using data::Dataset;
using data::InputColumn;
using data::TableEncoding;
using evolution::Network;

constexpr double kMaxRows = 1000;
constexpr double kMinRows = 50;
constexpr double kMaxProducts = 2e9;  // Of weights and inputs, about.
constexpr std::size_t kMaxDependenceRows = 200;
constexpr std::size_t kMaxColumns = 100;
constexpr std::size_t kShuffles = 3;
constexpr std::size_t kDependenceColumns = 4;
constexpr std::size_t kDependencePoints = 17;
constexpr std::size_t kDependenceCurves = 3;

Dataset first_rows(const Dataset& rows, std::size_t count) {
  std::vector<std::size_t> kept(std::min(rows.size(), count));
  for (std::size_t i = 0; i < kept.size(); ++i) {
    kept[i] = i * rows.size() / kept.size();
  }
  return rows.rows(kept);
}

// The inputs of one column of the table.
struct ColumnInputs {
  const InputColumn* column = nullptr;
  std::int64_t begin = 0;
  std::int64_t count = 1;
};

std::vector<ColumnInputs> column_inputs(const TableEncoding& encoding) {
  std::vector<ColumnInputs> all;
  std::int64_t begin = 0;
  for (const InputColumn& column : encoding.inputs()) {
    const auto count =
        column.kind == data::ColumnKind::Number
            ? std::int64_t{1}
            : static_cast<std::int64_t>(column.categories.size());
    all.push_back({&column, begin, count});
    begin += count;
  }
  return all;
}

// Probabilities of shape [n, classes], also for a network with one output.
Tensor class_shares(const Tensor& outputs, std::size_t classes) {
  if (outputs.size(1) == static_cast<std::int64_t>(classes)) return outputs;
  Tensor both = Tensor::zeros({outputs.size(0), 2});
  for (std::int64_t row = 0; row < outputs.size(0); ++row) {
    both.at({row, 0}) = 1 - outputs.at({row, 0});
    both.at({row, 1}) = outputs.at({row, 0});
  }
  return both;
}

class Explainer {
 public:
  Explainer(const Network& network, const TableEncoding& encoding,
            const data::Metric& metric, const Dataset& rows)
      : network_(network),
        encoding_(encoding),
        metric_(metric),
        columns_(column_inputs(encoding)),
        rows_(first_rows(rows, affordable_rows())) {}

  ModelExplanation explain() {
    ModelExplanation explanation;
    if (columns_.size() <= kMaxColumns) {
      explanation.importance = importance();
      explanation.dependence = dependence(explanation.importance);
    }
    if (encoding_.target().has_classes()) explanation.confidence = confidence();
    return explanation;
  }

 private:
  // Large networks are measured with fewer rows.
  std::size_t affordable_rows() const {
    const double products =
        static_cast<double>(network_.parameters().size()) *
        static_cast<double>(kShuffles * columns_.size() + 1);
    return static_cast<std::size_t>(
        std::clamp(kMaxProducts / products, kMinRows, kMaxRows));
  }

  Tensor outputs(const Tensor& inputs) const {
    const Tensor values = evolution::predict(network_, inputs);
    return encoding_.target().has_classes()
               ? class_shares(values, encoding_.target().classes.size())
               : values;
  }

  double goodness(const Tensor& inputs) const {
    const double score = metric_.function(outputs(inputs), rows_.targets());
    return metric_.higher_is_better ? score : -score;
  }

  std::vector<InputImportance> importance() const {
    const double whole = goodness(rows_.inputs());
    std::vector<InputImportance> all;
    for (const ColumnInputs& each : columns_) {
      double sum = 0;
      for (std::size_t i = 0; i < kShuffles; ++i) {
        Rng rng = Rng(1).split(each.column->name).split(i);
        sum += whole - goodness(shuffled(each, rng));
      }
      all.push_back({each.column->name, sum / kShuffles});
    }
    std::ranges::stable_sort(all, std::greater<>(), &InputImportance::loss);
    return all;
  }

  Tensor shuffled(const ColumnInputs& column, Rng& rng) const {
    Tensor inputs = rows_.inputs().clone();
    std::vector<std::int64_t> order(rows_.size());
    std::iota(order.begin(), order.end(), std::int64_t{0});
    rng.shuffle(order);
    for (std::size_t row = 0; row < order.size(); ++row) {
      for (std::int64_t i = column.begin; i < column.begin + column.count;
           ++i) {
        inputs.at({static_cast<std::int64_t>(row), i}) =
            rows_.inputs().at({order[row], i});
      }
    }
    return inputs;
  }

  std::vector<PartialDependence> dependence(
      const std::vector<InputImportance>& ranking) const {
    std::vector<PartialDependence> all;
    for (const InputImportance& each : ranking) {
      if (all.size() == kDependenceColumns || each.loss <= 0) break;
      const auto column =
          std::ranges::find_if(columns_, [&](const ColumnInputs& inputs) {
            return inputs.column->name == each.column;
          });
      if (column->column->kind == data::ColumnKind::Number) {
        all.push_back(dependence_on(*column));
      }
    }
    return all;
  }

  // From the 5 % to the 95 % quantile, so that rare values do not stretch it.
  std::vector<float> grid(const ColumnInputs& column) const {
    std::vector<float> values;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      values.push_back(
          rows_.inputs().at({static_cast<std::int64_t>(row), column.begin}));
    }
    std::ranges::sort(values);
    const float low = values[values.size() / 20];
    const float high = values[values.size() - 1 - values.size() / 20];
    std::vector<float> points;
    for (std::size_t i = 0; i < kDependencePoints; ++i) {
      points.push_back(std::lerp(
          low, high, static_cast<float>(i) / (kDependencePoints - 1)));
    }
    return points;
  }

  PartialDependence dependence_on(const ColumnInputs& column) const {
    const Dataset some = first_rows(rows_, kMaxDependenceRows);
    const data::TargetColumn& target = encoding_.target();
    PartialDependence result{.column = column.column->name};
    const std::vector<std::size_t> shown = shown_outputs();
    for (const std::size_t i : shown) {
      result.curves.push_back(
          {target.has_classes() ? target.classes[i] : target.name, {}});
    }
    for (const float value : grid(column)) {
      Tensor inputs = some.inputs().clone();
      for (std::int64_t row = 0; row < inputs.size(0); ++row) {
        inputs.at({row, column.begin}) = value;
      }
      const Tensor values = outputs(inputs);
      result.values.push_back(column.column->mean +
                              column.column->deviation * double{value});
      for (std::size_t i = 0; i < shown.size(); ++i) {
        double sum = 0;
        for (std::int64_t row = 0; row < values.size(0); ++row) {
          sum += double{values.at({row, static_cast<std::int64_t>(shown[i])})};
        }
        const double mean = sum / static_cast<double>(values.size(0));
        result.curves[i].means.push_back(
            target.has_classes() ? mean
                                 : target.mean + target.deviation * mean);
      }
    }
    return result;
  }

  // The most frequent classes; of two classes, the second.
  std::vector<std::size_t> shown_outputs() const {
    const data::TargetColumn& target = encoding_.target();
    if (!target.has_classes()) return {0};
    if (target.classes.size() == 2) return {1};
    std::vector<std::size_t> order(target.classes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) {
      return target.class_counts[i];
    });
    order.resize(std::min(order.size(), kDependenceCurves));
    std::ranges::sort(order);
    return order;
  }

  std::vector<ConfidenceBand> confidence() const {
    std::vector<ConfidenceBand> bands = {
        {.low = 0, .high = 0.5},   {.low = 0.5, .high = 0.6},
        {.low = 0.6, .high = 0.7}, {.low = 0.7, .high = 0.8},
        {.low = 0.8, .high = 0.9}, {.low = 0.9, .high = 1}};
    const Tensor shares = outputs(rows_.inputs());
    const auto predicted = data::predicted_classes(shares);
    const auto actual = data::class_indices(rows_.targets());
    for (std::size_t row = 0; row < predicted.size(); ++row) {
      const double probability =
          double{shares.at({static_cast<std::int64_t>(row),
                            static_cast<std::int64_t>(predicted[row])})};
      auto band = std::ranges::find_if(bands, [&](const ConfidenceBand& each) {
        return probability < each.high;
      });
      if (band == bands.end()) --band;
      ++band->rows;
      band->mean_probability += probability;
      band->accuracy += predicted[row] == actual[row] ? 1 : 0;
    }
    std::erase_if(bands,
                  [](const ConfidenceBand& each) { return each.rows == 0; });
    for (ConfidenceBand& band : bands) {
      band.mean_probability /= static_cast<double>(band.rows);
      band.accuracy /= static_cast<double>(band.rows);
    }
    return bands;
  }

  const Network& network_;
  const TableEncoding& encoding_;
  const data::Metric& metric_;
  std::vector<ColumnInputs> columns_;
  Dataset rows_;
};

}  // namespace

ModelExplanation explain_model(const Network& network,
                               const TableEncoding& encoding,
                               const data::Metric& metric,
                               const Dataset& rows) {
  if (rows.size() == 0) return {};
  return Explainer(network, encoding, metric, rows).explain();
}

}  // namespace lamarck::table
