#include "lamarck/evolution/supervised_task.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>

#include "lamarck/base/ensure.h"

namespace lamarck::evolution {
namespace {

// Selects the rows and steps that count from [rows, steps, n] or [rows, n], as
// [selected, n].
Tensor counted(const Tensor& values, const std::vector<bool>& counts) {
  const std::int64_t width = values.size(-1);
  const Tensor flat = values.contiguous();
  std::vector<float> kept;
  const std::span<const float> all = flat.data();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (!counts[i]) continue;
    const auto row = all.subspan(i * static_cast<std::size_t>(width),
                                 static_cast<std::size_t>(width));
    kept.insert(kept.end(), row.begin(), row.end());
  }
  const auto rows = static_cast<std::int64_t>(kept.size()) / width;
  return Tensor::from({rows, width}, kept);
}

// Marks the rows, or rows and steps, whose weight is not 0.
std::vector<bool> what_counts(const Examples& examples) {
  const std::int64_t rows = examples.inputs.size(0);
  const std::int64_t steps =
      examples.has_steps() && examples.targets.rank() == 3
          ? examples.inputs.size(1)
          : 1;
  std::vector<bool> counts(static_cast<std::size_t>(rows * steps), true);
  if (examples.weights.rank() == 0) return counts;
  const bool by_step = examples.weights.rank() == 2;
  const std::int64_t last =
      examples.has_steps() ? examples.inputs.size(1) - 1 : 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t step = 0; step < steps; ++step) {
      const float weight =
          by_step ? examples.weights.at({row, steps == 1 ? last : step})
                  : examples.weights.at({row});
      counts[static_cast<std::size_t>(row * steps + step)] = weight != 0;
    }
  }
  return counts;
}

Loss usual_loss(const data::Metric& metric, const Tensor& targets) {
  if (!metric.is_of_classes) return Loss::MeanSquared;
  return targets.size(-1) == 1 ? Loss::BinaryCrossEntropy : Loss::CrossEntropy;
}

// The outputs that have targets: all of them, or those of the last step.
Tensor outputs_with_targets(const Network& network, const Examples& examples) {
  Tensor outputs = predict(network, examples.inputs);
  if (outputs.rank() == 3 && examples.targets.rank() == 2) {
    return outputs.select(1, outputs.size(1) - 1).contiguous();
  }
  return outputs;
}

double row_loss(Loss loss, std::span<const float> outputs,
                std::span<const float> targets) {
  // Growing more certain of a correct answer is not an improvement, so
  // probabilities above kSure all cost the same.
  const auto cost = [](double probability, double weight) {
    constexpr double kMin = 1e-7;
    constexpr double kSure = 0.9;
    if (weight <= 0) return 0.0;
    return -weight * std::log(std::clamp(probability, kMin, kSure));
  };
  double sum = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const double output = double{outputs[i]};
    const double target = double{targets[i]};
    switch (loss) {
      case Loss::MeanSquared:
        sum += (output - target) * (output - target) /
               static_cast<double>(outputs.size());
        break;
      case Loss::BinaryCrossEntropy:
        sum += cost(output, target) + cost(1 - output, 1 - target);
        break;
      case Loss::CrossEntropy:
        sum += cost(output, target);
        break;
    }
  }
  return sum;
}

// Whether both tensors share the same memory; contents are not compared.
bool is_same(const Tensor& a, const Tensor& b) {
  return a.begin_of_data() == b.begin_of_data() && a.shape() == b.shape();
}

bool is_same(const Examples& a, const Examples& b) {
  const bool neither_weighs = a.weights.rank() == 0 && b.weights.rank() == 0;
  return is_same(a.inputs, b.inputs) && is_same(a.targets, b.targets) &&
         (neither_weighs || is_same(a.weights, b.weights));
}

// Whether row `row` counts at any step.
bool row_counts(const Examples& examples, std::int64_t row) {
  if (examples.weights.rank() == 0) return true;
  if (examples.weights.rank() == 1) return examples.weights.at({row}) != 0;
  for (std::int64_t step = 0; step < examples.weights.size(1); ++step) {
    if (examples.weights.at({row, step}) != 0) return true;
  }
  return false;
}

// Throws if a value of a row that counts is not finite: one such cell would
// make the loss of every candidate NaN.
void require_finite(const Examples& examples, const Tensor& values,
                    std::string_view what) {
  const std::int64_t rows = values.size(0);
  const Tensor flat = values.contiguous();
  const std::span<const float> all = flat.data();
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::size_t width = all.size() / static_cast<std::size_t>(rows);
    const auto of_row =
        all.subspan(static_cast<std::size_t>(row) * width, width);
    const auto bad = std::ranges::find_if_not(
        of_row, [](float value) { return std::isfinite(value); });
    if (bad == of_row.end() || !row_counts(examples, row)) continue;
    REQUIRE(false,
            "SupervisedTask: {} must be finite, got {} in row {}, position {}; "
            "drop the row, replace the value, or give the row weight 0.",
            what, *bad, row, bad - of_row.begin());
  }
}

