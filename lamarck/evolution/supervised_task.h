// Supervised learning from examples: classification, regression, sequences and
// autoencoders.

#pragma once

#include <memory>
#include <optional>

#include "lamarck/data/metrics.h"
#include "lamarck/evolution/evolution_task.h"

namespace lamarck::evolution {

struct SupervisedOptions {
  // If not set, the metric decides: mean squared error for numbers, cross
  // entropy for classes, binary cross entropy for a single target column.
  std::optional<Loss> loss;
  TrainingOptions training;
};

class SupervisedTask : public EvolutionTask {
 public:
  // Networks learn from `train` and are scored on `test`. If these are not the
  // same rows, training keeps the weights with the lowest loss on `test`, and
  // candidates are compared by it. Hold out a third set of rows to estimate how
  // well the result generalizes. Throws LogicError if rows of weight other than
  // 0 have NaN or infinite values, or if a single column of classes has other
  // values than 0 to 1.
  SupervisedTask(const Examples& train, const Examples& test,
                 const data::Metric& metric,
                 const SupervisedOptions& options = {});

  TrainingOutcome train_until_converged(
      Network& network, const LearningContext& context) const override;
  // The metric, negated if lower values are better.
  double evaluate(const Network& network, Rng& rng) const override;
  // 0.95 for metrics whose best value is 1. An error has no usual target, so
  // there it is infinity, and the budget ends the run.
  double default_target() const override;
  void prepare(Network& network) const override;
  bool is_sequential() const override;
  std::vector<double> unit_scores(const Network& network,
                                  std::span<const UnitId> units) const override;
  // For the rows of `test`; empty if `test` and `train` are the same.
  std::vector<double> row_losses(const Network& network) const override;
  double work(const Network& network) const override;

  const data::Metric& metric() const { return metric_; }

 private:
  std::shared_ptr<const Trainer> trainer_;
  Examples test_;
  bool is_test_held_out_;
  data::Metric metric_;
  Loss loss_;
  TrainingOptions training_;
};

// The metric on examples; rows and steps of weight 0 are ignored.
double measure(const data::Metric& metric, const Network& network,
               const Examples& examples);

// A task whose targets are its inputs, scored by R2.
SupervisedTask autoencoder_task(const Tensor& train, const Tensor& test,
                                TrainingOptions training = {});

}  // namespace lamarck::evolution
