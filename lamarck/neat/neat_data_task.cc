#include "lamarck/neat/neat_data_task.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "lamarck/data/normalisation.h"

namespace lamarck::neat {
namespace {

// The data that all evaluations share.
struct NeatExamples {
  std::size_t outputs = 0;
  std::vector<double> inputs;   // Row-major.
  std::vector<double> targets;  // Row-major, from 0 to 1.
  bool has_classes = false;
  double variance = 0;  // Variance of all targets.
  double goal = 0;

  std::size_t row_count() const { return targets.size() / outputs; }
};

struct Fit {
  double squares = 0;       // Mean squared error.
  std::size_t correct = 0;  // Rows with the right class.
};

std::vector<double> doubles(const Tensor& tensor) {
  const std::span<const float> numbers = tensor.data();
  return {numbers.begin(), numbers.end()};
}

// Returns the second column of one-hot targets for two classes, which a single
// output predicts.
std::vector<double> second_of_two(const std::vector<double>& one_hot) {
  std::vector<double> targets;
  for (std::size_t i = 1; i < one_hot.size(); i += 2) {
    targets.push_back(one_hot[i]);
  }
  return targets;
}

double variance_of(const std::vector<double>& numbers) {
  const auto count = static_cast<double>(numbers.size());
  double mean = 0;
  for (const double number : numbers) mean += number / count;
  double sum = 0;
  for (const double number : numbers) sum += (number - mean) * (number - mean);
  return sum / count;
}

// The examples of `data`, scaled as `known` is.
NeatExamples make_examples(const data::Dataset& data,
                           const data::Dataset& known, double goal) {
  NeatExamples all;
  all.goal = goal;
  all.inputs =
      doubles(data::Normalization::fit(known.inputs()).apply(data.inputs()));
  all.has_classes = !data.class_names().empty();
  if (all.has_classes) {
    all.targets = doubles(data.targets());
    all.outputs = data.class_names().size();
    if (all.outputs == 2) {
      all.targets = second_of_two(all.targets);
      all.outputs = 1;
    }
  } else {
    const auto scaling = data::Normalization::fit(
        known.targets(), data::NormalizationKind::MinMax);
    all.targets = doubles(scaling.apply(data.targets()));
    all.outputs = 1;
  }
  all.variance = variance_of(all.targets);
  return all;
}

// Returns the class of a row of outputs or targets.
std::size_t class_of(const double* row, std::size_t outputs) {
  if (outputs == 1) return row[0] > 0.5 ? 1 : 0;
  return static_cast<std::size_t>(std::max_element(row, row + outputs) - row);
}

Fit measure_fit(const NeatExamples& all, FlatNetwork& network) {
  std::vector<double> outputs(all.targets.size());
  network.evaluate_cases(all.inputs, outputs);
  Fit fit;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const double difference = outputs[i] - all.targets[i];
    fit.squares += difference * difference;
  }
  fit.squares /= static_cast<double>(outputs.size());
  for (std::size_t i = 0; i < outputs.size(); i += all.outputs) {
    fit.correct += class_of(&outputs[i], all.outputs) ==
                           class_of(&all.targets[i], all.outputs)
                       ? 1U
                       : 0U;
  }
  return fit;
}

// Returns the accuracy or r2, which is compared with the goal.
double score_of(const NeatExamples& all, const Fit& fit) {
  return all.has_classes ? static_cast<double>(fit.correct) /
                               static_cast<double>(all.row_count())
                         : 1 - fit.squares / all.variance;
}

NeatEvaluation evaluate(const NeatExamples& all, FlatNetwork& network) {
  const Fit fit = measure_fit(all, network);
  const double closeness = 1 - fit.squares;
  return {.fitness = all.has_classes ? closeness * closeness
                                     : 1 / (1 + fit.squares / all.variance),
          .solved = score_of(all, fit) >= all.goal};
}

NeatMeasure make_measure(std::shared_ptr<const NeatExamples> rows,
                         bool is_held_out) {
  const char* name = rows->has_classes ? "accuracy" : "r2";
  const char* held_out =
      rows->has_classes ? "accuracy on held-out rows" : "r2 on held-out rows";
  return {.name = is_held_out ? held_out : name,
          .of = [rows = std::move(rows)](FlatNetwork& network) {
            return score_of(*rows, measure_fit(*rows, network));
          }};
}

}  // namespace

Result<NeatBenchmark> data_benchmark(const data::Dataset& data, double goal,
                                     const data::Dataset* test) {
  const auto all =
      std::make_shared<const NeatExamples>(make_examples(data, data, goal));
  if (all->variance == 0) {
    return Error(ErrorCode::InvalidArgument,
                 "The target has the same value in all " +
                     std::to_string(data.size()) +
                     " rows, so there is nothing to predict; choose another "
                     "target.");
  }
  return NeatBenchmark{
      .task = {.name = "data",
               .inputs = all->inputs.size() / data.size(),
               .outputs = all->outputs,
               .evaluate =
                   [all](FlatNetwork& network) {
                     return evaluate(*all, network);
                   },
               .measure =
                   test == nullptr
                       ? make_measure(all, false)
                       : make_measure(std::make_shared<const NeatExamples>(
                                          make_examples(*test, data, goal)),
                                      true)},
      // Standardized inputs and a steep sigmoid need small weights.
      .options = {.perturb_power = 0.2,
                  .replace = 0.02,
                  .replace_range = 1,
                  .initial_range = 0.1}};
}

}  // namespace lamarck::neat