// Class numbers such as 0, 1, 2 in one column would be trained as a
// probability.
void require_probabilities(const Examples& examples) {
  const Tensor flat = examples.targets.contiguous();
  for (const float value : flat.data()) {
    REQUIRE(!(value < 0 || value > 1),
            "SupervisedTask: a single column of classes must have values from "
            "0 to 1, got {}; for more than two classes use data::one_hot, "
            "which makes one column per class.",
            value);
  }
}

// Steps that do not count may hold anything, so sequences with weights for each
// step are not checked.
void check_examples(const Examples& examples, Loss loss) {
  if (examples.has_steps() && examples.weights.rank() == 2) return;
  require_finite(examples, examples.inputs, "inputs");
  require_finite(examples, examples.targets, "targets");
  if (loss == Loss::BinaryCrossEntropy) require_probabilities(examples);
}

std::shared_ptr<const Trainer> make_trainer(const Examples& train,
                                            const Examples& test) {
  if (is_same(train, test)) return std::make_shared<const Trainer>(train);
  return std::make_shared<const Trainer>(train, test);
}

}  // namespace

SupervisedTask::SupervisedTask(const Examples& train, const Examples& test,
                               const data::Metric& metric,
                               const SupervisedOptions& options)
    : trainer_(make_trainer(train, test)),
      test_(test),
      is_test_held_out_(!is_same(train, test)),
      metric_(metric),
      loss_(options.loss.value_or(usual_loss(metric, train.targets))),
      training_(options.training) {
  check_examples(train, loss_);
  if (is_test_held_out_) check_examples(test, loss_);
}

double SupervisedTask::default_target() const {
  return metric_.higher_is_better ? 0.95
                                  : std::numeric_limits<double>::infinity();
}

TrainingOutcome SupervisedTask::train_until_converged(
    Network& network, const LearningContext& context) const {
  TrainingOptions options = training_;
  options.context = context;
  return trainer_->train(network, options);
}

double SupervisedTask::evaluate(const Network& network, Rng& /*rng*/) const {
  const double value = measure(metric_, network, test_);
  return metric_.higher_is_better ? value : -value;
}

void SupervisedTask::prepare(Network& network) const {
  REQUIRE(
      static_cast<std::int64_t>(network.input_width()) == test_.inputs.size(-1),
      "SupervisedTask: the network must have {} inputs, one per column, got "
      "{}.",
      test_.inputs.size(-1), network.input_width());
  REQUIRE(static_cast<std::int64_t>(network.output_width()) ==
              test_.targets.size(-1),
          "SupervisedTask: the network must have {} outputs, one per target "
          "column, got {}.",
          test_.targets.size(-1), network.output_width());
  network.set_head(loss_);
}

bool SupervisedTask::is_sequential() const {
  return trainer_->examples().has_steps();
}

std::vector<double> SupervisedTask::unit_scores(
    const Network& network, std::span<const UnitId> units) const {
  return trainer_->unit_scores(network, units);
}

std::vector<double> SupervisedTask::row_losses(const Network& network) const {
  if (!is_test_held_out_) return {};
  const std::vector<bool> counts = what_counts(test_);
  const Tensor outputs = counted(outputs_with_targets(network, test_), counts);
  const Tensor targets = counted(test_.targets, counts);
  std::vector<double> losses;
  const std::size_t width = static_cast<std::size_t>(outputs.size(1));
  for (std::size_t i = 0; i < outputs.data().size(); i += width) {
    losses.push_back(row_loss(network.head(), outputs.data().subspan(i, width),
                              targets.data().subspan(i, width)));
  }
  return losses;
}

double SupervisedTask::work(const Network& network) const {
  const Examples& examples = trainer_->examples();
  const double values = static_cast<double>(examples.inputs.element_count()) /
                        static_cast<double>(examples.inputs.size(-1));
  return values * static_cast<double>(network.parameters().size()) *
         static_cast<double>(training_.max_steps);
}

double measure(const data::Metric& metric, const Network& network,
               const Examples& examples) {
  const std::vector<bool> counts = what_counts(examples);
  return metric.function(
      counted(outputs_with_targets(network, examples), counts),
      counted(examples.targets, counts));
}

SupervisedTask autoencoder_task(const Tensor& train, const Tensor& test,
                                TrainingOptions training) {
  return SupervisedTask({train, train}, {test, test}, data::Metric::R2,
                        {.training = std::move(training)});
}

}  // namespace lamarck::evolution
