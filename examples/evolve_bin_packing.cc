// Evolves a rule for online bin packing from best fit: which bin gets the item
// that just arrived?

#include <cstdio>

#include "lamarck/archipelago/evolver.h"
#include "lamarck/archipelago/formula_skeleton.h"
#include "lamarck/gp/tree_engine.h"
#include "lamarck/problems/packing_evaluator.h"

using namespace lamarck;
using namespace lamarck::archipelago;
using namespace lamarck::gp;
using namespace lamarck::problems;

int main() {
  Rng rng(1);
  const auto train =
      PackingEvaluator::make(uniform_packing({.instances = 60}, rng)).value();
  const auto unseen =
      PackingEvaluator::make(uniform_packing({.instances = 500}, rng)).value();
  const auto best_fit = std::make_shared<FormulaSkeleton>(
      formula::parse_python("def priority(item, bins):\n"
                            "    return item - bins\n",
                            "priority")
          .value());

  TreeOptions tree;
  tree.constants.hints = {150, 100, 75, 50, 20, 10, 2, 1, 0.5};
  EvolverOptions options{.num_islands = 4};
  options.island.temperature = 0.03;
  options.budget.evaluations = 4000;
  Evolver evolver(options, {.engine = TreeEngine::create(train, tree).value(),
                            .evaluator = train,
                            .first = {best_fit}});
  const EvolverOutcome outcome = evolver.run().value();

  const Skeleton& rule = *outcome.best->skeleton();
  const double before = 100 * unseen->excess(*best_fit).value();
  const double after = 100 * unseen->excess(rule).value();
  std::printf("%s\n", rule.source().c_str());
  std::printf(
      "Excess bins on unseen instances: %.2f %%, with best fit %.2f %%.\n",
      after, before);
  return after < before ? 0 : 1;
}
