#include "lamarck/evolution/neat_tasks.h"

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "lamarck/base/suggestion.h"
#include "lamarck/evolution/cart_pole.h"

namespace lamarck::evolution {
namespace {

constexpr double kXorTolerance = 0.1;
constexpr std::size_t kStarts = 5;
constexpr std::size_t kTestStarts = 100;
constexpr double kSolvedSteps = 475;

NeatEvaluation evaluate_xor(FlatNetwork& network) {
  static constexpr std::array<double, 8> kInputs = {0, 0, 0, 1, 1, 0, 1, 1};
  static constexpr std::array<double, 4> kWanted = {0, 1, 1, 0};
  std::array<double, 4> outputs{};
  network.evaluate_cases(kInputs, outputs);
  double error = 0;
  double squares = 0;
  for (std::size_t i = 0; i < kWanted.size(); ++i) {
    const double difference = std::abs(outputs[i] - kWanted[i]);
    error += difference;
    squares += difference * difference;
  }
  return {.fitness = (4 - error) * (4 - error),
          .solved = squares <= kXorTolerance};
}

// Mean steps over `starts` starts, which `key` decides.
double cart_pole_steps(FlatNetwork& network, std::size_t starts,
                       std::uint64_t key) {
  // Brings typical states to the order of 1.
  constexpr std::array kScale = {1 / 2.4, 1 / 2.0, 1 / 0.2, 1 / 2.0};
  CartPole pole;
  int steps = 0;
  for (std::size_t i = 0; i < starts; ++i) {
    Rng rng = Rng(key).split(i);
    pole.reset(rng);
    network.reset();
    while (!pole.is_done()) {
      CartPole::State inputs = pole.state();
      for (std::size_t k = 0; k < inputs.size(); ++k) inputs[k] *= kScale[k];
      pole.step(network.step(inputs)[0] > 0.5 ? 1 : 0);
    }
    steps += pole.steps();
  }
  return static_cast<double>(steps) / static_cast<double>(starts);
}

}  // namespace

NeatBenchmark xor_benchmark() {
  return {.task = {.name = "xor",
                   .inputs = 2,
                   .outputs = 1,
                   .evaluate = evaluate_xor},
          .options = {}};
}

NeatBenchmark cart_pole_benchmark() {
  return {.task = {.name = "cartpole",
                   .inputs = 4,
                   .outputs = 1,
                   .evaluate = [](FlatNetwork& network) -> NeatEvaluation {
                     return {.fitness = cart_pole_steps(network, kStarts, 1)};
                   },
                   .is_solution =
                       [](FlatNetwork& network, double fitness) {
                         return fitness >= kSolvedSteps &&
                                cart_pole_steps(network, kTestStarts, 2) >=
                                    kSolvedSteps;
                       }},
          .options = {.perturb_power = 1}};
}

namespace {

struct NamedBenchmark {
  std::string_view name;
  NeatBenchmark (*make)();
};
constexpr std::array kBenchmarks = {
    NamedBenchmark{"xor", xor_benchmark},
    NamedBenchmark{"cartpole", cart_pole_benchmark},
};

}  // namespace

std::vector<std::string> neat_benchmark_names() {
  std::vector<std::string> names;
  for (const auto& entry : kBenchmarks) names.emplace_back(entry.name);
  return names;
}

Result<NeatBenchmark> neat_benchmark_named(std::string_view name) {
  for (const auto& entry : kBenchmarks) {
    if (entry.name == name) return entry.make();
  }
  const std::vector<std::string> names = neat_benchmark_names();
  std::string message = "There is no task '" + std::string(name) + "'";
  if (const auto nearest = nearest_word(name, names)) {
    message += "; did you mean '" + *nearest + "'?";
  } else {
    message += "; choose one of";
    for (std::size_t i = 0; i < names.size(); ++i) {
      message += (i == 0 ? " " : ", ") + names[i];
    }
    message += ".";
  }
  return Error(ErrorCode::InvalidArgument, message);
}

}  // namespace lamarck::evolution
