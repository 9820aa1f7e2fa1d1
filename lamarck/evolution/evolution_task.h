// What networks are to become good at.
//
// A task says how a network learns and how good it is. Derive from
// EvolutionTask for one network, from TeamTask for several that work together
// (an actor and its critic, a generator and its discriminator).

#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "lamarck/evolution/training.h"

namespace lamarck::evolution {

struct LearningContext {
  ConvergenceOptions convergence;
  // A candidate that will not come below this loss may stop early.
  double bar = std::numeric_limits<double>::infinity();
  std::function<bool()> should_stop;  // The run is to end. May be empty.
  std::uint64_t seed = 0;             // For whatever is random in learning.
  // Adam goes on with what it remembers of the weights that were inherited.
  bool keeps_moments = true;
};

// Thread safety: members are called by several threads at once, each with
// networks of its own.
class TeamTask {
 public:
  virtual ~TeamTask() = default;

  // The networks learn until they have converged. What is compared is
  // `check_loss`: less is better.
  virtual TrainingOutcome train_until_converged(
      std::span<Network> networks, const LearningContext& context) const = 0;
  // How good they are: more is better.
  virtual double evaluate(std::span<const Network> networks,
                          Rng& rng) const = 0;
  // Whether `evaluate` always gives the same; if not it is asked several times.
  virtual bool is_deterministic() const { return true; }
  // Called once for what evolution begins with, such as to set heads.
  virtual void prepare(std::span<Network> /*networks*/) const {}
  // Whether networks may remember.
  virtual bool is_sequential() const { return false; }
  // See MutationLimits::score_units; `which` of the networks is about to grow.
  virtual std::vector<double> unit_scores(const Network& /*network*/,
                                          std::size_t /*which*/,
                                          std::span<const UnitId>) const {
    return {};
  }
  // The loss of each row that candidates are compared by, so that chance can be
  // told from gain; empty if there are none.
  virtual std::vector<double> row_losses(
      std::span<const Network> /*networks*/) const {
    return {};
  }
  // About how many products of a weight and a value a training takes. Decides
  // how many candidates are tried side by side.
  virtual double work(std::span<const Network> /*networks*/) const { return 0; }
};

class EvolutionTask : public TeamTask {
 public:
  virtual TrainingOutcome train_until_converged(
      Network& network, const LearningContext& context) const = 0;
  virtual double evaluate(const Network& network, Rng& rng) const = 0;
  virtual void prepare(Network& /*network*/) const {}
  virtual std::vector<double> unit_scores(const Network& /*network*/,
                                          std::span<const UnitId>) const {
    return {};
  }
  virtual std::vector<double> row_losses(const Network& /*network*/) const {
    return {};
  }
  virtual double work(const Network& /*network*/) const { return 0; }

  TrainingOutcome train_until_converged(
      std::span<Network> networks, const LearningContext& context) const final {
    return train_until_converged(networks[0], context);
  }
  double evaluate(std::span<const Network> networks, Rng& rng) const final {
    return evaluate(networks[0], rng);
  }
  void prepare(std::span<Network> networks) const final {
    prepare(networks[0]);
  }
  std::vector<double> unit_scores(const Network& network, std::size_t /*which*/,
                                  std::span<const UnitId> units) const final {
    return unit_scores(network, units);
  }
  std::vector<double> row_losses(
      std::span<const Network> networks) const final {
    return row_losses(networks[0]);
  }
  double work(std::span<const Network> networks) const final {
    return work(networks[0]);
  }
};

// Holds any task: `.task = SupervisedTask(...)`.
template <class Base>
class AnyTask {
 public:
  AnyTask() = default;
  template <class Task>
  requires std::is_base_of_v<Base, Task> AnyTask(Task task)  // NOLINT
      : task_(std::make_shared<const Task>(std::move(task))) {}
  AnyTask(std::shared_ptr<const Base> task)  // NOLINT
      : task_(std::move(task)) {}

  const Base& operator*() const { return *task_; }
  const Base* operator->() const { return task_.get(); }
  const Base* get() const { return task_.get(); }
  template <class Other>
  AnyTask<Other> shared_as() const {
    return std::static_pointer_cast<const Other>(task_);
  }

 private:
  std::shared_ptr<const Base> task_;
};

}  // namespace lamarck::evolution
