#include "lamarck/neat/neat_tasks.h"

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "lamarck/base/suggestion.h"
#include "lamarck/neat/neat_pole_tasks.h"

namespace lamarck::neat {
namespace {

constexpr double kXorTolerance = 0.1;

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

}  // namespace

NeatBenchmark xor_benchmark() {
  return {.task = {.name = "xor",
                   .inputs = 2,
                   .outputs = 1,
                   .evaluate = evaluate_xor},
          .options = {}};
}

namespace {

struct NamedBenchmark {
  std::string_view name;
  NeatBenchmark (*make)();
};
constexpr std::array kBenchmarks = {
    NamedBenchmark{"xor", xor_benchmark},
    NamedBenchmark{"cartpole", cart_pole_benchmark},
    NamedBenchmark{"double-pole", double_pole_benchmark},
    NamedBenchmark{"double-pole-no-velocity",
                   double_pole_no_velocity_benchmark},
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
  std::string message = "Unknown task '" + std::string(name) + "'";
  if (const auto nearest = nearest_word(name, names)) {
    message += "; did you mean '" + *nearest + "'?";
  } else {
    message += "; use";
    for (std::size_t i = 0; i < names.size(); ++i) {
      const bool is_last = i + 1 == names.size();
      message += (i == 0 ? " " : is_last ? " or " : ", ") + names[i];
    }
    message += ".";
  }
  return Error(ErrorCode::InvalidArgument, message);
}

}  // namespace lamarck::neat
