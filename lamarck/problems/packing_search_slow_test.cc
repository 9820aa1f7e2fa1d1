#include <gtest/gtest.h>

#include <memory>

#include "lamarck/archipelago/evolver.h"
#include "lamarck/archipelago/formula_skeleton.h"
#include "lamarck/gp/tree_engine.h"
#include "lamarck/problems/packing_evaluator.h"

namespace lamarck::problems {
namespace {

TEST(TreeEngineSlow, PacksBetterThanBestFitOnUnseenInstances) {
  Rng rng(11);
  const auto train =
      PackingEvaluator::make(uniform_packing({.instances = 240}, rng)).value();
  const auto unseen =
      PackingEvaluator::make(uniform_packing({.instances = 500}, rng)).value();
  const auto best_fit = std::make_shared<archipelago::FormulaSkeleton>(
      formula::parse_infix("item - bins", kPackingInputs).value());
  archipelago::EvolverOptions options{.num_islands = 5};
  options.budget.evaluations = 10'000;
  gp::TreeOptions tree;
  tree.constants.hints = {150, 100, 75, 50, 20, 10, 2, 1, 0.5};
  archipelago::Evolver evolver(
      options, {.engine = gp::TreeEngine::create(train, tree).value(),
                .evaluator = train,
                .first = {best_fit}});
  const archipelago::EvolverOutcome outcome = evolver.run().value();

  EXPECT_LT(unseen->excess(*outcome.best->skeleton()).value(),
            unseen->excess(*best_fit).value() - 0.003)
      << outcome.best->skeleton()->source();
}

}  // namespace
}  // namespace lamarck::problems
