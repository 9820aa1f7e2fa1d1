#include "lamarck/evolution/internal/option_check.h"

#include <cmath>

#include "lamarck/base/ensure.h"
#include "lamarck/evolution/strategy.h"

namespace lamarck::evolution {

void check_options(const EvolutionOptions& options) {
  const Result<Strategy> strategy = parse_strategy(options.strategy);
  if (!strategy) throw LogicError(strategy.error());
  REQUIRE(options.patience > 0,
          "Evolution: patience must be at least 1, got {}.", options.patience);
  REQUIRE(options.loss_tolerance >= 0 && options.grad_tolerance >= 0,
          "Evolution: loss_tolerance and grad_tolerance must not be negative, "
          "got {} and {}.",
          options.loss_tolerance, options.grad_tolerance);
  const EvolutionBudget& budget = options.budget;
  REQUIRE(budget.seconds >= 0 && budget.generations >= 0 &&
              budget.evaluations >= 0 && budget.flat_generations >= 0,
          "Evolution: budgets must not be negative, got {} seconds, {} "
          "generations, {} evaluations and {} flat_generations.",
          budget.seconds, budget.generations, budget.evaluations,
          budget.flat_generations);
  REQUIRE(!options.limits.activations.empty(),
          "Evolution: limits.activations must not be empty; give at least one "
          "activation for new nodes.");
  for (const auto& [name, weight] : options.mutations) {
    REQUIRE(find_mutation(name) != nullptr,
            "Evolution: unknown mutation '{}'; use a name of mutation_table.",
            name);
    REQUIRE(weight >= 0 && std::isfinite(weight),
            "Evolution: the weight of mutation '{}' must be finite and not "
            "negative, got {}.",
            name, weight);
  }
}

}  // namespace lamarck::evolution
