// Evolves layers for real images: handwritten digits of 8 x 8 pixels.

#include <gtest/gtest.h>

#include <filesystem>
#include <limits>

#include "lamarck/data/csv.h"
#include "lamarck/data/to_dataset.h"
#include "lamarck/data/train_test_split.h"
#include "lamarck/evolution/evolution.h"
#include "lamarck/evolution/supervised_task.h"

namespace lamarck::evolution {
namespace {

data::Dataset digits() {
  const auto path = std::filesystem::path(LAMARCK_DATA) / "digits.csv";
  const data::Dataset rows =
      data::to_dataset(
          data::read_csv(path).value(),
          {.target = "digit", .target_kind = data::TargetKind::Classes})
          .value();
  return data::Dataset(rows.inputs() / Tensor::scalar(16), rows.targets());
}

EvolutionResult evolve(const data::TrainTest& rows, std::size_t threads,
                       std::int64_t evaluations) {
  EvolutionOptions options{
      .seed = 1,
      .target_metric = std::numeric_limits<double>::infinity(),
      .grain = Grain::Layer};
  options.threads = threads;
  options.offspring = 4;
  options.budget.evaluations = evaluations;
  return Evolution{
      .network =
          minimal_layers({.channels = 1, .height = 8, .width = 8}, 10, 1),
      .task = SupervisedTask(rows.train, rows.test, data::Metric::Accuracy,
                             {.training = {.epochs = 12}}),
      .options = options}
      .run()
      .value();
}

TEST(LayerEvolutionSlow, EvolvesLayersThatClassifyDigits) {
  const data::TrainTest outer = data::train_test_split(
      digits(), {.test_fraction = 0.2, .seed = 1, .stratify = true});
  const data::TrainTest inner = data::train_test_split(
      outer.train, {.test_fraction = 0.2, .seed = 2, .stratify = true});

  const EvolutionResult result = evolve(inner, 0, 40);

  EXPECT_GE(result.network.hidden_count(), 1u);
  EXPECT_GE(result.score, 0.95);
  EXPECT_GE(measure(data::Metric::Accuracy, result.network, outer.test), 0.95);
  EXPECT_LT(result.counts.evaluations, 45);
}

TEST(LayerEvolutionSlow, ResultDoesNotDependOnThreadCount) {
  const data::TrainTest rows = data::train_test_split(
      digits(), {.test_fraction = 0.2, .seed = 1, .stratify = true});
  const EvolutionResult one = evolve(rows, 1, 12);
  const EvolutionResult three = evolve(rows, 3, 12);
  EXPECT_EQ(one.network.parameters(), three.network.parameters());
  EXPECT_EQ(one.network.topology_hash(), three.network.topology_hash());
}

}  // namespace
}  // namespace lamarck::evolution
