// Evolves a priority for vectors over 0, 1, 2 with which a greedy search finds
// a large cap set: a set in which no three vectors lie on a line.

#include <cstdio>

#include "lamarck/archipelago/evolver.h"
#include "lamarck/archipelago/formula_skeleton.h"
#include "lamarck/gp/tree_engine.h"
#include "lamarck/problems/cap_set_evaluator.h"

using namespace lamarck;
using namespace lamarck::archipelago;
using namespace lamarck::gp;
using namespace lamarck::problems;

int main() {
  constexpr int kDimension = 4;
  const auto evaluator = std::make_shared<const CapSetEvaluator>(kDimension);
  const auto first = std::make_shared<FormulaSkeleton>(
      formula::parse_python("def priority(el0, el1, el2, el3):\n"
                            "    return 0.0\n",
                            "priority")
          .value());

  TreeOptions tree;
  tree.operations = {"add", "sub", "mul",  "abs",        "square", "minimum",
                     "mod", "neg", "less", "less_equal", "where",  "maximum"};
  tree.constants = {.low = 0.1, .high = 10, .hints = {1, 2, 3}};
  EvolverOptions options{.num_islands = 4,
                         .goal = kLargestCapSets[kDimension - 1]};
  options.budget.evaluations = 20'000;
  Evolver evolver(options,
                  {.engine = TreeEngine::create(evaluator, tree).value(),
                   .evaluator = evaluator,
                   .first = {first}});
  const EvolverOutcome outcome = evolver.run().value();

  const auto before = evaluator->cap_set(*first).value();
  const auto after = evaluator->cap_set(*outcome.best->skeleton()).value();
  std::printf("%s\n", outcome.best->skeleton()->source().c_str());
  std::printf(
      "%zu vectors instead of %zu after %ld functions; the maximum is "
      "%d.\n",
      after.size(), before.size(),
      static_cast<long>(outcome.counts.evaluations),
      kLargestCapSets[kDimension - 1]);
  return is_cap_set(kDimension, after) && after.size() > before.size() ? 0 : 1;
}
