#include "lamarck/evolution/supervised_task.h"

#include <gtest/gtest.h>

#include <limits>

#include "lamarck/base/error.h"

namespace lamarck::evolution {
namespace {

using data::Metric;

Examples random_examples(std::int64_t rows) {
  Rng rng(3);
  return {Tensor::randn({rows, 2}, rng), Tensor::randn({rows, 1}, rng)};
}

// Whether candidates are compared by other rows than they are trained on.
bool holds_out_rows(const Examples& train, const Examples& test) {
  const SupervisedTask task(train, test, Metric::R2);
  Network network = minimal_network(2, 1);
  task.prepare(network);
  const TrainingOutcome outcome = task.train_until_converged(network, {});
  return outcome.loss != outcome.check_loss;
}

TEST(SupervisedTask, SameRowsAreNotHeldOut) {
  const Examples all = random_examples(20);
  EXPECT_FALSE(holds_out_rows(all, all));
}

TEST(SupervisedTask, HalvesOfOneTableAreDifferentRows) {
  const Examples all = random_examples(20);
  const auto half = [&](std::int64_t begin) {
    return Examples(all.inputs.slice(0, begin, begin + 10),
                    all.targets.slice(0, begin, begin + 10));
  };
  EXPECT_TRUE(holds_out_rows(half(0), half(10)));
}

TEST(SupervisedTask, RowsWithDifferentWeightsAreDifferent) {
  const Examples all = random_examples(4);
  const Examples first(all.inputs, all.targets,
                       Tensor::from({4}, {1, 1, 0, 0}));
  const Examples rest(all.inputs, all.targets, Tensor::from({4}, {0, 0, 1, 1}));
  EXPECT_TRUE(holds_out_rows(first, rest));
}

TEST(SupervisedTask, MetricDecidesHead) {
  const auto head_of = [](const Metric& metric, std::int64_t columns) {
    const Examples examples(Tensor::zeros({3, 1}), Tensor::zeros({3, columns}));
    const SupervisedTask task(examples, examples, metric);
    Network network = minimal_network(1, static_cast<std::size_t>(columns));
    task.prepare(network);
    return network.head();
  };
  EXPECT_EQ(head_of(Metric::R2, 2), Loss::MeanSquared);
  EXPECT_EQ(head_of(Metric::Accuracy, 1), Loss::BinaryCrossEntropy);
  EXPECT_EQ(head_of(Metric::Accuracy, 3), Loss::CrossEntropy);
}

TEST(SupervisedTask, NegatesMetricsToMinimize) {
  const Examples examples(Tensor::zeros({2, 1}), Tensor::ones({2, 1}));
  Network network = minimal_network(1, 1);
  Rng rng(1);
  const SupervisedTask task(examples, examples, Metric::MeanSquaredError);
  EXPECT_EQ(task.evaluate(network, rng), -1);
}

TEST(SupervisedTask, RejectsIncompatibleNetwork) {
  const Examples examples = random_examples(4);
  const SupervisedTask task(examples, examples, Metric::R2);
  Network small = minimal_network(1, 1);
  Network wide = minimal_network(2, 2);
  EXPECT_THROW(task.prepare(small), LogicError);
  EXPECT_THROW(task.prepare(wide), LogicError);
}

TEST(Measure, IgnoresStepsOfWeightZero) {
  const Network network = minimal_network(1, 1);
  const Tensor inputs = Tensor::zeros({1, 3, 1});
  const Tensor targets = Tensor::from({1, 3, 1}, {0, 0, 5});
  const Tensor weights = Tensor::from({1, 3}, {1, 1, 0});
  EXPECT_EQ(measure(Metric::MeanSquaredError, network, {inputs, targets}),
            25.0 / 3);
  EXPECT_EQ(
      measure(Metric::MeanSquaredError, network, {inputs, targets, weights}),
      0);
}

TEST(AutoencoderTask, LearnsInputs) {
  Rng rng(1);
  const Tensor rows = Tensor::randn({30, 1}, rng);
  const Tensor both = concat(std::vector{rows, rows}, 1);
  const SupervisedTask task = autoencoder_task(both, both);
  Network network = minimal_autoencoder(2, 1);
  task.prepare(network);
  const TrainingOutcome outcome = task.train_until_converged(network, {});
  EXPECT_LT(outcome.loss, 0.01);
  EXPECT_GT(task.evaluate(network, rng), 0.98);
}

TEST(SupervisedTask, RefusesClassNumbersInOneColumn) {
  const Examples examples(Tensor::zeros({3, 1}),
                          Tensor::from({3, 1}, {0, 1, 2}));
  try {
    const SupervisedTask task(examples, examples, Metric::Accuracy);
    FAIL() << "class 2 was accepted";
  } catch (const LogicError& error) {
    EXPECT_STREQ(error.what(),
                 "SupervisedTask: a single column of classes must have values "
                 "from 0 to 1, got 2; for more than two classes use "
                 "data::one_hot, which makes one column per class.");
  }
}

TEST(SupervisedTask, RefusesValuesThatAreNotFiniteInRowsThatCount) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const Tensor inputs = Tensor::from({3, 1}, {1, kNan, 3});
  const Tensor targets = Tensor::from({3, 1}, {1, 2, 3});
  const Examples all(inputs, targets);
  const Examples ignored(inputs, targets, Tensor::from({3}, {1, 0, 1}));

  EXPECT_THROW(SupervisedTask(all, all, Metric::R2), LogicError);
  EXPECT_THROW(SupervisedTask(Examples(targets, inputs),
                              Examples(targets, inputs), Metric::R2),
               LogicError);
  EXPECT_NO_THROW(SupervisedTask(ignored, ignored, Metric::R2));
}

TEST(SupervisedTask, DefaultTargetFitsMetric) {
  const Examples examples = random_examples(4);
  const auto target = [&](const Metric& metric) {
    return SupervisedTask(examples, examples, metric).default_target();
  };
  EXPECT_EQ(target(Metric::R2), 0.95);
  EXPECT_EQ(target(Metric::MeanSquaredError),
            std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace lamarck::evolution
