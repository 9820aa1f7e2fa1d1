// Evolves a formula for noisy points on a line by genetic programming.

#include <array>
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

#include "lamarck/archipelago/evaluator_of_inputs.h"
#include "lamarck/archipelago/spawn_evolver.h"
#include "lamarck/base/rng.h"
#include "lamarck/gp/tree_engine.h"

using namespace lamarck;
using namespace lamarck::archipelago;

struct Points {
  std::vector<double> x;
  std::vector<double> y;
};

// Points on y = 2 x + 1 with normal noise of 0.1.
Points noisy_line(std::uint64_t seed) {
  Rng rng(seed);
  Points points;
  for (int i = 0; i < 50; ++i) {
    const double x = rng.uniform(-3, 3);
    points.x.push_back(x);
    points.y.push_back(2 * x + 1 + rng.normal(0, 0.1));
  }
  return points;
}

// The negated mean squared error: higher is better.
double score(const Points& points, const Skeleton& equation) {
  const auto values = equation.call(std::array{points.x}).value();
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double error = values[i] - points.y[i];
    sum += error * error;
  }
  return -sum / static_cast<double>(values.size());
}

Result<std::shared_ptr<MutationEngine>> tree_engine(
    const EngineSettings& settings) {
  LAMARCK_ASSIGN_OR_RETURN(
      auto engine,
      gp::TreeEngine::create(settings.evaluator,
                             {.operations = {"add", "sub", "mul"}}));
  return std::shared_ptr<MutationEngine>(std::move(engine));
}

void print_improvement(const ArchipelagoEvent& event) {
  const auto* of_island = std::get_if<IslandEvent>(&event);
  if (of_island == nullptr) return;
  const auto& fn = std::get<BestFnImproved>(*of_island).payload;
  if (fn->score() > -0.05) std::printf("%.4f\n", fn->score());
}

int main() {
  auto evolver =
      spawn_evolver({.equation = "def equation(x):\n    return x\n",
                     .evaluator = make_evaluator(
                         std::vector{noisy_line(1), noisy_line(2)}, score),
                     .engine = tree_engine,
                     .profiler_fn = print_improvement,
                     .options = {.num_islands = 4,
                                 .budget = {.evaluations = 20'000},
                                 .goal = -0.012}});
  if (!evolver) {
    std::printf("%s\n", evolver.error().message().c_str());
    return 1;
  }
  const auto outcome = (*evolver)->run();
  if (!outcome) {
    std::printf("%s\n", outcome.error().message().c_str());
    return 1;
  }

  std::printf("%s\n%s\n", outcome->reason.c_str(),
              outcome->best->skeleton()->source().c_str());
  return outcome->best->score() > -0.05 ? 0 : 1;
}
