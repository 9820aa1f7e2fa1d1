// An environment as seen by a policy: episodes to learn from, and returns.

#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <functional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "lamarck/environment/rl_environment.h"
#include "lamarck/evolution/network_stepper.h"

namespace lamarck::evolution {

struct Episode {
  // These three hold one row per step, one after the other.
  std::vector<float> observations;  // Scaled.
  std::vector<float> outputs;       // Outputs of the network.
  // The action taken: one-hot if it is discrete, otherwise the number divided
  // by its bound, with the exploration noise included.
  std::vector<float> choices;
  std::vector<double> rewards;  // With potential-based shaping.
  // The step limit ended the episode, not the environment.
  bool is_cut = false;

  std::size_t steps() const { return rewards.size(); }
};

struct PolicyGame {
  std::size_t observations = 0;
  std::size_t outputs = 0;
  std::size_t max_steps = 0;
  bool is_discrete = true;  // Outputs are probabilities, otherwise means.
  double enough = 0;        // RLEnvironment::kEnough: the score to stop at.

  // Plays an episode. Samples actions from the probabilities, or from a normal
  // distribution around the means with standard deviation `deviation`.
  std::function<Episode(NetworkStepper&, double discount, double deviation,
                        Rng&)>
      play;
  // The return of an episode that always takes the most likely action.
  std::function<double(NetworkStepper&, Rng&)> best_return;
  // Converts a mean return to a score; see RLEnvironment.
  std::function<double(double mean_return)> score;
};

// Implements `play` and `best_return` for copies of an environment.
template <environment::Environment E>
class PolicyPlayer {
 public:
  explicit PolicyPlayer(E environment) : prototype_(std::move(environment)) {}

  Episode play(NetworkStepper& stepper, double discount, double deviation,
               Rng& rng) const {
    Episode episode;
    E environment = prototype_;
    environment.reset(rng);
    stepper.reset();
    double before = Facts::potential(environment);
    while (!environment.is_done()) {
      const auto seen = observed(environment);
      episode.observations.insert(episode.observations.end(), seen.begin(),
                                  seen.end());
      const std::span<const float> outputs = stepper.step(seen);
      episode.outputs.insert(episode.outputs.end(), outputs.begin(),
                             outputs.end());
      const Choice choice = drawn(outputs, deviation, rng, episode.choices);
      const double reward = environment.step(choice);
      const double after = Facts::potential(environment);
      // Potential-based shaping does not change which policy is optimal (Ng,
      // Harada and Russell 1999).
      episode.rewards.push_back(reward + discount * after - before);
      before = after;
    }
    episode.is_cut = environment.steps() >= E::kMaxSteps;
    return episode;
  }

  double best_return(NetworkStepper& stepper, Rng& rng) const {
    E environment = prototype_;
    environment.reset(rng);
    stepper.reset();
    double sum = 0;
    while (!environment.is_done()) {
      const Choice choice = likeliest(stepper.step(observed(environment)));
      sum += environment.step(choice);
    }
    return sum;
  }

 private:
  using Facts = environment::RLEnvironment<E>;
  using Kind = environment::ActionKindOf<E>;
  static constexpr bool kIsVector =
      std::same_as<Kind, environment::VectorActions>;
  // An action that owns its numbers.
  using Choice =
      std::conditional_t<kIsVector, std::vector<double>, typename Kind::Action>;

  static std::array<float, E::kObservations> observed(const E& environment) {
    const auto all = environment.observation();
    std::array<float, E::kObservations> scaled{};
    for (std::size_t i = 0; i < scaled.size(); ++i) {
      scaled[i] = static_cast<float>(all[i]) * Facts::kScales[i];
    }
    return scaled;
  }

  static double bounded(double share) {
    return std::clamp(share, -1.0, 1.0) * E::kActionKind.bound;
  }

  static Choice drawn(std::span<const float> outputs, double deviation,
                      Rng& rng, std::vector<float>& choices) {
    if constexpr (environment::kIsDiscrete<E>) {
      double left = rng.uniform();
      std::size_t action = 0;
      while (action + 1 < outputs.size() && left >= double{outputs[action]}) {
        left -= double{outputs[action++]};
      }
      for (std::size_t i = 0; i < outputs.size(); ++i) {
        choices.push_back(i == action ? 1.0f : 0.0f);
      }
      return action;
    } else {
      std::vector<double> shares;
      for (const float output : outputs) {
        shares.push_back(rng.normal(double{output}, deviation));
        choices.push_back(static_cast<float>(shares.back()));
      }
      return as_choice(shares);
    }
  }

  static Choice as_choice(std::vector<double> shares) {
    for (double& share : shares) share = bounded(share);
    if constexpr (kIsVector) {
      return shares;
    } else {
      return shares[0];
    }
  }

  static Choice likeliest(std::span<const float> outputs) {
    if constexpr (environment::kIsDiscrete<E>) {
      return static_cast<std::size_t>(std::ranges::max_element(outputs) -
                                      outputs.begin());
    } else {
      return as_choice({outputs.begin(), outputs.end()});
    }
  }

  E prototype_;
};

// Episodes are played with copies of `environment`.
template <environment::Environment E>
PolicyGame policy_game(const E& environment = E()) {
  const PolicyPlayer<E> player(environment);
  PolicyGame game{.observations = E::kObservations,
                  .max_steps = static_cast<std::size_t>(E::kMaxSteps),
                  .is_discrete = environment::kIsDiscrete<E>,
                  .enough = environment::RLEnvironment<E>::kEnough,
                  .play =
                      [player](NetworkStepper& stepper, double discount,
                               double deviation, Rng& rng) {
                        return player.play(stepper, discount, deviation, rng);
                      },
                  .best_return =
                      [player](NetworkStepper& stepper, Rng& rng) {
                        return player.best_return(stepper, rng);
                      },
                  .score = environment::RLEnvironment<E>::score};
  if constexpr (environment::kIsDiscrete<E>) {
    game.outputs = E::kActionKind.count;
  } else {
    game.outputs = E::kActionKind.size;
  }
  return game;
}

}  // namespace lamarck::evolution
