// For tests of runs: a task with scripted losses and scores.

#pragma once

#include <array>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "lamarck/evolution/evolution.h"

namespace lamarck::evolution {

inline constexpr std::array kStrategyNames = {"cascade", "hill_climb"};

// Does not train; returns the loss and the score of the given functions.
class GivenTask : public EvolutionTask {
 public:
  std::function<double(const Network&)> loss = [](const Network&) {
    return 1.0;
  };
  std::function<double(Rng&)> score = [](Rng&) { return 0.0; };
  bool deterministic = true;

  TrainingOutcome train_until_converged(
      Network& network, const LearningContext& /*context*/) const override {
    const double value = loss(network);
    return {.loss = value,
            .check_loss = value,
            .steps = 3,
            .is_finite = std::isfinite(value)};
  }
  double evaluate(const Network& /*network*/, Rng& rng) const override {
    return score(rng);
  }
  bool is_deterministic() const override { return deterministic; }
};

// Falls with every parameter.
inline double loss_by_size(const Network& network) {
  return 100 - 0.1 * static_cast<double>(network.parameters().size());
}

inline Evolution make_evolution(GivenTask task,
                                const char* strategy = "cascade") {
  return {
      .network = minimal_network(2, 1),
      .task = std::move(task),
      .options = {
          .strategy = strategy, .budget = {.generations = 20}, .threads = 1}};
}

// Runs the evolution and returns its events in order.
inline std::vector<EvolutionEvent> record_events(Evolution evolution,
                                                 EvolutionResult& result) {
  std::vector<EvolutionEvent> events;
  const Remover remove = evolution.profiler.use_profiler(
      [&](const EvolutionEvent& event) { events.push_back(event); });
  result = evolution.run().value();
  remove();
  return events;
}

}  // namespace lamarck::evolution
