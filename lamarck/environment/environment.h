// The interface of reinforcement learning environments: CartPole, DoublePole,
// MountainCar and Pendulum.
//
//   Rng rng(1);
//   for (env.reset(rng); !env.is_done();) {
//     reward += env.step(choose(env.observation()));
//   }

#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>

#include "lamarck/base/rng.h"

namespace lamarck::environment {

// An action is an integer from 0 to count - 1.
struct DiscreteActions {
  std::size_t count = 0;

  using Action = std::size_t;
};

// An action is a number from -bound to bound.
struct ContinuousActions {
  std::size_t size = 1;  // Always 1; see VectorActions.
  double bound = 1;

  using Action = double;
};

// An action is `size` numbers, each from -bound to bound.
struct VectorActions {
  std::size_t size = 1;
  double bound = 1;

  using Action = std::span<const double>;
};

template <class E>
using ActionKindOf = std::remove_cv_t<decltype(E::kActionKind)>;

// A copy is independent and behaves like the original. An episode ends after at
// most `kMaxSteps` steps. `step` returns the reward and requires !is_done().
// An environment may have settings, such as the mass of a pole: tasks copy the
// one that they are given.
//
// Thread safety: an environment belongs to one thread at a time.
template <class E>
concept Environment = std::copyable<E> &&
    requires(E environment, const E& seen, Rng& rng,
             typename ActionKindOf<E>::Action action) {
  { E::kObservations } -> std::convertible_to<std::size_t>;
  { E::kMaxSteps } -> std::convertible_to<int>;
  environment.reset(rng);
  { environment.step(action) } -> std::same_as<double>;
  { seen.is_done() } -> std::same_as<bool>;
  { seen.steps() } -> std::same_as<int>;
  { seen.observation() } -> std::convertible_to<std::span<const double>>;
};

template <Environment E>
inline constexpr bool kIsDiscrete =
    std::same_as<ActionKindOf<E>, DiscreteActions>;

}  // namespace lamarck::environment
