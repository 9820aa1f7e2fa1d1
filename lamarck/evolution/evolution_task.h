// A task defines how networks are trained and scored.
//
// Derive from EvolutionTask for a single network, and from TeamTask for several
// that work together (an actor and its critic, a generator and its
// discriminator).

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

// Thread safety: several threads call the members at once, each with its own
// networks.
class TeamTask {
 public:
  virtual ~TeamTask() = default;

  // Trains the networks in place until they converge. Candidates are compared
  // by the `check_loss` of the outcome, or by its `loss` if it has no
  // `check_loss`; lower is better.
  virtual TrainingOutcome train_until_converged(
      std::span<Network> networks, const LearningContext& context) const = 0;
  // The score of the networks; higher is better.
  virtual double evaluate(std::span<const Network> networks,
                          Rng& rng) const = 0;
  // The score at which a run ends if its options do not set one.
  virtual double default_target() const { return 0.95; }
  // Whether `evaluate` always returns the same score. If not, it is called
  // several times per candidate.
  virtual bool is_deterministic() const { return true; }
  // Prepares the initial networks, for example sets their heads. Called once.
  virtual void prepare(std::span<Network> /*networks*/) const {}
  // Whether networks may be recurrent.
  virtual bool is_sequential() const { return false; }
  // See MutationLimits::score_units. `which` is the index of the network that
  // is about to grow.
  virtual std::vector<double> unit_scores(const Network& /*network*/,
                                          std::size_t /*which*/,
                                          std::span<const UnitId>) const {
    return {};
  }
  // The loss of each row behind `check_loss`, used to tell an improvement from
  // chance. Empty if the task has no such rows.
  virtual std::vector<double> row_losses(
      std::span<const Network> /*networks*/) const {
    return {};
  }
  // Approximate number of multiplications of a weight by a value in one
  // training. Decides how many candidates are trained in parallel.
  virtual double work(std::span<const Network> /*networks*/) const { return 0; }
};

// The same for a single network.
class EvolutionTask {
 public:
  virtual ~EvolutionTask() = default;

  virtual TrainingOutcome train_until_converged(
      Network& network, const LearningContext& context) const = 0;
  virtual double evaluate(const Network& network, Rng& rng) const = 0;
  virtual double default_target() const { return 0.95; }
  virtual bool is_deterministic() const { return true; }
  virtual void prepare(Network& /*network*/) const {}
  virtual bool is_sequential() const { return false; }
  virtual std::vector<double> unit_scores(const Network& /*network*/,
                                          std::span<const UnitId>) const {
    return {};
  }
  virtual std::vector<double> row_losses(const Network& /*network*/) const {
    return {};
  }
  virtual double work(const Network& /*network*/) const { return 0; }
};

// A team of one network.
class SingleNetworkTask final : public TeamTask {
 public:
  explicit SingleNetworkTask(std::shared_ptr<const EvolutionTask> task)
      : task_(std::move(task)) {}

  TrainingOutcome train_until_converged(
      std::span<Network> networks,
      const LearningContext& context) const override {
    return task_->train_until_converged(networks[0], context);
  }
  double evaluate(std::span<const Network> networks, Rng& rng) const override {
    return task_->evaluate(networks[0], rng);
  }
  double default_target() const override { return task_->default_target(); }
  bool is_deterministic() const override { return task_->is_deterministic(); }
  void prepare(std::span<Network> networks) const override {
    task_->prepare(networks[0]);
  }
  bool is_sequential() const override { return task_->is_sequential(); }
  std::vector<double> unit_scores(
      const Network& network, std::size_t /*which*/,
      std::span<const UnitId> units) const override {
    return task_->unit_scores(network, units);
  }
  std::vector<double> row_losses(
      std::span<const Network> networks) const override {
    return task_->row_losses(networks[0]);
  }
  double work(std::span<const Network> networks) const override {
    return task_->work(networks[0]);
  }

 private:
  std::shared_ptr<const EvolutionTask> task_;
};

// Holds a task of any type by shared ownership: `.task = SupervisedTask(...)`.
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
  const std::shared_ptr<const Base>& shared() const { return task_; }

 private:
  std::shared_ptr<const Base> task_;
};

}  // namespace lamarck::evolution
