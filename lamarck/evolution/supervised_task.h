// Learning from examples: classes, numbers, sequences, or the inputs
// themselves.

#pragma once

#include <memory>
#include <optional>

#include "lamarck/data/metrics.h"
#include "lamarck/evolution/evolution_task.h"

namespace lamarck::evolution {

struct SupervisedOptions {
  // How outputs are learnt; if not told, classes by cross entropy (with one
  // column of targets binary) and numbers by squares, as the metric has it.
  std::optional<Loss> loss;
  TrainingOptions training;
};

class SupervisedTask : public EvolutionTask {
 public:
  using EvolutionTask::evaluate;
  using EvolutionTask::prepare;
  using EvolutionTask::row_losses;
  using EvolutionTask::train_until_converged;
  using EvolutionTask::unit_scores;
  using EvolutionTask::work;

  // Networks learn from `train` and are measured on `test`. If these are not
  // the same rows, training keeps the weights that have the least loss on
  // `test`, and candidates are compared by it: so have a third part of your
  // rows to learn how good the result is.
  SupervisedTask(const Examples& train, const Examples& test,
                 const data::Metric& metric,
                 const SupervisedOptions& options = {});

  TrainingOutcome train_until_converged(
      Network& network, const LearningContext& context) const override;
  // The metric, negative if less of it is better.
  double evaluate(const Network& network, Rng& rng) const override;
  void prepare(Network& network) const override;
  bool is_sequential() const override;
  std::vector<double> unit_scores(const Network& network,
                                  std::span<const UnitId> units) const override;
  // Of `test`; none if it is `train`.
  std::vector<double> row_losses(const Network& network) const override;
  double work(const Network& network) const override;

  const data::Metric& metric() const { return metric_; }

 private:
  std::shared_ptr<const Trainer> trainer_;
  Examples test_;
  bool is_test_apart_;
  data::Metric metric_;
  Loss loss_;
  TrainingOptions training_;
};

// The metric on examples; steps and rows of weight 0 do not count.
double measure(const data::Metric& metric, const Network& network,
               const Examples& examples);

// An autoencoder: the targets are the inputs.
SupervisedTask autoencoder_task(const Tensor& train, const Tensor& test,
                                TrainingOptions training = {});

}  // namespace lamarck::evolution
