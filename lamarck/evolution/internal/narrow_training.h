// Training of networks that are neurons only, all rows at once.

#pragma once

#include "lamarck/evolution/narrow/narrow_plan.h"
#include "lamarck/evolution/training.h"

namespace lamarck::evolution {

// A network in the words of a plan.
class NarrowForm {
 public:
  explicit NarrowForm(const Network& network);

  const NarrowTopology& topology() const { return topology_; }
  // The network's parameters in the order of the topology, and back.
  NetworkParameters gathered(const NetworkParameters& from) const;
  void scatter(const NetworkParameters& from, NetworkParameters& to) const;

 private:
  NarrowTopology topology_;
  std::vector<std::size_t> places_;  // Of the network, for each of ours.
};

TrainingOutcome train_narrow(Network& network, const NarrowBatch& batch,
                             const NarrowBatch* check,
                             const TrainingOptions& options);
double narrow_loss(const Network& network, const NarrowBatch& batch);
Tensor narrow_outputs(const Network& network, const Tensor& inputs);
std::vector<double> narrow_unit_scores(const Network& network,
                                       const NarrowBatch& batch,
                                       std::span<const UnitId> units);

}  // namespace lamarck::evolution
