#include "lamarck/archipelago/evolver.h"

#include <gtest/gtest.h>

#include "lamarck/archipelago/internal/toy_engine.h"

namespace lamarck::archipelago {
namespace {

EvolverParts toy_parts(ToyEngine::Change change = {}) {
  return {.engine = std::make_shared<ToyEngine>(std::move(change)),
          .evaluator = std::make_shared<ToyEvaluator>(),
          .first = {std::make_shared<ToySkeleton>(0)}};
}

TEST(Evolver, FindsTheSecretNumber) {
  Evolver evolver(
      {.num_islands = 4, .budget = {.evaluations = 5000}, .goal = 0},
      toy_parts());

  const auto outcome = evolver.run();

  ASSERT_TRUE(outcome) << outcome.error().message();
  EXPECT_EQ(outcome->end, EvolverEnd::Goal) << outcome->reason;
  EXPECT_EQ(toy_number(*outcome->best), 1000);
}

}  // namespace
}  // namespace lamarck::archipelago
