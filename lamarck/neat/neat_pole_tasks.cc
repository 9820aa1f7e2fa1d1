#include "lamarck/neat/neat_pole_tasks.h"

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "lamarck/neat/neat_episodes.h"

namespace lamarck::neat {
namespace {

using environment::CartPole;
using environment::DoublePole;

constexpr std::size_t kStarts = 5;
constexpr std::size_t kTestStarts = 100;
constexpr double kSolvedSteps = 475;  // Gymnasium's threshold.

std::vector<CartPole::State> cart_pole_starts(std::size_t count,
                                              std::uint64_t key) {
  std::vector<CartPole::State> starts;
  for (std::size_t i = 0; i < count; ++i) {
    Rng rng = Rng(key).split(i);
    CartPole pole;
    pole.reset(rng);
    starts.push_back(pole.state());
  }
  return starts;
}

double mean_steps(FlatNetwork& network,
                  std::span<const CartPole::State> starts) {
  int sum = 0;
  NeatEpisodes<environment::CartPoleLanes>(network, CartPole::kMaxSteps)
      .play(starts, [&](int steps, bool /*failed*/) {
        sum += steps;
        return true;
      });
  return static_cast<double>(sum) / static_cast<double>(starts.size());
}

constexpr double kStartAngle = 1 * std::numbers::pi / 180;
constexpr int kDampedSteps = 1000;
constexpr int kSwingWindow = 100;
constexpr double kPromising = 0.1;  // Minimum fitness for the expensive test.
constexpr int kMinGeneralization = 200;

double force_of(double output) {
  return 2 * DoublePole::kActionKind.bound * (output - 0.5);
}

// Plays one step. A network with 3 inputs gets every second value of the state:
// the position and the angles, without velocities.
void act(FlatNetwork& network, DoublePole& poles) {
  const DoublePole::State& state = poles.state();
  const std::size_t count = network.input_count();
  const std::size_t stride = count == state.size() ? 1 : 2;
  std::array<double, DoublePole::kObservations> inputs{};
  for (std::size_t i = 0; i < count; ++i) {
    inputs[i] = state[stride * i] * environment::kDoublePoleScale[stride * i];
  }
  poles.step(force_of(network.step({inputs.data(), count})[0]));
}

DoublePole tilted_poles() {
  DoublePole poles;
  poles.set_state({0, 0, kStartAngle, 0, 0, 0});
  return poles;
}

int steps_from_start(FlatNetwork& network) {
  network.reset();
  DoublePole poles = tilted_poles();
  while (!poles.is_done()) act(network, poles);
  // The step that fails does not count.
  return poles.has_failed() ? poles.steps() - 1 : poles.steps();
}

NeatEvaluation evaluate_double_pole(FlatNetwork& network) {
  const int steps = steps_from_start(network);
  return {.fitness = static_cast<double>(steps),
          .solved = steps == DoublePole::kMaxSteps};
}

// Gruau's fitness; see the header. `swings` is a ring buffer of the last steps.
NeatEvaluation evaluate_damped(FlatNetwork& network) {
  DoublePole poles = tilted_poles();
  std::array<double, kSwingWindow> swings{};
  std::size_t next = 0;
  while (!poles.is_done() && poles.steps() < kDampedSteps) {
    act(network, poles);
    const DoublePole::State& state = poles.state();
    swings[next] = std::abs(state[0]) + std::abs(state[1]) +
                   std::abs(state[2]) + std::abs(state[3]);
    next = (next + 1) % swings.size();
  }
  double sum = 0;
  for (const double swing : swings) sum += swing;
  const double damping = poles.steps() < kSwingWindow ? 0 : 0.75 / sum;
  return {.fitness = 0.1 * poles.steps() / kDampedSteps + 0.9 * damping};
}

std::vector<DoublePole::State> generalization_starts() {
  constexpr std::array kShares = {0.05, 0.25, 0.5, 0.75, 0.95};
  // The ranges of the cellular encoding paper (Gruau et al. 1996): the angle is
  // up to 3.6 degrees and its speed up to 8.6 degrees per second.
  const auto spread = [](double share, double limit) {
    return (2 * share - 1) * limit;
  };
  std::vector<DoublePole::State> starts;
  for (const double x : kShares) {
    for (const double speed : kShares) {
      for (const double angle : kShares) {
        for (const double turn : kShares) {
          starts.push_back({spread(x, 2.16), spread(speed, 1.35),
                            spread(angle, 0.06283152), spread(turn, 0.15009752),
                            0, 0});
        }
      }
    }
  }
  return starts;
}

bool is_no_velocity_solution(FlatNetwork& network, double fitness) {
  return fitness > kPromising &&
         steps_from_start(network) == DoublePole::kMaxSteps &&
         double_pole_generalization(network, kMinGeneralization) >=
             kMinGeneralization;
}

}  // namespace

NeatBenchmark cart_pole_benchmark() {
  return {.task = {.name = "cartpole",
                   .inputs = 4,
                   .outputs = 1,
                   .evaluate = [starts = cart_pole_starts(kStarts, 1)](
                                   FlatNetwork& network) -> NeatEvaluation {
                     return {.fitness = mean_steps(network, starts)};
                   },
                   .is_solution =
                       [starts = cart_pole_starts(kTestStarts, 2)](
                           FlatNetwork& network, double fitness) {
                         return fitness >= kSolvedSteps &&
                                mean_steps(network, starts) >= kSolvedSteps;
                       }},
          .options = {.perturb_power = 1}};
}

NeatBenchmark double_pole_benchmark() {
  return {.task = {.name = "double-pole",
                   .inputs = 6,
                   .outputs = 1,
                   .evaluate = evaluate_double_pole},
          .options = {.perturb_power = 1}};
}

NeatBenchmark double_pole_no_velocity_benchmark() {
  return {.task = {.name = "double-pole-no-velocity",
                   .inputs = 3,
                   .outputs = 1,
                   .evaluate = evaluate_damped,
                   .is_solution = is_no_velocity_solution,
                   .measure = {.name = "generalization",
                               .of = [](FlatNetwork& network) -> double {
                                 return double_pole_generalization(network);
                               }}},
          .options = {.difference_weight = 3,
                      .target_species = 30,
                      .patience = 100,
                      .perturb_power = 1,
                      .recurrent_share = 0.5}};
}

int double_pole_generalization(FlatNetwork& network, int min_count) {
  static const std::vector<DoublePole::State> kStates = generalization_starts();
  const auto count = static_cast<int>(kStates.size());
  int failures = 0;
  NeatEpisodes<environment::DoublePoleLanes>(network, kDampedSteps)
      .play(kStates, [&](int /*steps*/, bool failed) {
        failures += failed ? 1 : 0;
        return count - failures >= min_count;
      });
  return count - failures;
}

}  // namespace lamarck::neat
