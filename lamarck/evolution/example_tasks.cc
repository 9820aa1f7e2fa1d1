#include "lamarck/evolution/example_tasks.h"

#include <array>
#include <cmath>
#include <numbers>

#include "lamarck/base/suggestion.h"
#include "lamarck/evolution/supervised_task.h"

namespace lamarck::evolution {
namespace {

constexpr std::uint64_t kTestSeed = 0x7e57;  // For data that no run sees.

bool is_all_right(const Network& network, const Examples& examples) {
  return measure(Metric::Accuracy, network, examples) == 1;
}

Evolution learn_all(const Examples& examples, std::uint64_t seed,
                    const SupervisedOptions& options) {
  return {.network = minimal_network(
              static_cast<std::size_t>(examples.inputs.size(-1)), 1, seed),
          .task = SupervisedTask(examples, examples, Metric::Accuracy, options),
          .options = {.seed = seed, .target_metric = 1}};
}

Evolution xor_evolution(std::uint64_t seed) {
  return learn_all(xor_examples(), seed, {});
}
bool knows_xor(const Network& network) {
  return is_all_right(network, xor_examples());
}

Evolution spiral_evolution(std::uint64_t seed) {
  return learn_all(two_spirals(), seed, {});
}
bool knows_spirals(const Network& network) {
  return is_all_right(network, two_spirals());
}

// Learns from sequences of up to 8 bits. The target is reached when 128
// sequences of 24 bits are all classified correctly.
Evolution parity_evolution(std::uint64_t seed) {
  Rng rng = Rng(seed).split("parity");
  const Examples train = parity_sequences(256, 1, 8, rng);
  const Examples longer = parity_sequences(128, 24, 24, rng);
  return {.network = minimal_network(1, 1, seed),
          .task = SupervisedTask(train, longer, Metric::Accuracy,
                                 {.training = {.rate = 0.05f}}),
          .options = {.seed = seed, .target_metric = 1}};
}
bool knows_parity(const Network& network) {
  Rng rng(kTestSeed);
  return is_all_right(network, parity_sequences(200, 64, 64, rng)) &&
         is_all_right(network, parity_sequences(200, 512, 512, rng));
}

constexpr std::array kTasks = {
    ExampleTask{"xor", "exclusive or of two bits", xor_evolution, knows_xor},
    ExampleTask{"spirals", "194 points on two spirals", spiral_evolution,
                knows_spirals},
    ExampleTask{"parity",
                "parity of sequences, trained up to length 8 and tested at 64 "
                "and 512",
                parity_evolution, knows_parity},
};

}  // namespace

Examples xor_examples() {
  return {Tensor::rows({{0, 0}, {0, 1}, {1, 0}, {1, 1}}),
          Tensor::rows({{0}, {1}, {1}, {0}})};
}

Examples two_spirals() {
  constexpr int kPoints = 97;  // Per spiral.
  std::vector<float> inputs;
  std::vector<float> targets;
  for (int i = 0; i < kPoints; ++i) {
    const double angle = i * std::numbers::pi / 16;
    const double radius = 2.0 * (104 - i) / 104;
    for (const double side : {1.0, -1.0}) {
      inputs.push_back(static_cast<float>(side * radius * std::sin(angle)));
      inputs.push_back(static_cast<float>(side * radius * std::cos(angle)));
      targets.push_back(side > 0 ? 1.0f : 0.0f);
    }
  }
  return {Tensor::from({2 * kPoints, 2}, inputs),
          Tensor::from({2 * kPoints, 1}, targets)};
}

Examples parity_sequences(std::size_t count, std::size_t shortest,
                          std::size_t longest, Rng& rng) {
  const auto rows = static_cast<std::int64_t>(count);
  const auto steps = static_cast<std::int64_t>(longest);
  Tensor inputs = Tensor::zeros({rows, steps, 1});
  Tensor targets = Tensor::zeros({rows, steps, 1});
  Tensor weights = Tensor::zeros({rows, steps});
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t length = rng.integer(static_cast<std::int64_t>(shortest),
                                            static_cast<std::int64_t>(longest));
    bool is_odd = false;
    for (std::int64_t step = 0; step < length; ++step) {
      const bool bit = rng.chance(0.5);
      is_odd ^= bit;
      inputs.at({row, step, 0}) = bit ? 1.0f : 0.0f;
    }
    targets.at({row, length - 1, 0}) = is_odd ? 1.0f : 0.0f;
    weights.at({row, length - 1}) = 1;
  }
  return {inputs, targets, weights};
}

std::span<const ExampleTask> example_tasks() { return kTasks; }

Result<ExampleTask> example_task_named(std::string_view name) {
  std::vector<std::string> names;
  for (const ExampleTask& task : kTasks) {
    if (task.name == name) return task;
    names.emplace_back(task.name);
  }
  const auto nearest = nearest_word(name, names);
  return Error(ErrorCode::InvalidArgument,
               "Unknown task '" + std::string(name) + "'; " +
                   (nearest ? "did you mean '" + *nearest + "'?"
                            : "use xor, spirals or parity."));
}

}  // namespace lamarck::evolution
