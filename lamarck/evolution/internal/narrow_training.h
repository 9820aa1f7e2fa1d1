// Trains networks that consist of neurons only, on all rows at once.

#pragma once

#include "lamarck/evolution/narrow/narrow_plan.h"
#include "lamarck/evolution/training.h"

namespace lamarck::evolution {

// A network as the topology of a plan, with the mapping between their
// parameters.
class NarrowForm {
 public:
  explicit NarrowForm(const Network& network);

  const NarrowTopology& topology() const { return topology_; }
  // Copies the network's parameters into the order of the topology.
  NetworkParameters gather(const NetworkParameters& from) const;
  // The reverse.
  void scatter(const NetworkParameters& from, NetworkParameters& to) const;

 private:
  NarrowTopology topology_;
  std::vector<std::size_t> places_;  // Index in the network, by our index.
};

// For all functions below. REQUIRES: network.is_narrow().
TrainingOutcome train_narrow(Network& network, const NarrowBatch& batch,
                             const NarrowBatch* check,
                             const TrainingOptions& options);
double narrow_loss(const Network& network, const NarrowBatch& batch);
Tensor narrow_outputs(const Network& network, const Tensor& inputs);
// See Trainer::unit_scores.
std::vector<double> narrow_unit_scores(const Network& network,
                                       const NarrowBatch& batch,
                                       std::span<const UnitId> units);

}  // namespace lamarck::evolution
